"""Attacks that measure what leaks. They take arrays of what an observer saw, and return figures.

changes.py        what an observer saw of people's trainings: which rows changed, and by how much
figures.py        a figure with its interval over people, beside guessing
changed_rows.py   which items a person has, from the rows that changed
pairs.py          which items a person has, from updates of pair-wise ranking
withheld.py       which items a person did not disclose, from two changes of sampled ones
membership.py     does a person have an item?
ratings.py        a person's vector and ratings, from updates of matrix factorization
communities.py    who resembles whom
complement.py     which items a person does not have
vectors.py        a person's vector
whole_updates.py  how much of a person's update is seen
instances.py      on how many instances a person trained
last_one.py       what a sum tells someone who knows all other contributions
scored.py         scores of all items by a vector
protected.py      canaries sent through the steps of a run
summed.py         canaries in sums with noise
statistics.py     single people in sums of statistics
canaries.py       a lower bound on ε; binomial.py has its chances
"""
