"""What else is private: a person's vector, update, head and number of instances, as Table 1 of Perifanis and
Efraimidis (2022) lists them. The truth is that of the observed rounds, run again."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sottovoce.evaluate.audit import (
    changed_rows,
    instances,
    membership,
    scored,
    statistics,
    vectors,
    whole_updates,
)
from sottovoce.evaluate.audit.changes import Changes, summed
from sottovoce.evaluate.audit.figures import Figure
from sottovoce.experiments.audit.again import Again
from sottovoce.experiments.audit.attacks import Truth, plain
from sottovoce.experiments.audit.records import Records, Sum
from sottovoce.experiments.audit.views import View
from sottovoce.models._product import Product
from sottovoce.models.als import ALS, known_part
from sottovoce.models.bpr import BPR
from sottovoce.models.mf import MF
from sottovoce.state import Doubles, Floats, slots_of

CELLS = 2**26
"""Numbers in a matrix of people and all numbers of a model; with more, fewer people are compared."""


def entries(view: View, truth: Truth, again: Again) -> list[dict[str, Any]]:
    """The figures that the view and the model allow."""
    found = [*_vectors(view, truth, again)]
    if again.sent is not None:
        said = view.size if view.updates else np.zeros(len(view.person), np.int64)
        found.append(_entry("instances", view, "sent number", _instances(view, said, again.sent)))
    if again.raw is not None and (view.updates or again.raw is again.sent):
        found += _updates(view, truth.items, again.raw)
    return found


def _vectors(view: View, truth: Truth, again: Again) -> list[dict[str, Any]]:
    network, found = again.network, []
    true = _shared(again, view)
    if true is not None and len(view.changes.item):
        guess = vectors.directions(view.changes, len(view.person), true.shape[1])
        found.append(_entry("vector", view, "direction", vectors.attack(guess, true, view.person)))
    if true is not None and isinstance(network.model, ALS) and view.updates and view.head is not None:
        guess, _ = statistics.in_heads(view.head.astype(np.float64), network.model.factors)
        found.append(_entry("vector", view, "head", vectors.attack(guess, true, view.person)))
    if view.vector is not None:
        user = network.people.user[view.person].astype(np.float64)
        one = vectors.attack(view.vector.astype(np.float64), user, view.person)
        found.append(_entry("vector", view, "sent vector", one))
        rated = scored.scores(
            network.model, network.tables, network.people, view.person, view.vector, truth.items
        ).astype(np.float64)
        own = truth.own(view.person)
        top = changed_rows.attack("sent vector", rated, own.sum(axis=1), own, view.person)
        about = {"attack": "items", "observer": view.name, "way": "sent vector", "rounds": view.rounds}
        curve = {"rounds": view.rounds, **{name: plain(figure) for name, figure in top._asdict().items()}}
        found.append({**about, **curve, "over_rounds": [curve]})
        told = membership.attack(rated, own, view.person)
        figures = {name: plain(getattr(told, name)) for name in ("auc", "precision", "recall")}
        curve = {
            "rounds": view.rounds,
            **figures,
            "recall_at_1_percent_false_alarms": told.at_few_alarms,
        }
        found.append({**about, "attack": "membership", **curve, "over_rounds": [curve]})
    return found


def _shared(again: Again, view: View) -> Doubles | None:
    """[P, k]: the vector along which each person's rows move; None if the model has none."""
    network = again.network
    model, user = network.model, network.people.user[view.person].astype(np.float64)
    if isinstance(model, MF | ALS | BPR):
        return user[:, : model.factors]
    if isinstance(model, Product):
        slot = slots_of(network.people)[view.person]
        return np.asarray(user[:, : model.product] * network.tables.head[slot, : model.product])
    return None


