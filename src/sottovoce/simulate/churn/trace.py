"""When nodes are online, read from a file.

The file has a header `node,from,until` and a row per session, in any order: who (a number or a name),
and from when until when, in seconds since the start of the run. It may be compressed (`.csv.gz`).
Sessions of a node that touch are one. Those that overlap are refused, because then two devices share a
name, or times are not what they seem. A node that is never online has a row in which both times are
equal. After its last session a node stays away, however long the run.
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

    Nodes take the traces of the file in the order of their names. If there are more nodes than
    traces, the others use traces again, each a random one.
    """

    path: str
    """A csv file with the columns node, from, until, in seconds."""


@sessions.rule(Trace)
def _sessions(churn, nodes, seconds, run, data_dir):
    path = find.file(churn.path, data_dir)
    known = read(path)
    if not (known.since < seconds).any():
        raise DataError(
            f"{path} has no session in the {seconds:g} seconds of the run.",
            "Times are seconds since the start of the run: subtract the time at which it shall start.",
        )
    count = len(known.first) - 1
    chosen = np.arange(nodes)
    if nodes > count:
        chosen[count:] = draws(run, nodes, count)[count:]
    return dealt(known, chosen, 1, 0.0, seconds)


def read(path: Path) -> Sessions:
    """The sessions of a file, uncut, a node for each name in it."""
    content = table.read_text(path, ",", header=True, fields=len(COLUMNS))
    if tuple(content.frame.columns) != COLUMNS:
        raise DataError(
            f"{path}, line 1 does not name the columns expected.", f"They are: {','.join(COLUMNS)}."
        )
    names, node = np.unique(content.ids(0, "node"), return_inverse=True)
    since, until = (content.numbers(at, "time") for at in (1, 2))

    def refuse(bad: NDArray[np.bool_], rows: NDArray[np.intp], problem: str, remedy: str) -> None:
        if bad.any():
            row = int(rows[np.argmax(bad)])
            times = f"from {since[row]:g} until {until[row]:g}"
            raise DataError(f"{content.place(row)} {problem}: node {names[node[row]]} {times}.", remedy)

    rows = np.arange(len(node))
    refuse(since < 0, rows, "begins before the run", "Times count from the start of the run, which is 0.")
    refuse(until < since, rows, "ends before it begins", "Exchange the times, or correct them.")
    order = np.lexsort((until, since, node))
    order = order[since[order] < until[order]]
    again = (node[order][1:] == node[order][:-1]) & (since[order][1:] < until[order][:-1])
    remedy = "Make one session of both, or give the second device a name of its own."
    refuse(again, order[1:], "overlaps with another session", remedy)
    return packed(node, since, until, len(names))
