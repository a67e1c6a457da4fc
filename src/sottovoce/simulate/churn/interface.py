"""What churn is: when nodes are online.

A kind of churn is a `NamedTuple` of parameters, registered with `@component("churn", name)`. Times are
seconds since the start of a run. For kinds that depend on the hour of day, a run starts at midnight UTC.
"""

from pathlib import Path
from typing import Any, NamedTuple

from sottovoce.kernels import operation
from sottovoce.state import Doubles, Longs


class Sessions(NamedTuple):
    """When each of N nodes is online, in seconds. A node's sessions are disjoint and sorted by time.

    Node n has the sessions `first[n]` to `first[n + 1] − 1`. An empty `first` means that all nodes are
    always online.
    """

    first: Longs  # [N + 1], or [0]
    since: Doubles  # [sessions], when each begins
    until: Doubles  # [sessions], when each ends


@operation
def sessions(churn: Any, nodes: int, seconds: float, run: int, data_dir: Path | None) -> Sessions:
    """The `Sessions` of `nodes` nodes, clipped to [0, seconds]. `run` seeds random numbers. Python only."""
