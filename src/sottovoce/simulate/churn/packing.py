"""Tools for kinds of churn: sort, merge and reuse sessions."""

import numpy as np

from sottovoce.kernels import CHURN, below, stream
from sottovoce.simulate.churn.interface import Sessions
from sottovoce.state import Doubles, Longs


def packed(node: Longs, since: Doubles, until: Doubles, nodes: int, seconds: float = np.inf) -> Sessions:
    """Sort sessions by node and time, clip them to [0, seconds], and join those that touch.

    `node`, `since` and `until` have one entry per session. Sessions of one node must not overlap.
    """
    since, until = np.maximum(since, 0.0), np.minimum(until, seconds)
    kept = np.flatnonzero(since < until)
    kept = kept[np.lexsort((since[kept], node[kept]))]
    node, since, until = node[kept], since[kept], until[kept]
    begins = np.ones(len(node), bool)
    begins[1:] = (node[1:] != node[:-1]) | (since[1:] > until[:-1])
    first = np.searchsorted(node[begins], np.arange(nodes + 1)).astype(np.int64)
    return Sessions(first, since[begins], until[np.roll(begins, -1)])


def dealt(known: Sessions, chosen: Longs, each: int, span: float, seconds: float) -> Sessions:
    """Sessions for new nodes, put together from those of known nodes.

    `chosen` lists known nodes; every `each` of them in a row make up one new node. Each one starts
    `span` seconds after the one before it.
    """
    lengths = np.diff(known.first)[chosen]
    place = np.repeat(np.arange(len(chosen)), lengths)
    skipped = np.cumsum(lengths) - lengths
    taken = np.arange(len(place)) - skipped[place] + known.first[chosen][place]
    later = span * (place % each)
    since, until = known.since[taken] + later, known.until[taken] + later
    return packed(place // each, since, until, len(chosen) // each, seconds)


def draws(run: int, nodes: int, count: int, step: int = 0) -> Longs:
    """A random number below `count` for each node: [nodes]."""
    found = (below(stream(run, CHURN, node, step), 0, count) for node in range(nodes))
    return np.fromiter(found, np.int64, nodes)
