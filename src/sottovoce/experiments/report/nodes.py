"""What nodes did: who is listened to, how alike peers are, when each converged, and what it computed."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.experiments.pages import plots
from sottovoce.experiments.report.gaps import filled
from sottovoce.experiments.report.layout import NONE, Cell, Column, Figure, Grid, Part, Section, Table
from sottovoce.experiments.report.methods import Method, Study
from sottovoce.experiments.runs.machine import duration


class _Kind(NamedTuple):
    """A figure that every node has."""

    title: str
    axis: str
    caption: str
    show: Callable[[float], str]


def _count(value: float) -> str:
    return f"{value:,.1f}"


def _work(value: float) -> str:
    return f"{1000 * value:.1f} ms" if value < 0.1 else duration(value)


KINDS = {
    "listeners": _Kind(
        "Who is listened to",
        "nodes that talk to a node",
        "How many other nodes have this node among their peers at the end.",
        _count,
    ),
    "received": _Kind(
        "Models received", "models received by a node", "Each is merged and trained on.", _count
    ),
    "converged": _Kind(
        "When nodes converge",
        "round in which a node is best",
        "The evaluation in which a node's model was best on its own weighting set (a validation set: items "
        "that the node judges models by, and does not train on).",
        _count,
    ),
    "seconds": _Kind(
        "What a node computes",
        "seconds of work of a node",
        "Merging, judging and training for the whole run, by the clock of the machine that simulated it.",
        _work,
    ),
}


_TALK = "listeners", "seconds"


def section(study: Study) -> list[Section]:
    """Distributions over nodes, and how alike peers are; nothing if nodes do not talk to each other."""
    talking = [m for m in study.methods if any(name in nodes for nodes in _all(m) for name in _TALK)]
    if not talking:
        return []
    drawn = [
        figure
        for name, kind in KINDS.items()
        if (figure := _distribution(name, kind, talking, len(study.seeds) > 1)) is not None
    ]
    parts: list[Part] = [*filled(_table(talking)), *([Grid(drawn, small=len(drawn) > 2)] if drawn else [])]
    return [Section("What nodes did", parts)]


def _all(method: Method) -> list[dict[str, NDArray[np.float64]]]:
    return list(method.nodes.values())


def _values(method: Method, name: str) -> NDArray[np.float64]:
    """A figure of all nodes that have it, under all seeds."""
    columns = [nodes[name] for nodes in _all(method) if name in nodes]
    values: NDArray[np.float64] = np.concatenate([np.empty(0), *columns])
    return values[np.isfinite(values)]


def _distribution(name: str, kind: _Kind, methods: list[Method], several: bool) -> Figure | None:
    groups = {m.name: values for m in methods if len(values := _values(m, name))}
    if not any(np.ptp(values) > 0 for values in groups.values()):
        return None
    drawn = plots.distribution(f"nodes-{name}", kind.axis, groups, percent=False, who="nodes")
    caption = f"{kind.caption} The height is the share of nodes with at most this value."
    caption += " All seeds are taken together." if several else ""
    return Figure(
        f"nodes-{name}", kind.title, drawn, caption, kind.axis, "share of nodes", plots.cumulative(groups)
    )


def _table(methods: list[Method]) -> Table:
    columns = [Column("", ("name",)), *(Column(kind.axis, ("", "low", "high")) for kind in KINDS.values())]
    columns += [Column("likeness with peers", ("",)), Column("with anybody", ("",))]
    rows = []
    for method in methods:
        cells = [Cell(method.name)]
        for name, kind in KINDS.items():
            values = _values(method, name)
            if not len(values):
                cells.append(Cell(NONE, values=("", "", "")))
                continue
            low, high = (float(q) for q in np.quantile(values, [0.1, 0.9]))
            mean = float(values.mean())
            cells.append(Cell(kind.show(mean), f"{kind.show(low)} to {kind.show(high)}", (mean, low, high)))
        for name in ("likeness", "chance likeness"):
            values = _values(method, name)
            alike = float(values.mean()) if len(values) else None
            cells.append(Cell(NONE if alike is None else f"{alike:.3f}", values=(alike,)))
        rows.append(cells)
    caption = (
        "Means over nodes, and the range of the middle four fifths. Likeness is the cosine between the items "
        "that two people trained on: of a node and its peers at the end, and of a node and as many random "
        "others."
    )
    return Table("nodes", columns, rows, caption)
