"""Whom a node talks to. One file per kind; what it consists of is declared here.

Peers are a `NamedTuple` of parameters, registered with `@component("peers", name)`. What nodes know of
each other is in `Views`, which may change between rounds.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.kernels import GRAPH, PEERS, below, driver, helper, operation, prange, stream
from sottovoce.state import Ints
from sottovoce.timing import stays


class Views(NamedTuple):
    """The nodes that each node knows; -1 at the end where there are no more."""

    neighbours: Ints  # [nodes, v], whom it talks to
    room: Ints  # [nodes], how many that may be
    cache: Ints  # [nodes, c], whom it has been told of
    age: Ints  # [nodes, c], for how many cycles of shuffling ago


def nobody() -> Views:
    """Views of nodes that need none."""
    none = np.empty((0, 0), np.int32)
    return Views(none, np.empty(0, np.int32), none, none)


@driver
def _introduce(known, run):
    for node in prange(len(known)):
        distinct(stream(run, GRAPH, node, 0), len(known) - 1, known[node])
        for n in range(known.shape[1]):
            known[node, n] += known[node, n] >= node


def bootstrap(nodes: int, count: int, run: int) -> Ints:
    """As many random others for each node as a service that everybody knows tells it of at first."""
    known = np.empty((nodes, min(count, nodes - 1)), np.int32)
    _introduce(known, run, batch=nodes)
    return known


@operation(default=lambda peers, timing, run: nobody())
def meet(peers, timing, run):
    """The `Views` that nodes begin with. Python only."""


@operation(default=lambda peers: 0)
def period(peers):
    """After how many rounds views are to be renewed; 0: never. Python only."""


@operation(default=lambda peers: 0)
def memory(peers):
    """How many of those it hears from a node must remember, with their models' quality. Python only."""


@operation
def renew(peers, views, people, timing, run, round):
    """Change views between two rounds, when their `period` is over. Python only.

    `people.heard` and `people.liked` say whose models were good.
    """


@operation
def select(peers, views, timing, time, node, run, cycle, chosen):
    """Fill `chosen` with nodes that are online at `time` for `node` to send to in one of its cycles.

    They are distinct where possible. Returns how many there are: fewer than asked for where not
    enough are online.
    """


@helper
def among(known, timing, time, node, run, cycle, chosen):
    """Fill `chosen` with different random ones of those known that are online; return how many there are."""
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
