"""Churn from a file that lists when nodes are online.

The file has the header `node,from,until` and one row per session, in any order: a number or name of the node,
and the begin and end of the session in seconds since the start of the run. It may be gzipped (`.csv.gz`).
Sessions of a node that touch are joined. Overlapping ones are refused: two devices may share a name, or the
times are wrong. A node that is never online has a row with two equal times. After its last session a node
stays offline.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import find, table
from sottovoce.errors import DataError
from sottovoce.registry import component
from sottovoce.simulate.churn.interface import Sessions, sessions
from sottovoce.simulate.churn.packing import dealt, draws, packed

COLUMNS = ("node", "from", "until")


@component("churn", "trace")
class Trace(NamedTuple):
    """Sessions from a file.

    The simulated nodes get the nodes of the file in the order of their names. If there are more nodes than
    in the file, each of the others gets a random one.
    """

    path: str
    """A CSV file with the columns node, from and until; times are in seconds."""


@sessions.rule(Trace)
def _sessions(churn: Trace, nodes: int, seconds: float, run: int, data_dir: Path | None) -> Sessions:
    path = find.file(churn.path, data_dir)
    known = read(path)
    if not (known.since < seconds).any():
        raise DataError(
            f"{path} has no session in the {seconds:g} seconds of the run.",
            "Write times as seconds since the start of the run: subtract the time at which it starts.",
        )
    count = len(known.first) - 1
    chosen = np.arange(nodes)
    if nodes > count:
        chosen[count:] = draws(run, nodes, count)[count:]
    return dealt(known, chosen, 1, 0.0, seconds)


def read(path: Path) -> Sessions:
    """All sessions of a file. Each name in it is one node."""
    content = table.read_text(path, ",", header=True, fields=len(COLUMNS))
    if tuple(content.frame.columns) != COLUMNS:
        raise DataError(f"{path}, line 1 does not name the expected columns.", f"Write: {','.join(COLUMNS)}.")
    names, node = np.unique(content.ids(0, "node"), return_inverse=True)
    since, until = (content.numbers(at, "time") for at in (1, 2))

    def refuse(bad: NDArray[np.bool_], rows: NDArray[np.intp], problem: str, remedy: str) -> None:
        if bad.any():
            row = int(rows[np.argmax(bad)])
            times = f"from {since[row]:g} until {until[row]:g}"
            raise DataError(f"{content.place(row)} {problem}: node {names[node[row]]} {times}.", remedy)

    rows = np.arange(len(node))
    refuse(
        since < 0, rows, "begins before the run", "Write times as seconds since the start of the run, from 0."
    )
    refuse(until < since, rows, "ends before it begins", "Write the earlier time first.")
    order = np.lexsort((until, since, node))
    order = order[since[order] < until[order]]
    again = (node[order][1:] == node[order][:-1]) & (since[order][1:] < until[order][:-1])
    remedy = "Join the two sessions, or give the second device another name."
    refuse(again, order[1:], "overlaps with another session", remedy)
    return packed(node, since, until, len(names))
