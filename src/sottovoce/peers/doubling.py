"""Peers at distance 2^t: after ⌈log₂ N⌉ cycles, what a node sent has reached everybody.

In its cycle t, node n sends to node n + 2^(t mod ⌈log₂ N⌉), modulo N, or to the first one after it that is
online. If N is a power of 2 and all send at once, that many cycles of push-sum give everybody the exact mean.
It needs addresses of ⌈log₂ N⌉ others, as the fingers of Chord do (Stoica et al. 2001).
"""

from typing import NamedTuple

from sottovoce.peers.interface import select
from sottovoce.registry import component
from sottovoce.timing import stays


@component("peers", "doubling")
class Doubling(NamedTuple):
    """Peers whose distance doubles with every cycle."""


@select.rule(Doubling)
def _select(peers, views, timing, time, node, run, cycle, chosen):
    nodes, steps = len(timing.upload), 0
    while (1 << steps) < nodes:
        steps += 1
    found, offset = 0, 1 << (cycle % steps) if steps else nodes
    while found < len(chosen) and offset < nodes:
        other = (node + offset) % nodes
        if stays(timing, other, time, time):
            chosen[found] = other
            found += 1
        offset += 1
    return found
