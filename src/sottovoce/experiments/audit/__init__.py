"""The audit: what observers of a run can find out, measured by attacks on what they recorded.

audit.py       the audit as a whole, and `audit.json`
records.py     what observers recorded, read and checked
views.py       what each kind of observer knows: the server, a neighbour, colluders, both sides of a person
replay.py      the server's model before each aggregation
attacks.py     which attacks are made on which view
pairs.py       attacks on updates of pair-wise ranking, one of which needs the server's model
ratings.py     the attack on ratings, which needs the server's model
sentences.py   figures in words
written.py     `audit.json`, read again for a report
"""
