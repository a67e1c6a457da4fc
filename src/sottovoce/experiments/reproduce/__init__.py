"""Reproductions: tables and figures of papers, run again and compared with the printed numbers.

labels.py    what every TOML file has: a paper, or what it shows of our own; axes, and how labels are read
form.py      a file about runs: base recipe, axes, rows and claims; sections.py its tables
figures.py   numbers of finished runs: which metric, read where
points.py    curves along an axis, such as F1 over a probability, with a point for each run
cost.py      what federated pair-wise learning costs, as fpl counts it
claims.py    whether a statement holds by more than chance over seeds
papers/      statements and measurements that need a function of their own
measured/    files about measurements: a function called for each cell of a table
execute.py   from the file to runs, and to their summary
shared.py    runs that several reproductions need
kept.py      figures of runs, kept beside the pages
page.py      reproduction.html, which stands alone
docs.py      the pages in docs/reproductions
words.py     the sentences that terminal, page and docs share
"""
