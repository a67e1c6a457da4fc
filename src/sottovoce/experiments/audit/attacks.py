"""Which attacks are made on which view, and their figures as plain Python for `audit.json`."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sottovoce.evaluate.audit import changed_rows, communities, complement, last_one, membership
from sottovoce.evaluate.audit.changes import Changes, first_rounds
from sottovoce.evaluate.audit.figures import Figure, over_people
from sottovoce.experiments.audit.records import Records, Sum
from sottovoce.experiments.audit.views import View
from sottovoce.state import Bools, Doubles, Longs

_OF_UPDATES = ("changed", "repeated", "every", "length", "side", "never")
_OF_MODELS = ("changed", "repeated", "length", "age", "unusual", "never")
DECRYPTED = ("decrypting", "decrypting together")
SUMS = ("participant", "participants", *DECRYPTED, "sums", "group")
"""Views that see sums of several people's updates."""
_OF_SUMS = ("changed", "repeated", "every", "length", "unusual", "side")


class Truth(NamedTuple):
    """What the observer wants to know, from the data of the run."""

    indptr: Longs
    item: Longs
    items: int

    def own(self, person: Longs) -> Bools:
        """[P, items]: what each of these people trained on."""
        found = np.zeros((len(person), self.items), np.bool_)
        count = np.diff(self.indptr)[person]
        place = np.repeat(self.indptr[person] - np.cumsum(count) + count, count) + np.arange(count.sum())
        found[np.repeat(np.arange(len(person)), count), self.item[place]] = True
        return found


def plain(figure: Figure) -> dict[str, float | int | None]:
    """A figure for JSON, where what does not exist is null."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in figure._asdict().items()
    }


def some_rounds(rounds: int) -> list[int]:
    """Numbers of rounds up to `rounds` at which leakage is measured: 1, 2, 5, 10, 20, … and `rounds`."""
    steps = (lead * 10**power for power in range(9) for lead in (1, 2, 5))
    return [*(step for step in steps if step < rounds), rounds]


Way = Callable[[int], Doubles]
"""Scores [P, items] of a view's targets after so many observed rounds."""
Named = tuple[str, Way]
"""A way with its name."""


def ways(view: View, truth: Truth, withheld: bool = False) -> dict[str, Way]:
    """The ways to find items that suit a view, whatever the model is; `withheld`: own rows may stay away."""

    def after(way: str) -> Way:
        return lambda rounds: changed_rows.WAYS[way](
            first_rounds(view.changes, rounds), len(view.person), truth.items
        )

    suitable = _OF_SUMS if view.name in SUMS else _OF_UPDATES if view.updates else _OF_MODELS
    rare = ("rare side",) if withheld and view.updates else ()
    return {way: after(way) for way in (*suitable, *rare)}


def items(view: View, truth: Truth, ways: Mapping[str, Way], count: Longs) -> list[dict[str, Any]]:
    """Which items people have, by every way, after some numbers of rounds.

    `count` [P] is how many items each target is known to have.
    """
    own, found = truth.own(view.person), []
    for way, after in ways.items():
        curve = []
        for rounds in some_rounds(view.rounds):
            one = changed_rows.attack(way, after(rounds), count, own, view.person)
            curve.append({"rounds": rounds, **{name: plain(f) for name, f in one._asdict().items()}})
        found.append(_entry("items", view, way, curve))
    return found


def mean_count(view: View, truth: Truth) -> Longs:
    """[P]: how many items people have on average, which is known where steps keep each person's number."""
    return np.full(len(view.person), max(1, round(len(truth.item) / (len(truth.indptr) - 1))))


