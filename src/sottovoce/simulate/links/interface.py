"""What lies between nodes. One file per kind; what it consists of is declared here.

Links are a `NamedTuple` of parameters, registered with `@component("links", name)`. Every kind has

    transfer  seconds that a full model takes on an ordinary link, which is what a round means then
    latency   seconds that a message takes beside its transfer
    loss      the share of messages that get lost

Without links in a recipe there is no time: in each round everybody sends at once.
"""

from pathlib import Path
from typing import Any

from sottovoce.kernels import operation
from sottovoce.simulate.churn.interface import sessions
from sottovoce.timing import Timing


@operation
def speeds(links, nodes, run):
    """Everybody's upload and download against an ordinary link's, two arrays. Python only."""


def clock(
    links: Any, churn: Any, nodes: int, rounds: int, run: int, data_dir: str | Path | None = None
) -> Timing:
    """The clock of a network with these links, whose nodes come and go as `churn` says."""
    upload, download = speeds(links, nodes, run)
    there = sessions(churn, nodes, (rounds + 1) * links.transfer, run, data_dir)  # one more, to see its end
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
