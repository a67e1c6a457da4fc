"""Weigh models by how often they were trained (Model-Age-Based, Algorithm 1 of Belal et al. 2022).

    M ← (t M + t̃ M̃) / (t + t̃),   t ← max(t, t̃)

with t and t̃ the clocks of the receiver's model M and the incoming M̃: how often each was trained. `linear`
has an age for each row instead (Hegedűs et al. 2019).
"""

from typing import NamedTuple

from sottovoce.combine.interface import weight
from sottovoce.registry import component


@component("merge", "model-age", needs="clock")
class ModelAge(NamedTuple):
    """Weigh each model by how often it was trained."""


@weight.rule(ModelAge)
def _weight(rule, mine, theirs):
    return theirs / (mine + theirs) if theirs > 0 else 0.0