def count(view: View, per_item: int) -> Longs:
    """[P]: how many items each target has, as the sizes that are sent with messages tell.

    `per_item` is how many training instances there are for each item of a person.
    """
    return np.maximum(1, view.size // (per_item if view.updates else 1))


def members(view: View, truth: Truth, after: Way, way: str) -> dict[str, Any]:
    """Whether a person has an item, by the scores of one way."""
    own, curve = truth.own(view.person), []
    for rounds in some_rounds(view.rounds):
        one = membership.attack(after(rounds), own, view.person)
        rest = {name: plain(getattr(one, name)) for name in ("auc", "precision", "recall")}
        few = None if math.isnan(one.at_few_alarms) else one.at_few_alarms
        curve.append({"rounds": rounds, **rest, "recall_at_1_percent_false_alarms": few})
    return _entry("membership", view, way, curve)


def announced_rows(vectors: Records, truth: Truth) -> dict[str, Any]:
    """Whether people's masked vectors tell which of the rows that their group sums are of items they have, by
    how far each moves. What a group sums, everybody in it has in common, and does not count."""
    group, rounds = (
        vectors.clock * (int(-vectors.observer.min()) + 1) - vectors.observer,
        np.unique(vectors.round),
    )
    length, curve = np.linalg.norm(vectors.rows.astype(np.float64), axis=1), []
    for count in some_rounds(len(rounds)):
        columns = [(np.empty(0), np.empty(0), np.empty(0, np.int64))]
        for one in np.unique(group[vectors.round <= rounds[count - 1]]):
            person, here = vectors.sender[group == one], group[vectors.message] == one
            scores = length[here].reshape(len(person), -1)
            own = truth.own(person)[:, vectors.ids[here][: scores.shape[1]]]
            other = np.roll(scores, len(person) // 2, axis=0)
            columns.append((membership.auc(scores, own), membership.auc(other, own), person))
        found, another, people = (np.concatenate(column) for column in zip(*columns, strict=True))
        auc = over_people(found, np.full(len(found), 0.5), people, another)
        curve.append({"rounds": count, "auc": plain(auc)})
    about = {"attack": "announced", "observer": "masked", "way": "length"}
    return {**about, **curve[-1], "over_rounds": curve}


def not_items(view: View, truth: Truth, excluded: Named) -> dict[str, Any]:
    """Which items people do not have: those with a score."""
    own, curve = truth.own(view.person), []
    way, after = excluded
    for rounds in some_rounds(view.rounds):
        one = complement.attack(after(rounds), own, view.person)
        curve.append({"rounds": rounds, **{name: plain(f) for name, f in one._asdict().items()}})
    return _entry("not-items", view, way, curve)


def unchanged(view: View, truth: Truth) -> Named:
    """Rows that did not change in some message of the target."""
    return "unchanged", lambda rounds: complement.missing(
        first_rounds(view.changes, rounds), len(view.person), truth.items
    )


def resemblance(view: View, truth: Truth, after: Way, way: str, count: Longs) -> list[dict[str, Any]]:
    """Who resembles whom, if everybody is a target once and there are enough of them.

    People are also compared by the items that one way finds; `count` [P] is as in `items`.
    """
    once = len(np.unique(view.person)) == len(view.person)
    if not once or len(view.person) < 4 or view.name in SUMS:
        return []
    own, found = truth.own(view.person), []

    def compared(similarity: Callable[[Changes, int, int], Doubles]) -> Way:
        return lambda rounds: similarity(first_rounds(view.changes, rounds), len(view.person), truth.items)

    def found_items(rounds: int) -> Doubles:
        return communities.jaccard(changed_rows.named(way, after(rounds), count) > 0.5)

    similarities = {name: compared(similarity) for name, similarity in communities.WAYS.items()}
    for name, similarity in (similarities | {"found items": found_items}).items():
        curve = []
        for rounds in sorted({1, view.rounds}):  # these comparisons take long
            one = communities.attack(similarity(rounds), own, view.person)
            curve.append({"rounds": rounds, "neighbours": plain(one)})
        found.append(_entry("communities", view, name, curve))
    return found


def sums(records: Records, masked: list[Sum]) -> dict[str, Any] | None:
    """How few people stand behind the rows of a server's sums; None if nothing reached a server.

    Under masks, rows with too few contributors are not summed, and do not count. Who the contributors are is
    not known there: `exposed` then tells whether anybody is alone, and not how many people are.
    """
    if masked:
        every = [
            (np.full(n, one.round), np.full(n, number), np.arange(n), np.full(n, item))
            for number, one in enumerate(masked)
            for item, n in zip(one.items.tolist(), one.counts[one.items].tolist(), strict=True)
        ]
        if not every:
            return None
        rounds, clock, sender, ids = (np.concatenate(column) for column in zip(*every, strict=True))
        who = "server" if masked[0].observer < 0 else "group"
        return _last_one(rounds, clock, sender, ids, "masked sum", who)
    chosen = records.update & (records.observer < 0)
    if not chosen.any():
        return None
    seen = records.among(chosen)
    of = seen.message
    return _last_one(seen.round[of], seen.clock[of], seen.sender[of], seen.ids, "plain sum", "server")


def decrypted(opened: list[Sum], sent: Records | None) -> dict[str, Any] | None:
    """The same of the sums that participants decrypt, in which every row is that somebody changed.

    They see the change of somebody who is alone behind a row, and not whose it is.
    """
    if sent is None or not opened:
        return None
    those = sent.among(np.isin(sent.clock, [one.clock for one in opened]))
    of = those.message
    line = those.round[of], those.clock[of], those.sender[of], those.ids
    return _last_one(*line, "decrypted sum", "decrypting")


def _last_one(
    rounds: Longs, clock: Longs, sender: Longs, ids: Longs, way: str, who: str
) -> dict[str, Any] | None:
    ordinal, curve = np.unique(rounds, return_inverse=True)[1], []
    for count in some_rounds(int(ordinal.max()) + 1 if len(ordinal) else 1):
        early = ordinal < count
        one = last_one.attack(clock[early], sender[early], ids[early])
        if one is not None:
            rest = {"smallest": one.smallest, "median": one.median, "alone": one.alone}
            curve.append({"rounds": count, **rest, "exposed": plain(one.exposed)})
    if not curve:
        return None
    return {"attack": "last-one", "observer": who, "way": way, **curve[-1], "over_rounds": curve}


def _entry(attack: str, view: View, way: str, curve: list[dict[str, Any]]) -> dict[str, Any]:
    return {"attack": attack, "observer": view.name, "way": way, **curve[-1], "over_rounds": curve}
