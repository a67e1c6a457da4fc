"""Interactions of people with items, and the catalogue that the items belong to."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce import plural
from sottovoce.data import decimals, ids
from sottovoce.errors import DataError

Strings = NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class Catalog:
    """The items of one source. An item's number is its position here; `ids` are those of the source."""

    name: str
    ids: Strings
    titles: list[str] | None = None
    categories: list[tuple[str, ...]] | None = None
    coordinates: NDArray[np.float32] | None = None
    """[items, 2]: latitude and longitude in degrees; NaN if unknown."""

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        known = [name for name in ("titles", "categories", "coordinates") if getattr(self, name) is not None]
        return f"<Catalog {_plain(self.name)}: {len(self):,} items; known: {', '.join(['ids', *known])}>"

    def title(self, item: int) -> str:
        """The title of an item, or its id if it has no title."""
        return (self.titles and self.titles[item]) or str(self.ids[item])

    def key(self, item: int) -> str:
        """A name that is unique over all catalogues, for example "ml-100k:242"."""
        return f"{self.name}:{self.ids[item]}"


class Division(NamedTuple):
    """How the publisher divided the interactions, with the published negatives."""

    part: NDArray[np.int8]
    """[interactions]: the part of each one, TRAIN, TEST or WEIGHTING of `sottovoce.data.split`."""
    row: NDArray[np.int64]
    """[interactions]: the row of each one in the negatives of its part, if there are any."""
    negatives: dict[int, NDArray[np.int32]]
    """By part: [rows, C] items to rank against, as numbers in `catalog`; -1 where a row has fewer."""
    catalog: Catalog


@dataclass(frozen=True, eq=False)
class Interactions:
    """Who did what, and when. Interactions are grouped by person and sorted by time.

    Person `p` has the interactions `indptr[p]` to `indptr[p + 1] − 1`: `item[indptr[p]:indptr[p + 1]]`
    and so on. Interactions at the same time keep the order of the source.
    """

    name: str
    indptr: NDArray[np.int64]
    item: NDArray[np.int32]
    value: NDArray[np.float32]
    """[interactions]: ratings, or 1 if the source has none."""
    time: NDArray[np.int64]
    """[interactions]: seconds since 1970, or 0 if the source has no times."""
    users: Strings
    """[people]: the ids of people in the source. A person's number is the position here."""
    catalog: Catalog
    scale: tuple[float, float]
    """The lowest and the highest rating possible."""
    terms: str = ""
    """Terms of use, in one line."""
    source: str = ""
    """A description of where the data came from and how it was read."""
    notes: tuple[str, ...] = ()
    """Sentences that users should know about the data, for example about repeated rows."""
    division: Division | None = None
    """The published parts, which the split `predefined` uses; None if there are none."""

    def __len__(self) -> int:
        return len(self.item)

    def __repr__(self) -> str:
        """Two lines: a summary, and where the data came from."""
        low, high = self.scale
        told = [
            plural.count(self.people, "person"),
            plural.count(self.items, "item"),
            plural.count(len(self), "interaction"),
            f"density {100 * self.density:.3g} %",
            "no ratings" if (self.value == 1).all() else f"ratings {low:g} to {high:g}",
        ]
        if len(self) and self.time.any():
            first, last = (np.datetime64(int(t), "s").astype("datetime64[D]") for t in _span(self.time))
            told.append(f"{first} to {last}")
        return f"{_plain(self.name)}: {', '.join(told)}\nfrom {_plain(self.source) or 'memory'}"

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self.users)

    @property
    def items(self) -> int:
        """The number of items in the catalogue."""
        return len(self.catalog)

    @property
    def owner(self) -> NDArray[np.int64]:
        """[interactions]: the person of each interaction."""
        return np.repeat(np.arange(self.people), np.diff(self.indptr))

    @property
    def density(self) -> float:
        """Interactions divided by the number of pairs of a person and an item."""
        return len(self) / max(1, self.people * self.items)

    def person(self, user_id: str | int) -> int:
        """The number of the person with this id in the source."""
        wanted = ids.clean(str(user_id))
        for spelled in (wanted, ids.plain(wanted)):
            found = np.flatnonzero(self.users == spelled)
            if len(found):
                return int(found[0])
        # Comparing spellings is slow; similar ones have about the same length.
        lengths = np.char.str_len(self.users)
        similar = self.users[np.abs(lengths - len(wanted)) <= 1][:5000].tolist()
        close = difflib.get_close_matches(wanted, similar, n=3) or self.users[:3].tolist()
        shown = ", ".join(map(repr, close))
        raise DataError(
            f"{self.name} has no person {wanted!r}.", f"Use an id from the data, such as {shown}."
        )

    def take(self, mask: NDArray[np.bool_]) -> Interactions:
        """The interactions where `mask` is true, with the same people and catalogue."""
        before = np.concatenate(([0], np.cumsum(mask, dtype=np.int64)))
        parts = self.division
        return replace(
            self,
            division=parts and parts._replace(part=parts.part[mask], row=parts.row[mask]),
            indptr=before[self.indptr],
            item=self.item[mask],
            value=self.value[mask],
            time=self.time[mask],
        )


