"""Send some rows only (COMPRESSSUBSAMPLING of Algorithm 7, Hegedűs et al. 2019).

Rows that the sender's own people rated come first; what room is left goes to others, at random.
Sending others makes sense because a node forwards what it has heard.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Gt, Le

from sottovoce.exchange.compression.interface import Chain, link
from sottovoce.kernels import below, helper
from sottovoce.registry import component


@component("compression", "subsample")
class Subsample(NamedTuple):
    """A random part of the rows, one's own first."""

    share: Annotated[float, Gt(0), Le(1)] = 0.1
    """s / n, the share of rows that is sent."""


@link.rule(Subsample)
def _link(compression: Subsample, chain: Chain) -> Chain:
    return chain._replace(share=compression.share)


@helper
def _move(source, target, count, items, key, index):
    """Move `count` random members of one set to another; how many draws were used."""
    while count > 0:
        at = below(key, index, items)
        index += 1
        word, bit = at >> 6, np.uint64(1) << np.uint64(at & 63)
        if source[word] & bit:
            source[word] ^= bit
            target[word] |= bit
            count -= 1
    return index


@helper
def _some(members, size, count, chosen, items, key, index):
    """Choose `count` of the `size` members of a set. Few are drawn, or few left out."""
    if 2 * count <= size:
        return _move(members, chosen, count, items, key, index)
    index = _move(members, np.zeros_like(members), size - count, items, key, index)
    for word in range(len(members)):
        chosen[word] |= members[word]
    return index


@helper
def _lowest(bits):
    """Where the lowest bit of a word is: the exponent of that power of two."""
    return (np.float64(bits & (~bits + np.uint64(1))).view(np.int64) >> 52) - 1023


@helper
def choose(people, slot, items, key, chosen):
    """Fill `chosen` with items, ascending: random ones of what a slot's people had, then of all others.

    Sets of items are bits, 64 in a word.
    """
    own, taken = np.zeros((items + 63) // 64, np.uint64), np.zeros((items + 63) // 64, np.uint64)
    size = 0
    for n in range(people.first[slot], people.first[slot + 1]):
        person = people.member[n]
        for item in people.item[people.indptr[person] : people.indptr[person + 1]]:
            bit = np.uint64(1) << np.uint64(item & 63)
            size += (own[item >> 6] & bit) == 0
            own[item >> 6] |= bit
    others, mine = ~own, min(len(chosen), size)
    index = _some(own, size, mine, taken, items, key, 0)
    _some(others, items - size, len(chosen) - mine, taken, items, key, index)
    at = word = 0
    while at < len(chosen):
        bits = taken[word]
        while bits and at < len(chosen):  # beyond the last item are others too
            chosen[at] = 64 * word + _lowest(bits)
            bits &= bits - np.uint64(1)
            at += 1
        word += 1
