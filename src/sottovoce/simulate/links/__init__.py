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
from sottovoce.simulate.churn import sessions
from sottovoce.timing import Timing


@operation
def speeds(links, nodes, run):
    """Everybody's upload and download against an ordinary link's, two arrays. Python only."""


def clock(links: Any, churn: Any, nodes: int, rounds: int, run: int, data_dir: Path | None = None) -> Timing:
    """The clock of a network with these links, whose nodes come and go as `churn` says."""
    upload, download = speeds(links, nodes, run)
    first, since, until = sessions(churn, nodes, rounds * links.transfer, run, data_dir)
    ordinary = 1 / links.transfer
    return Timing(
        first,
        since,
        until,
        upload=upload * ordinary,
        download=download * ordinary,
        latency=links.latency,
        loss=links.loss,
        round=links.transfer,
        timed=True,
    )
