"""Churn by periods: in each period of the same length, every node is offline with the same chance.

Periods of all nodes begin together. With the length of a sweep of `consensus` as the period, or a hair less,
that part of the people misses each sweep. With a hair more, they would leave right after a sweep has begun.
"""

from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.kernels import CHURN, driver, prange, stream, uniform
from sottovoce.registry import component
from sottovoce.simulate.churn.interface import Sessions, sessions
from sottovoce.simulate.churn.packing import packed
from sottovoce.state import Doubles


@component("churn", "periods")
class Periods(NamedTuple):
    """A random part of the nodes is offline in each period."""

    offline: Annotated[float, Ge(0), Lt(1)] = 0.3
    """The chance that a node is offline in a period."""
    period: Annotated[float, Gt(0)] = 1728.0
    """The length of a period, in seconds."""


@driver
def _draw(run, offline, online):
    """Write who is online in which period, [nodes, periods]."""
    for node in prange(len(online)):
        for period in range(online.shape[1]):
            online[node, period] = uniform(stream(run, CHURN, node, period), 0) >= offline


@sessions.rule(Periods)
def _sessions(churn: Periods, nodes: int, seconds: float, run: int, data_dir: Path | None) -> Sessions:
    online = np.empty((nodes, int(np.ceil(seconds / churn.period))), np.bool_)
    _draw(run, churn.offline, online, batch=nodes)
    node, period = np.nonzero(online)
    begins: Doubles = churn.period * np.arange(online.shape[1] + 1, dtype=np.float64)
    return packed(node, begins[period], begins[period + 1], nodes, seconds)
