"""The attack on ratings: changes of rows by `mf`, the rows before them, and the ratings of the data."""

from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.audit import ratings
from sottovoce.evaluate.audit.figures import over_people
from sottovoce.experiments.audit.attacks import plain, some_rounds
from sottovoce.experiments.audit.views import View
from sottovoce.models.mf import MF
from sottovoce.state import Doubles, Floats, Longs

WHY = "The attack on ratings was not made: "


def attack(view: View, model: Any, train: Interactions, rows: Floats | Doubles | None) -> Any:
    """The figures of all ways, or a sentence that says why there are none.

    `rows` [R, w] are the rows before each change of the view.
    """
    if not isinstance(model, MF):
        return f"{WHY}it is for the model mf, whose updates are those of a plain gradient step."
    if model.decay > 0:
        return f"{WHY}with a decay, the step depends on ages that updates do not hold."
    if rows is None:
        return (
            f"{WHY}it needs all updates from the first round on (privacy.observe.rounds = [1, …]), models in "
            "float32, and an aggregation that does not weigh rows by their change."
        )
    changes = view.changes
    trained = changes.growth > 0
    order = np.lexsort((np.arange(len(changes.item)), changes.message, changes.target))
    order = order[trained[order]]
    target, time, item = (column[order] for column in (changes.target, changes.time, changes.item))
    change, rows = changes.change[order].astype(np.float64), rows[order].astype(np.float64)
    true = _rated(train, view.person[target], item)
    settings: dict[str, Any] = {"step": model.step, "regularization": model.regularization}
    known = ~np.isnan(true)
    if not known.any():
        return f"{WHY}no message holds a row of an item that its sender rated."
    # An update is the result of all epochs of a training; in models, each epoch makes a row older by one.
    epochs = model.epochs if view.updates else changes.growth[order].astype(np.float64)
    found = ratings.with_biases(target, rows, change, **settings, epochs=epochs, bias=train.scale[0] / 2)
    found = found.clip(*train.scale)
    possible = np.unique(train.value).astype(np.float64)
    curve = []
    for rounds in some_rounds(view.rounds):
        early = known & (time < rounds)
        if not early.any():
            continue
        estimate, truth, who = _mean_of_each(target[early], item[early], found[early], true[early])
        one = ratings.measure(estimate, truth, who, view.person, possible)
        curve.append({"rounds": rounds, **_plain(one)})
    parallel = ratings.parallel(target, change[:, :-1] + model.step * model.regularization * rows[:, :-1])
    share = over_people(parallel, np.full(len(parallel), np.nan), view.person[: len(parallel)])
    entries = [_entry("biases", view, model, curve) | {"along_one_direction": plain(share)}]
    place, other = _first_two(target, time, item) if view.updates else (order[:0], order[:0])
    place, other = place[known[place]], other[known[place]]
    if len(place):
        some, number = np.unique(target[place], return_inverse=True)
        pairs = (
            (rows[place, :-1], rows[other, :-1]),
            (change[place, :-1], change[other, :-1]),
        )
        # The attack knows no biases. The item's one is known, and the person's one is taken as it starts.
        estimate = ratings.two_steps(number, *pairs, **settings)[0] + rows[place, -1] + train.scale[0] / 2
        one = ratings.measure(estimate, true[place], number, view.person[some], possible)
        entries.append(_entry("two steps", view, model, [{"rounds": 2, **_plain(one)}]))
    return entries


def _entry(way: str, view: View, model: MF, curve: list[dict[str, Any]]) -> dict[str, Any]:
    about = {"attack": "ratings", "observer": view.name, "way": way, "model": "mf", "epochs": model.epochs}
    return {**about, **curve[-1], "over_rounds": curve}


def _plain(one: ratings.Rated) -> dict[str, Any]:
    return {name: plain(figure) for name, figure in one._asdict().items()}


def _rated(train: Interactions, person: Longs, item: Longs) -> Doubles:
    """[R]: the rating of each pair; NaN if there is none."""
    key = train.owner * train.items + train.item
    order = np.argsort(key, kind="stable")
    wanted = person * train.items + item
    place = order[np.searchsorted(key[order], wanted).clip(0, len(key) - 1)]
    return np.where(key[place] == wanted, train.value[place].astype(np.float64), np.nan)


def _mean_of_each(
    target: Longs, item: Longs, found: Doubles, true: Doubles
) -> tuple[Doubles, Doubles, Longs]:
    """The mean of what was found for each pair of target and item, the truth, and the target."""
    pair = np.stack([target, item], axis=1)
    every, first, place, count = np.unique(
        pair, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return np.bincount(place.ravel(), found) / count, true[first], every[:, 0]


def _first_two(target: Longs, time: Longs, item: Longs) -> tuple[Longs, Longs]:
    """The places of rows that are in the updates of the first and of the second observed round."""
    one, other = (np.flatnonzero(time == round) for round in (0, 1))
    key = target * (item.max() + 1) + item
    _, mine, theirs = np.intersect1d(key[one], key[other], return_indices=True)
    order = np.argsort(one[mine])
    return one[mine][order], other[theirs][order]
