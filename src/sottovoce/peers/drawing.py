"""Random draws of peers: from all nodes, from those online, with or without repetition."""

import numpy as np

from sottovoce.kernels import GRAPH, PEERS, below, driver, helper, prange, stream
from sottovoce.state import Ints
from sottovoce.timing import stays


@driver
def _introduce(known, run):
    for index in prange(len(known)):
        node = np.int64(index)
        distinct(stream(run, GRAPH, node, 0), len(known) - 1, known[node])
        for n in range(known.shape[1]):
            known[node, n] += known[node, n] >= node


def bootstrap(nodes: int, count: int, run: int) -> Ints:
    """`count` random other nodes for each node, as an introducer would name them: [nodes, count]."""
    known = np.empty((nodes, min(count, nodes - 1)), np.int32)
    _introduce(known, run, batch=nodes)
    return known


@helper
def among(known, timing, time, node, run, cycle, chosen):
    """Fill `chosen` with distinct random nodes of `known` that are online at `time`; return how many.

    -1 marks the end of `known`.
    """
    count = len(known)
    while count and known[count - 1] < 0:
        count -= 1
    online = known
    if len(timing.first):
        online, count = np.empty(len(known), np.int32), 0
        for other in known:
            if other >= 0 and stays(timing, other, time, time):
                online[count] = other
                count += 1
    found = min(count, len(chosen))
    distinct(stream(run, PEERS, node, cycle), count, chosen[:found])
    for n in range(found):
        chosen[n] = online[chosen[n]]
    return found


TRIES = 50
"""Random draws for each peer before giving up: hardly anybody is online then."""


@helper
def draw_online(key, timing, time, node, again, chosen):
    """Fill `chosen` with random other nodes online at `time`, distinct unless `again`; return how many."""
    others = len(timing.upload) - 1
    wanted = len(chosen) if again else min(len(chosen), others)
    found, index = 0, 0
    while found < wanted and index < TRIES * wanted:
        other = below(key, index, others)
        other += other >= node
        index += 1
        fresh = stays(timing, other, time, time)
        if not again:
            for m in range(found):
                fresh = fresh and chosen[m] != other
        if fresh:
            chosen[found] = other
            found += 1
    return found


@helper
def distinct(key, count, chosen):
    """Fill `chosen` with distinct random numbers below `count`, by rejection; `count` must be enough."""
    index = 0
    for n in range(len(chosen)):
        fresh = False
        while not fresh:
            chosen[n] = below(key, index, count)
            index += 1
            fresh = True
            for m in range(n):
                fresh = fresh and chosen[m] != chosen[n]
