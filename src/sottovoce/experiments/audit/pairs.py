"""Attacks on updates of pair-wise ranking (`bpr`), which knows an item that a person has from one that is
sampled by the signs of biases, and shows the person's vector in both."""

from collections.abc import Callable, Iterator

import numpy as np

from sottovoce.evaluate.audit import changed_rows, pairs
from sottovoce.evaluate.audit import withheld as attack
from sottovoce.evaluate.audit.changes import Changes, first_rounds
from sottovoce.experiments.audit import replay
from sottovoce.experiments.audit.attacks import Named, Truth, Way
from sottovoce.experiments.audit.views import View
from sottovoce.models.bpr import BPR
from sottovoce.state import Doubles, Longs

CELLS = 2**32
"""Distances between rows that are computed; if there are more, fewer people are attacked, evenly chosen."""

Versions = Callable[[], Iterator[tuple[int, Doubles]] | None]
"""The server's models, as `replay.models` has them, from the first one on."""


def fewer(view: View, truth: Truth, cells: int = CELLS) -> View:
    """The same view of as many people as can be attacked with so many distances."""
    sampled = int((view.changes.change[:, -1] < 0).sum())
    most = max(4, len(view.person) * cells // max(1, sampled * truth.items))
    if len(view.person) <= most:
        return view
    kept = np.linspace(0, len(view.person) - 1, most).astype(np.int64)
    number = np.full(len(view.person), -1)
    number[kept] = np.arange(most)
    some = number[view.changes.target] >= 0
    changes = Changes._make(column[some] for column in view.changes)
    return view._replace(
        person=view.person[kept],
        size=view.size[kept],
        changes=changes._replace(target=number[changes.target]),
        head=None if view.head is None else view.head[kept],
        vector=None if view.vector is None else view.vector[kept],
    )


def ways(view: View, truth: Truth) -> dict[str, Way]:
    """Chances of items by which rows were sent, and by the signs of their biases."""
    shape, held = (len(view.person), truth.items), len(truth.item) / (len(truth.indptr) - 1)

    def early(rounds: int) -> Changes:
        return first_rounds(view.changes, rounds)

    return {
        "changed": lambda rounds: changed_rows.changed(early(rounds), *shape),
        "rose": lambda rounds: pairs.rose(early(rounds), *shape),
        "unseen": lambda rounds: pairs.unseen(early(rounds), *shape, held),
        "likely": lambda rounds: pairs.likely(early(rounds), *shape, held),
    }


def fell(view: View, truth: Truth) -> Named:
    """Items whose bias fell, which people do not have."""
    return "fell", lambda rounds: pairs.fell(
        first_rounds(view.changes, rounds), len(view.person), truth.items
    )


def withheld(view: View, truth: Truth, model: BPR, clock: Longs, versions: Versions) -> dict[str, Way]:
    """Items that are found between two sampled ones, alone and with those that rose.

    `clock` [n] is the version that each message is based on. Empty if the server's models are not known.
    """
    found, rose = _withheld(view, model, clock, versions), ways(view, truth)["rose"]
    if found is None:
        return {}

    def between(rounds: int) -> Doubles:
        named = np.zeros((len(view.person), truth.items))
        early = first_rounds(found, rounds)
        named[early.target, early.item] = 1
        return named

    return {
        "withheld": between,
        "everything": lambda rounds: np.maximum(between(rounds), rose(rounds)),
    }


def _withheld(view: View, model: BPR, clock: Longs, versions: Versions) -> Changes | None:
    """The changes of sampled items that show an own item, with that item in place of the sampled one, and as
    late as they show it."""
    known, again = versions(), versions()
    if known is None or again is None:
        return None
    changes, of = view.changes, clock[view.changes.message]
    before = replay.before(known, of, changes.item)
    regularization = model.user_regularization, model.negative_regularization
    points = attack.points(changes, before, model.step, *regularization)
    version, item = of[points.first], np.full(len(points.first), -1)
    order = np.argsort(version, kind="stable")
    begin = 0
    for number, rows in again:
        end = int(np.searchsorted(version[order], number, side="right"))
        some = order[begin:end]
        item[some], begin = attack.nearest(points.place[some], rows[:, :-1]), end
    there = item >= 0
    found = Changes._make(column[points.first[there]] for column in changes)
    return found._replace(item=item[there], time=changes.time[points.second[there]])
