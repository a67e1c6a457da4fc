"""Speed and memory against the physical limit and against peers, as ratios within one run.

A benchmark is a function that yields `Result`s, in a module whose name its results begin with.
"""
