"""Reproductions: what a paper's table or figure shows, run again and laid beside what it printed.

form.py      the TOML file: paper, base recipe, axes of settings, rows and claims
figures.py   numbers of finished runs: which metric, read where
claims.py    statements that hold or do not, beyond what may be chance over seeds
papers/      statements that need a function of their own, one file per paper
execute.py   from the file to runs, and to what they come to
shared.py    runs that several reproductions need
kept.py      what runs measured, kept beside the pages
page.py      reproduction.html, which stands alone
docs.py      the pages in docs/reproductions
"""
