"""Statistics of sessions: how many nodes are online, and for how long."""

from typing import Any

import numpy as np

from sottovoce.simulate.churn.interface import Sessions
from sottovoce.simulate.churn.packing import packed
from sottovoce.state import Doubles, Longs

HOUR = 3600.0
BINS = (0, 1, 2, 5, 10, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440)
"""Edges of the histogram of session lengths, in minutes."""


def statistics(sessions: Sessions, seconds: float) -> dict[str, Any]:
    """The statistics of Figure 2 in Hegedűs et al. (2019), and more, for the first `seconds`.

    - `online`: the mean share of nodes online; `online_by_hour`: the same for each hour (the last one
      may be shorter).
    - `joined_by_hour`, `left_by_hour`: the shares of nodes that came or went at least once in the hour.
    - `never`: the share of nodes that were never online.
    - `complete` and `cut`: lengths of sessions inside the window, and of those that the window cuts at
      either end. The mean of complete sessions is too low, because long sessions are cut more often.
    - `session_minutes`: all time online divided by the number of times a node came. This mean has no such
      bias if nodes come and go evenly over the days.

    A mean over nothing is None. If all nodes are always online, one node stands for all.
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
    """For each edge, the sum of (edge − time) over all earlier times, in seconds."""
    times = np.sort(times)
    total = np.concatenate(([0.0], np.cumsum(times)))
    count = np.searchsorted(times, edges)
    return edges * count - total[count]


def _once(node: Longs, when: Doubles, hours: int, nodes: int) -> list[float]:
    """The share of nodes with an event in each hour. Events are sorted by node, then by time."""
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
