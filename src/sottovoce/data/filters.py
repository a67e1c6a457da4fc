"""What is kept of interactions before they are split: duplicates, implicit feedback, minimum counts.

In this order: the same item met twice by a person becomes one interaction, or not; then ratings become
implicit feedback; then people and items with too few interactions are left out; then all but one cluster of
people, and all but the best known items. All of it is said in `Interactions.source`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from sottovoce.data.catalogs import pick
from sottovoce.data.interactions import Interactions
from sottovoce.errors import DataError


class Filters(NamedTuple):
    """Keys of `[data]` in a recipe, and of `load`, for any source."""

    min_user: Annotated[int, Ge(0)] = 0
    """People with fewer interactions are left out."""
    min_item: Annotated[int, Ge(0)] = 0
    """Items with fewer interactions are left out."""
    min_visitors: Annotated[int, Ge(0)] = 0
    """Items that fewer different people have met are left out."""
    filter: Literal["stable", "once"] = "stable"
    """`stable`: counted again until nothing changes. `once`: people and items counted as they come."""
    implicit: bool | float = False
    """True: every interaction counts 1. A number: so do ratings from it up; others are left out."""
    duplicates: Literal["keep", "first", "last", "sum"] = "keep"
    """What becomes of a person's interactions with one item; `sum` adds values, at the first's time."""
    cluster: Literal["all", "densest", "sparsest"] = "all"
    """Whether only people of one cluster are kept: who had most items on average, or fewest."""
    clusters: Annotated[int, Ge(2), Le(100)] = 2
    """How many clusters there are."""
    cluster_by: Literal["items", "number"] = "items"
    """What people are clustered by: what they had, or how much."""
    top_items: Annotated[int, Ge(0)] = 0
    """Of what is left then, only so many items that most people had are kept; 0: all."""

    def apply(self, data: Interactions) -> Interactions:
        """The interactions that are kept, with the people and items that have any."""
        if self == Filters() and self.implicit is False:  # a threshold of 0 equals False
            return data
        kept, said = _merged(data, self.duplicates), []
        if self.duplicates != "keep":
            summed = self.duplicates == "sum"
            said.append("duplicates summed" if summed else f"of duplicates the {self.duplicates} kept")
        if self.implicit is not False:
            kept = _implicit(kept, self.implicit)
            low = "" if self.implicit is True else f" from {self.implicit:g} up"
            said.append(f"ratings{low} as implicit feedback")
        if self.min_user or self.min_item or self.min_visitors:
            kept = self._frequent(kept)
            visitors = f" of {self.min_visitors} people" if self.min_visitors else ""
            said.append(
                f"at least {self.min_user} interactions a person and {self.min_item} an item{visitors}, "
                + ("counted once" if self.filter == "once" else "repeated until stable")
            )
        if self.cluster != "all" and len(kept):
            from sottovoce.data import crowds

            kept = crowds.cluster(kept, self.cluster, self.clusters, self.cluster_by)
            said.append(f"the {self.cluster} of {self.clusters} clusters of people by {self.cluster_by}")
        if self.top_items:
            kept = _best_known(kept, self.top_items)
            said.append(f"the {self.top_items} best known items")
        if len(kept) == 0:
            raise DataError(
                f"Nothing of {data.name} is left after filtering: {'; '.join(said)}.", "Ask for less."
            )
        kept = _compact(kept)
        change = f"{len(kept):,} of {len(data):,} interactions left" if len(kept) < len(data) else "all left"
        return replace(kept, source="; ".join([data.source, *said, change]).removeprefix("; "))

    def _frequent(self, data: Interactions) -> Interactions:
        while True:
            people, items = np.diff(data.indptr), np.bincount(data.item, minlength=data.items)
            known = items >= self.min_item
            if self.min_visitors:
                known &= _visitors(data) >= self.min_visitors
            enough = np.repeat(people >= self.min_user, people) & known[data.item]
            if enough.all():
                return data
            data = data.take(enough)
            if self.filter == "once":
                return data


def _visitors(data: Interactions) -> NDArray[np.int64]:
    """How many different people have met each item."""
    pairs = np.unique(_people(data) * data.items + data.item)
    return np.bincount(pairs % data.items, minlength=data.items)


def _merged(data: Interactions, how: str) -> Interactions:
    """One interaction for each person and item: the first, the last, or the sum."""
    if how == "keep":
        return data
    pair = _people(data) * data.items + data.item
    if how == "last":
        at = len(pair) - 1 - np.unique(pair[::-1], return_index=True)[1]
    else:
        _, at, group = np.unique(pair, return_index=True, return_inverse=True)
    chosen = np.zeros(len(pair), np.bool_)
    chosen[at] = True
    if how == "sum":
        value = data.value.copy()
        value[at] = np.bincount(group, data.value)
        top = max(data.scale[1], float(value.max(initial=0)))
        data = replace(data, value=value, scale=(data.scale[0], top))
    return data.take(chosen)


def _implicit(data: Interactions, threshold: bool | float) -> Interactions:
    """Every interaction, or every one from the threshold up, with the value 1."""
    if threshold is not True:
        data = data.take(data.value >= threshold)
    return replace(data, value=np.ones(len(data), np.float32), scale=(0.0, 1.0))


def _compact(data: Interactions) -> Interactions:
    """Without people and items that have no interaction."""
    counts, used = np.diff(data.indptr), np.bincount(data.item, minlength=data.items) > 0
    people, items = np.flatnonzero(counts), np.flatnonzero(used)
    return replace(
        data,
        indptr=np.concatenate(([0], np.cumsum(counts[people]))).astype(np.int64),
        users=data.users[people],
        item=(np.cumsum(used) - 1)[data.item].astype(np.int32),
        catalog=pick(data.catalog, items),
    )


def _best_known(data: Interactions, count: int) -> Interactions:
    """The interactions with the `count` items that most people had; of equals the first in the catalogue."""
    visitors = _visitors(data)
    kept = np.zeros(data.items, np.bool_)
    kept[np.argsort(-visitors, kind="stable")[:count]] = True
    return data.take(kept[data.item])


def _people(data: Interactions) -> NDArray[np.int64]:
    """The person of each interaction."""
    return np.repeat(np.arange(data.people), np.diff(data.indptr))
