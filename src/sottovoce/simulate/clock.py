"""The clock of a network: who is online when, and how long a transfer takes."""

from pathlib import Path
from typing import Any

from sottovoce.simulate.churn.interface import sessions
from sottovoce.simulate.links.interface import speeds
from sottovoce.timing import Timing


def clock(
    links: Any, churn: Any, nodes: int, rounds: int, run: int, data_dir: str | Path | None = None
) -> Timing:
    """The clock of a network with these links, whose nodes come and go as `churn` says."""
    upload, download = speeds(links, nodes, run)
    place = None if data_dir is None else Path(data_dir)
    there = sessions(
        churn, nodes, (rounds + 1) * links.transfer, run, place
    )  # one round more, to see its end
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
