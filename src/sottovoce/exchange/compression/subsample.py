"""Send some rows only (COMPRESSSUBSAMPLING of Algorithm 7, Hegedűs et al. 2019).

Rows that the sender's own people rated come first; what room is left goes to others, at random.
Sending others makes sense because a node forwards what it has heard.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Gt, Le

from sottovoce.exchange.compression import Chain, link
from sottovoce.kernels import below, helper
from sottovoce.registry import component

_OTHER, _OWN, _CHOSEN, _LEFT = range(4)


@component("compression", "subsample")
class Subsample(NamedTuple):
    """A random part of the rows, one's own first."""

    share: Annotated[float, Gt(0), Le(1)] = 0.1
    """s / n, the share of rows that is sent."""


@link.rule(Subsample)
def _link(compression: Subsample, chain: Chain) -> Chain:
    return chain._replace(share=compression.share)


@helper
def _turn(mark, was, into, count, key, index):
    """Change `count` random entries of `mark` from one state into another; how many draws were used."""
    while count > 0:
        at = below(key, index, len(mark))
        index += 1
        if mark[at] == was:
            mark[at] = into
            count -= 1
    return index


@helper
def _some(mark, was, members, count, key, index):
    """Mark `count` of the `members` entries in state `was` as chosen. Few are drawn, or few left out."""
    if 2 * count <= members:
        return _turn(mark, was, _CHOSEN, count, key, index)
    index = _turn(mark, was, _LEFT, members - count, key, index)
    for at in range(len(mark)):
        if mark[at] == was:
            mark[at] = _CHOSEN
    return index


@helper
def choose(people, slot, items, key, chosen):
    """Fill `chosen` with items, ascending: random ones of what a slot's people had, then of all others."""
    mark = np.zeros(items, np.uint8)
    members = 0
    for n in range(people.first[slot], people.first[slot + 1]):
        person = people.member[n]
        for item in people.item[people.indptr[person] : people.indptr[person + 1]]:
            members += mark[item] == _OTHER
            mark[item] = _OWN
    mine = min(len(chosen), members)
    index = _some(mark, _OWN, members, mine, key, 0)
    _some(mark, _OTHER, items - members, len(chosen) - mine, key, index)
    at = item = 0
    while at < len(chosen):  # without a branch that nobody can foresee
        chosen[at] = item
        at += mark[item] == _CHOSEN
        item += 1