def singled(sums: Sequence[Sum], truth: Truth, again: Again) -> list[dict[str, Any]]:
    """Single people in the sums of groups, if the model is solved from sums: by both ways, in the last round
    that was observed, because everybody's vectors are known of that one. What the model adds to rows is taken
    out of them, because everybody has the model."""
    model = again.network.model
    if not isinstance(model, ALS):
        return []
    last, entries = max((one.round for one in sums), default=0), []
    for way in (statistics.alone, statistics.differences):
        seen = []
        for one in sums:
            if one.round == last:
                rows = one.rows[:, : model.factors].astype(np.float64)
                if last > 1 and again.before is not None:
                    table, head = (part.astype(np.float64) for part in again.before)
                    vectors = table[one.items, : model.factors]
                    counts = one.counts[one.items].astype(np.float64)
                    rows = statistics.without_model(rows, counts, vectors, *known_part(model, head))
                true = again.network.people.user[one.senders, : model.factors].astype(np.float64)
                found = way(one.items, rows, one.counts[one.items])
                seen.append(statistics.Seen(found, true, truth.own(one.senders), one.senders))
        if seen:
            told = statistics.attack(seen)
            right = None if math.isnan(told.right) else told.right
            curve = {"rounds": 1, "right": right} | {
                name: plain(getattr(told, name)) for name in ("people", "precision", "recall")
            }
            about = {"attack": "singled", "observer": "group", "way": way.__name__}
            entries.append({**about, **curve, "over_rounds": [curve]})
    return entries


def _instances(view: View, said: Any, sent: Records) -> Figure:
    true = np.zeros(int(max(sent.sender.max(), view.person.max())) + 1, np.int64)
    true[sent.sender] = sent.size
    return instances.attack(said, true[view.person], view.person)


def _updates(view: View, items: int, raw: Records) -> list[dict[str, Any]]:
    """How much of people's updates and heads is seen, of people who sent one."""
    width = raw.rows.shape[1]
    took = np.flatnonzero(np.isin(view.person, raw.sender))
    most = max(2, CELLS // (items * width))
    if len(took) > most:
        took = took[np.linspace(0, len(took) - 1, most).astype(np.int64)]
    if len(took) < 2:
        return []
    first = raw.clock.max() == 0  # only the first aggregation is known
    place = np.full(len(view.person), -1)
    place[took] = np.arange(len(took))
    of = place[view.changes.target]
    kept = (of >= 0) & (view.changes.message < len(raw.round) if first else True)
    some = Changes._make(column[kept] for column in view.changes)._replace(target=of[kept])
    seen = _matrix(some, len(took), items)
    # The same person may be a target of several observers.
    persons, number = np.unique(view.person[took], return_inverse=True)
    where = np.full(int(max(raw.sender.max(), persons.max())) + 1, -1)
    where[persons] = np.arange(len(persons))
    whose = where[raw.sender[raw.message]]
    there = whose >= 0
    every = Changes(whose[there], *(raw.message[there],) * 2, raw.ids[there], raw.rows[there], raw.age[there])
    true = _matrix(every, len(persons), items)[number]
    entries = [_entry("rows", view, "changes", whole_updates.attack(seen, true, view.person[took]))]
    if view.head is not None and raw.head.shape[1] and not first:
        heads = np.zeros((len(persons), raw.head.shape[1]), np.float32)
        mine = where[raw.sender] >= 0
        np.add.at(heads, where[raw.sender[mine]], raw.head[mine])
        one = whole_updates.attack(view.head[took], heads[number], view.person[took])
        entries.append(_entry("head", view, "changes", one))
    return entries


def _matrix(changes: Changes, targets: int, items: int) -> Floats:
    """[targets, items · w]: what each target changed in all."""
    columns = [
        summed(changes, column.astype(np.float64), targets, items).astype(np.float32)
        for column in changes.change.T
    ]
    return np.stack(columns, axis=2).reshape(targets, -1)


def _entry(attack: str, view: View, way: str, figure: Figure) -> dict[str, Any]:
    name = {"instances": "right", "vector": "likeness", "rows": "likeness", "head": "likeness"}[attack]
    curve = {"rounds": view.rounds, name: plain(figure)}
    return {"attack": attack, "observer": view.name, "way": way, **curve, "over_rounds": [curve]}
