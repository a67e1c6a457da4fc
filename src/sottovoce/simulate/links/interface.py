"""What links are: the speed of the connections between nodes.

A kind of links is a `NamedTuple` of parameters, registered with `@component("links", name)`. Every kind has

    transfer  seconds that a full model takes on an ordinary link; also the length of a round
    latency   seconds that a message takes in addition to its transfer
    loss      the share of messages that are lost

Without links in a recipe there is no virtual time: in each round all nodes send at once.
"""

from pathlib import Path
from typing import Any

from sottovoce.kernels import operation
from sottovoce.simulate.churn.interface import sessions
from sottovoce.timing import Timing


@operation
def speeds(links, nodes, run):
    """Upload and download speeds relative to an ordinary link: two arrays [nodes]. Python only."""


def clock(
    links: Any, churn: Any, nodes: int, rounds: int, run: int, data_dir: str | Path | None = None
) -> Timing:
    """The timing of a network with these links and this churn. `run` seeds random numbers."""
    upload, download = speeds(links, nodes, run)
    there = sessions(
        churn, nodes, (rounds + 1) * links.transfer, run, data_dir
    )  # one round more than needed, to see its end
    return Timing(
        first=there.first,
        since=there.since,
        until=there.until,
        upload=upload / links.transfer,
        download=download / links.transfer,
        latency=links.latency,
        loss=links.loss,
        round=links.transfer,
        timed=True,
    )
