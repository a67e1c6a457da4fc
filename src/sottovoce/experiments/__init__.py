"""Experiments: from a recipe to a run, its directory and its report.

recipe/       what a run depends on, as a TOML file
runs/         runs: prepared, trained, written down; their directories; sweeps of them
pages/        what HTML pages share: markup, plots, styles, the names of metrics
report/       the report on one run or several
audit/        what observers of a run can find out
reproduce/    tables and figures of papers, run again
functions.py  what the commands `sweep`, `report` and `reproduce` do, as functions
"""
