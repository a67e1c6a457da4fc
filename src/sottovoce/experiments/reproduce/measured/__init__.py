"""Pages whose cells are measured by a function, such as a table of milliseconds or what an attack finds.

form.py     the TOML file: the function, its figures and their units, axes of settings, rows and claims
records.py  one call of the function: what it returned, on which machine; kept as lines of JSON
execute.py  from the file to records, and to their summary
judge.py    rows and claims, from the records
"""
