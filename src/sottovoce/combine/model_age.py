"""Weigh models by how often they were trained (Model-Age-Based, Algorithm 1 of Belal et al. 2022).

    M ← (t M + t̃ M̃) / (t + t̃),   t ← max(t, t̃)

with one age t for a whole model, where `linear` has one for each row (Hegedűs et al. 2019).
"""

from typing import NamedTuple

from sottovoce.combine.interface import weight
from sottovoce.registry import component


@component("merge", "model-age", needs="clock")
class ModelAge(NamedTuple):
    """Each model counts as much as it was trained."""


@weight.rule(ModelAge)
def _weight(rule, mine, theirs):
    return theirs / (mine + theirs) if theirs > 0 else 0.0
