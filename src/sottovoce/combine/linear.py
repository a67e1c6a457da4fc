"""Average by age, row by row (MERGEAVERAGE of Algorithm 4, Hegedűs et al. 2019).

    w = t̃ / (t + t̃),   Y ← (1 − w) Y + w Ỹ,   t ← max(t, t̃)

with t and t̃ the ages of a row Y here and of Ỹ in the message. A row that was never updated there is ignored;
one that was never updated here is replaced.
"""

from typing import NamedTuple

from sottovoce.combine.interface import merged_age, weight
from sottovoce.registry import component


@component("merge", "linear", needs="row_age")
class Linear(NamedTuple):
    """Weigh each row by how often it was updated."""

    sum_ages: bool = False
    """Add the two ages instead of taking the larger one; the paper tried it and found it worse."""


@weight.rule(Linear)
def _weight(rule, mine, theirs):
    return theirs / (mine + theirs) if theirs > 0 else 0.0


@merged_age.rule(Linear)
def _merged_age(rule, mine, theirs):
    return mine + theirs if rule.sum_ages else max(mine, theirs)
