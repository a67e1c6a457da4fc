"""Which items does a person have? Two sampled items in a row tell which own item was between them.

Of a triple (i, j) of pair-wise ranking (`bpr`), a step may withhold how row i changes. How row j changes is
sent, and it holds the person's private vector pᵤ: with the pull g α = −Δbⱼ,

    pᵤ = −(Δqⱼ + α λⱼ qⱼ) / (g α).

The next triple shows the vector that this one left behind, p′ᵤ. So the server, which knows qⱼ because it sent
it, solves the rule by which the vector learns for the one thing that it does not know:

    qᵢ = (p′ᵤ − (1 − α λᵤ) pᵤ) / (g α) + qⱼ.

The item is the one whose row lies there. If no row is ten times as near as all others, something is between
the two that was not seen, such as an item that was sampled twice, and nothing is named. Needed is the order
of triples: rows of an update are in the order in which they changed first, and updates in that in which they
came.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.changes import Changes
from sottovoce.state import Doubles, Longs

NEARER = 10.0
"""How many times as near as the second one the nearest row has to be."""
BLOCK = 2**23
"""Distances that are held at a time."""


class Points(NamedTuple):
    """Where rows of withheld items lie, found from pairs of changes."""

    first: Longs
    """[n]: the change of the sampled item of the same triple; the row is one of the model it is based on."""
    second: Longs
    """[n]: the change of the sampled item of the next triple."""
    place: Doubles
    """[n, k]: qᵢ."""


def points(changes: Changes, before: Doubles, step: float, user: float, negative: float) -> Points:
    """What was between each two sampled items in a row of the same target.

    `before` [R, w] are the rows before they changed, `step` is α, `user` λᵤ and `negative` λⱼ.
    """
    down = np.flatnonzero(changes.change[:, -1] < 0)
    order = down[np.argsort(changes.target[down], kind="stable")]
    same = changes.target[order[:-1]] == changes.target[order[1:]]
    first, second = order[:-1][same], order[1:][same]
    change, rows = changes.change.astype(np.float64), before[:, :-1]
    pull = np.where(change[:, -1] < 0, -change[:, -1], 1)[:, None]
    vector = -(change[:, :-1] + step * negative * rows) / pull
    moved = vector[second] - (1 - step * user) * vector[first]
    return Points(first, second, moved / pull[first] + rows[first])


def nearest(place: Doubles, rows: Doubles) -> Longs:
    """[n]: which of `rows` [N, k] is at each `place` [n, k]; −1: none of them."""
    if len(rows) < 2 or not len(place):
        return np.full(len(place), -1)
    lengths, found = (rows**2).sum(axis=1), []
    for begin in range(0, len(place), size := max(1, BLOCK // len(rows))):
        some = place[begin : begin + size]
        apart = lengths - 2 * some @ rows.T + (some**2).sum(axis=1)[:, None]
        every, one = np.arange(len(some)), apart.argmin(axis=1)
        closest = ((some - rows[one]) ** 2).sum(axis=1)  # without the rounding of the three sums
        apart[every, one] = np.inf
        found.append(np.where(NEARER**2 * closest < apart.min(axis=1), one, -1))
    return np.concatenate(found)
