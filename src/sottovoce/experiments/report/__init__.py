"""The report: one HTML page about a run or several, which needs nothing else. It reads run directories only.

report.py    the page as a whole
methods.py   which runs are one method under several seeds, and whether methods may be compared
verdict.py   is a method better than popularity, and which one is best?
chance.py    what may be chance
quality.py people.py lists.py nodes.py privacy.py audit.py network.py  the sections of the page
layout.py gaps.py  tables and figures
naming.py shared.py  what methods and files are called
export.py    tables as .csv and .tex
"""