def build(
    name: str,
    user: ArrayLike,
    item: ArrayLike,
    value: ArrayLike | None = None,
    time: ArrayLike | None = None,
    *,
    catalog: Catalog | None = None,
    scale: tuple[float, float] | None = None,
    terms: str = "",
    source: str = "",
) -> Interactions:
    """Interactions from columns of equal length, with one entry per interaction.

    `sottovoce.data.ids` says how ids are spelled. People are numbered in the order of their ids, sorted
    as numbers if all ids are whole numbers, else as text. Items are numbered in the same way, unless a
    `catalog` gives their order. Rows are sorted by person and time; rows with equal times keep their
    order. A repeated pair of person and item stays two interactions (`sottovoce.load` merges them).
    Without `value` every value is 1; without `scale` the scale is the lowest to the highest value.
    """
    return arrange(name, user, item, value, time, catalog=catalog, scale=scale, terms=terms, source=source)[0]


def arrange(
    name: str,
    user: ArrayLike,
    item: ArrayLike,
    value: ArrayLike | None = None,
    time: ArrayLike | None = None,
    *,
    catalog: Catalog | None = None,
    scale: tuple[float, float] | None = None,
    terms: str = "",
    source: str = "",
) -> tuple[Interactions, NDArray[np.int64]]:
    """The result of `build`, and for each interaction the row that it came from."""

    def place(row: int) -> str:
        return f"Row {row + 1} of {name}"

    users, person = ids.factorise(np.asarray(user), "user", place)
    called, number = ids.factorise(np.asarray(item), "item", place)
    count = len(person)
    values = np.ones(count, np.float32) if value is None else np.asarray(value).astype(np.float32)
    times = np.zeros(count, np.int64) if time is None else np.asarray(time).astype(np.int64)
    if count == 0:
        raise DataError(f"{name} has no interactions.", "Give at least one row.")
    if not count == len(number) == len(values) == len(times):
        lengths = f"{count}, {len(number)}, {len(values)} and {len(times)}"
        raise DataError(f"The columns of {name} have {lengths} rows.", "Give columns of equal length.")
    low, high = scale or _observed(value is None, values)
    decimals.check_scale(low, high)
    bad = np.flatnonzero(~((values >= low) & (values <= high)))
    if len(bad):
        raise DataError(
            f"Row {bad[0] + 1} of {name} has the rating {values[bad[0]]:g}, not within {low:g} to {high:g}.",
            "Correct the rating, or give the right scale.",
        )
    if catalog is None:
        catalog = Catalog(name, called)
    else:
        number = _places(catalog, called)[number]
    order = in_order(person, times)
    interactions = Interactions(
        name=name,
        indptr=np.concatenate(([0], np.cumsum(np.bincount(person, minlength=len(users))))).astype(np.int64),
        item=number.astype(np.int32)[order],
        value=values[order],
        time=times[order],
        users=users,
        catalog=catalog,
        scale=(low, high),
        terms=terms,
        source=source,
    )
    return interactions, order


def in_order(person: NDArray[np.int64], time: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order of rows by person, then by time; rows with equal times keep their order."""
    first = int(time.min())
    span = int(time.max()) - first + 1
    if span * (int(person.max()) + 1) < 2**62:
        # Sorting by one key instead of two is many times faster.
        return np.argsort(person * span + (time - first), kind="stable")
    return np.lexsort((time, person))


def _observed(implicit: bool, values: NDArray[np.float32]) -> tuple[float, float]:
    """The range of the values; if there is only one value, the range includes 0 and 1."""
    if implicit:
        return 0.0, 1.0
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    return (low, high) if low < high else (min(low, 0.0), max(high, 1.0))


def _places(catalog: Catalog, called: Strings) -> NDArray[np.int64]:
    """The position of each of the ids `called` in the catalogue."""
    place = {ids.clean(str(known)): number for number, known in enumerate(catalog.ids)}
    unknown = [str(i) for i in called if str(i) not in place]
    if unknown:
        raise DataError(
            f"{len(unknown)} items are not in the catalogue {catalog.name}, the first being {unknown[0]!r}.",
            "Add them to the catalogue, or build without one.",
        )
    return np.array([place[str(i)] for i in called], np.int64)


def extended(catalog: Catalog, called: Sequence[Any]) -> Catalog:
    """The catalogue, with missing ids of `called` added at its end, without titles or categories."""
    known = set(catalog.ids.tolist())
    if len(known) < len(catalog):
        twice = next(i for i, count in Counter(catalog.ids.tolist()).items() if count > 1)
        raise DataError(
            f"The catalogue {catalog.name} lists the item {twice!r} twice.", "Remove one of the two rows."
        )
    new = [i for i in dict.fromkeys(map(str, called)) if i not in known]
    if not new:
        return catalog
    every = [*catalog.ids.tolist(), *new]
    try:
        ids.unify(every)
    except ids.UnclearError as error:
        what = ("The catalogue", "an interaction")
        raise error.refusal("item", every, lambda n: what[n >= len(catalog)]) from None
    return replace(
        catalog,
        ids=np.concatenate((catalog.ids, np.array(new, np.str_))),
        titles=None if catalog.titles is None else catalog.titles + [""] * len(new),
        categories=None if catalog.categories is None else catalog.categories + [()] * len(new),
        coordinates=None
        if catalog.coordinates is None
        else np.concatenate((catalog.coordinates, np.full((len(new), 2), np.nan, np.float32))),
    )


def _plain(text: str) -> str:
    """Text in one line, without characters that a terminal would obey."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _span(time: NDArray[np.int64]) -> tuple[int, int]:
    return int(time.min()), int(time.max())
