"""Data sets that are published in parts (train, test, validation), with their negatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import ids, mixture, unknown
from sottovoce.data.interactions import Catalog, Division, Interactions, arrange
from sottovoce.data.split import TEST, TRAIN, WEIGHTING
from sottovoce.errors import DataError

NUMBER = {"train": TRAIN, "test": TEST, "validation": WEIGHTING}


class Parts(NamedTuple):
    """The parts. They share people and catalogue, and each is sorted by time."""

    whole: Interactions
    """All parts together."""
    train: Interactions
    test: Interactions
    validation: Interactions | None
    negatives: NDArray[np.int32] | None
    """[len(test), C]: the items to rank each test item against; None if the files have none."""
    validation_negatives: NDArray[np.int32] | None
    """The same for the validation set."""


class Negatives(NamedTuple):
    """The published negatives of a part, one row after the other."""

    ids: NDArray[Any]
    counts: NDArray[np.int64]
    """[rows]: how many belong to each row."""
    place: ids.Place


class Rows(NamedTuple):
    """The columns of one file, the places of its rows, and their negatives."""

    user: NDArray[Any]
    item: NDArray[Any]
    value: NDArray[np.float64] | None
    time: NDArray[np.int64] | None
    place: ids.Place
    negatives: Negatives | None = None

    @property
    def items(self) -> NDArray[Any]:
        """All item ids, including those of negatives."""
        return self.item if self.negatives is None else np.concatenate((self.item, self.negatives.ids))


def agreed(rows: Mapping[str, Rows]) -> dict[str, Rows]:
    """The parts with the same spelling of ids. Ids that could be one or two are refused."""
    users = ids.agree([ids.Given(part.user, part.place) for part in rows.values()], "user")
    listed = [part.negatives for part in rows.values() if part.negatives is not None]
    given = [ids.Given(part.item, part.place) for part in rows.values()]
    items = ids.agree([*given, *(ids.Given(one.ids, one.place) for one in listed)], "item")
    negatives = iter(items[len(rows) :])
    return {
        name: part._replace(
            user=user,
            item=item,
            negatives=part.negatives and part.negatives._replace(ids=next(negatives)),
        )
        for (name, part), user, item in zip(rows.items(), users, items, strict=False)
    }


def assemble(
    name: str,
    rows: Mapping[str, Rows],
    catalog: Catalog,
    *,
    scale: tuple[float, float] | None = None,
    source: str = "",
    notes: tuple[str, ...] = (),
) -> Parts:
    """Put together the parts `train`, `test` and perhaps `validation`, after `agreed`.

    The catalogue must list every item.
    """

    _refuse_other_times(rows)

    def column(field: str) -> NDArray[Any] | None:
        columns = [getattr(part, field) for part in rows.values()]
        return None if any(c is None for c in columns) else np.concatenate(columns)

    user, item, value, time = (column(field) for field in Rows._fields[:4])
    whole, order = arrange(
        name,
        np.zeros(0) if user is None else user,
        np.zeros(0) if item is None else item,
        value,
        time,
        catalog=catalog,
        scale=scale,
        source=source,
    )
    sizes = [len(part.user) for part in rows.values()]
    number = np.repeat(np.arange(len(rows)), sizes)[order]
    within = order - np.concatenate(([0], np.cumsum(sizes)))[number]
    place = {i: n for n, i in enumerate(catalog.ids.tolist())}
    drawn = {part: _matrix(r.negatives, place) for part, r in rows.items() if r.negatives is not None}
    codes = np.array([NUMBER[part] for part in rows], np.int8)
    given = {NUMBER[part]: negatives for part, negatives in drawn.items()}
    whole = replace(whole, division=Division(codes[number], within, given, catalog))
    whole = replace(whole, notes=unknown.notes(whole) + tuple(_lacking(name, rows)) + notes)
    parts = {}
    for at, part in enumerate(rows):
        mine = number == at
        parts[part] = replace(whole.take(mine), source=f"{source}, part {part}")
        if part in drawn:
            drawn[part] = drawn[part][within[mine]]
    return Parts(
        whole,
        parts["train"],
        parts["test"],
        parts.get("validation"),
        drawn.get("test"),
        drawn.get("validation"),
    )


def _refuse_other_times(rows: Mapping[str, Rows]) -> None:
    """Refuse times that are of one kind in each part, but not in all of them."""
    timed = {name: part.time for name, part in rows.items() if part.time is not None}
    if len(timed) < len(rows):
        return
    every = np.concatenate(list(timed.values()))
    odd = mixture.odd(every) or mixture.far(every)
    if odd is None:
        return
    at = int(np.flatnonzero(odd.rows)[0])
    for name, times in timed.items():
        if at < len(times):
            raise DataError(f"{rows[name].place(at)} {odd.problem}.", odd.remedy)
        at -= len(times)


def _lacking(name: str, rows: Mapping[str, Rows]) -> Iterator[str]:
    """A note on each column that some parts have and others lack. It is not used."""
    for field, what in (("value", "ratings"), ("time", "times")):
        without = [part for part, given in rows.items() if getattr(given, field) is None]
        if 0 < len(without) < len(rows):
            having = [part for part in rows if part not in without]
            one, two = (
                f"{' and '.join(some)} {'has' if len(some) == 1 else 'have'}" for some in (having, without)
            )
            yield f"Of the parts of {name}, {one} {what}, but {two} none: {what} are not used."


def _matrix(given: Negatives, place: Mapping[str, int]) -> NDArray[np.int32]:
    """[rows, C]: negatives as numbers in the catalogue; -1 where a row has fewer."""
    distinct, inverse = ids.ranks(given.ids)
    numbers = np.array([place[i] for i in distinct.astype(np.str_).tolist()], np.int32)
    out = np.full((len(given.counts), int(given.counts.max(initial=0))), -1, np.int32)
    out[np.arange(out.shape[1]) < given.counts[:, None]] = numbers[inverse]
    return out
