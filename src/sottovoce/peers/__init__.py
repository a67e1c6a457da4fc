"""Whom a node talks to. One file per kind; what it consists of is declared here.

Peers are a `NamedTuple` of parameters, registered with `@component("peers", name)`.
"""

import numpy as np

from sottovoce.kernels import below, helper, operation
from sottovoce.timing import stays


@operation(default=lambda peers, nodes, run: np.empty((0, 0), np.int32))
def graph(peers, nodes, run):
    """The fixed neighbours of every node, [nodes, k]; empty where there are none. Python only."""


@operation
def select(peers, graph, timing, time, node, run, cycle, chosen):
    """Fill `chosen` with nodes that are online at `time` for `node` to send to in one of its cycles.

    They are distinct where possible. Returns how many there are: fewer than asked for where not
    enough are online.
    """


TRIES = 50
"""Random draws for each peer before it counts as found that hardly anybody is online."""


@helper
def draw_online(key, timing, time, node, again, chosen):
    """Fill `chosen` with random other nodes that are online, different ones unless `again` is allowed."""
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
    """Fill `chosen` with different numbers below `count`, by rejection; there must be as many."""
    index = 0
    for n in range(len(chosen)):
        fresh = False
        while not fresh:
            chosen[n] = below(key, index, count)
            index += 1
            fresh = True
            for m in range(n):
                fresh = fresh and chosen[m] != chosen[n]
