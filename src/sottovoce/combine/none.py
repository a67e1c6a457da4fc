"""No merging: the incoming model replaces the receiver's (MERGENONE of Algorithm 4, Hegedűs et al. 2019).

Models then make random walks through the network, and every node they visit trains them.
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
