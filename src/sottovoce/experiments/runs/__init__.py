"""Runs: from a recipe to figures on disk.

start.py       `run` and `run_recipe`, which call the next three
prepare.py     data, split, baselines, references and the simulation
train.py       rounds, evaluations and checkpoints
write.py       the result, the tables and the report

run.py         a finished run, in memory or opened from its directory
result.py      `result.json`, typed and checked
directory.py   the run directory
checkpoint.py  the state of a simulation on disk; pretrained.py and extend.py start from one
sweep.py       many runs in parallel processes; summary.py their means, watch.py their progress
"""
