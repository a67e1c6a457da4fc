"""When nodes are there. One file per kind; what it consists of is declared here.

Churn is a `NamedTuple` of parameters, registered with `@component("churn", name)`. Time is in seconds
since the start of a run, which for kinds that know the hour of day is midnight UTC.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.kernels import CHURN, below, operation, stream
from sottovoce.state import Doubles, Longs

HOUR = 3600.0
BINS = (0, 1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440)
"""Where the histogram of session lengths is divided, in minutes."""


class Sessions(NamedTuple):
    """When each of N nodes is online, as `Timing` has it: disjoint and in order for a node."""

    first: Longs  # [N + 1], where each node's sessions begin; empty: all are always there
    since: Doubles
    until: Doubles


@operation
def sessions(churn, nodes, seconds, run, data_dir):
    """The `Sessions` of so many nodes, clipped to [0, seconds]. Python only."""


def packed(node: Longs, since: Doubles, until: Doubles, nodes: int, seconds: float = np.inf) -> Sessions:
    """Sessions in any order, cut at 0 and `seconds`. They do not overlap; those that touch become one."""
    since, until = np.maximum(since, 0.0), np.minimum(until, seconds)
    kept = np.flatnonzero(since < until)
    kept = kept[np.lexsort((since[kept], node[kept]))]
    node, since, until = node[kept], since[kept], until[kept]
    begins = np.ones(len(node), bool)
    begins[1:] = (node[1:] != node[:-1]) | (since[1:] > until[:-1])
    first = np.searchsorted(node[begins], np.arange(nodes + 1)).astype(np.int64)
    return Sessions(first, since[begins], until[np.roll(begins, -1)])


def dealt(known: Sessions, chosen: Longs, each: int, span: float, seconds: float) -> Sessions:
    """Known nodes' sessions for others: of those chosen, every `each` in a row make up one node.

    They follow each other after `span` seconds.
    """
    lengths = np.diff(known.first)[chosen]
    place = np.repeat(np.arange(len(chosen)), lengths)
    skipped = np.cumsum(lengths) - lengths
    taken = np.arange(len(place)) - skipped[place] + known.first[chosen][place]
    later = span * (place % each)
    since, until = known.since[taken] + later, known.until[taken] + later
    return packed(place // each, since, until, len(chosen) // each, seconds)


def draws(run: int, nodes: int, count: int, step: int = 0) -> Longs:
    """A random number below `count` for every node."""
    found = (below(stream(run, CHURN, node, step), 0, count) for node in range(nodes))
    return np.fromiter(found, np.int64, nodes)


def statistics(sessions: Sessions, seconds: float) -> dict[str, Any]:
    """What Hegedűs et al. (2019) show in Figure 2, and more of it, for the first `seconds`.

    `online` is the mean share of nodes online, `online_by_hour` the same for each hour (the last one
    may be shorter), `joined_by_hour` and `left_by_hour` the shares of nodes that came or went at least
    once in it, `never` the share of those that were never there. Sessions that the window cuts at
    either end are told apart from complete ones, whose mean is too low, as long ones are often cut;
    `session_minutes`, all time online divided by the number of times a node came, has no such bias where
    nodes come and go evenly over the days. Without anything to divide by, a mean is None.
    Where all are always there, one node stands for all.
    """
    hours = max(1, int(np.ceil(seconds / HOUR)))
    edges = np.minimum(np.arange(hours + 1) * HOUR, seconds)
    if len(sessions.first) == 0:
        sessions = Sessions(np.arange(2), np.zeros(1), np.full(1, seconds))
    nodes = len(sessions.first) - 1
    node = np.repeat(np.arange(nodes), np.diff(sessions.first))
    sessions = packed(node, sessions.since, sessions.until, nodes, seconds)
    node = np.repeat(np.arange(nodes), np.diff(sessions.first))
    lengths = sessions.until - sessions.since
    came, went = sessions.since > 0, sessions.until < seconds
    complete = came & went
    together = np.diff(_before(sessions.since, edges) - _before(sessions.until, edges))
    bins = [*(b for b in BINS if b * 60 < seconds), seconds / 60]
    return {
        "online": float(lengths.sum() / (nodes * seconds)),
        "online_by_hour": (together / (nodes * np.diff(edges))).tolist(),
        "joined_by_hour": _once(node[came], sessions.since[came], hours, nodes),
        "left_by_hour": _once(node[went], sessions.until[went], hours, nodes),
        "never": float(np.mean(np.diff(sessions.first) == 0)),
        "session_minutes": _ratio(lengths.sum() / 60, int(came.sum())),
        "complete": _described(lengths[complete] / 60, bins),
        "cut": _described(lengths[~complete] / 60, bins),
        "bins_minutes": bins,
    }


def _before(times: Doubles, edges: Doubles) -> Doubles:
    """For each edge, the seconds from every earlier time until then, summed."""
    times = np.sort(times)
    total = np.concatenate(([0.0], np.cumsum(times)))
    count = np.searchsorted(times, edges)
    return edges * count - total[count]


def _once(node: Longs, when: Doubles, hours: int, nodes: int) -> list[float]:
    """The share of nodes with an event in each hour; events come in order, node by node."""
    hour = (when // HOUR).astype(np.int64)
    fresh = np.ones(len(hour), bool)
    fresh[1:] = (node[1:] != node[:-1]) | (hour[1:] != hour[:-1])
    return [count / nodes for count in np.bincount(hour[fresh], minlength=hours).tolist()]


def _described(minutes: Doubles, bins: list[float]) -> dict[str, Any]:
    counts = np.histogram(minutes, bins)[0].tolist()
    return {
        "sessions": len(minutes),
        "mean_minutes": _ratio(minutes.sum(), len(minutes)),
        "histogram": counts,
    }


def _ratio(total: float, count: int) -> float | None:
    return float(total / count) if count else None
