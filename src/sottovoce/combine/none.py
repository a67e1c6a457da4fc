"""No merging: the incoming model replaces one's own (MERGENONE of Algorithm 4, Hegedűs et al. 2019).

Models then make random walks through the network, trained by everybody they visit.
"""

from typing import NamedTuple

from sottovoce.combine.interface import merged_age, weight
from sottovoce.registry import component


@component("merge", "none", needs="clock")
class Replace(NamedTuple):
    """Take the incoming model as it is."""


@weight.rule(Replace)
def _weight(rule, mine, theirs):
    return 1.0


@merged_age.rule(Replace)
def _merged_age(rule, mine, theirs):
    return theirs
