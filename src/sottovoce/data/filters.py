"""Filter interactions before they are split.

The steps, in this order: merge a person's repeated interactions with one item; turn ratings into implicit
feedback; drop people and items with too few interactions; keep one cluster of people; keep the most popular
items. `Interactions.source` describes all steps, and `Interactions.notes` describes repeated rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from sottovoce.data import repeats
from sottovoce.data.catalogs import pick
from sottovoce.data.interactions import Interactions
from sottovoce.errors import DataError


class Filters(NamedTuple):
    """Settings in `[data]` of a recipe, and options of `load`, for any source."""

    min_user: Annotated[int, Ge(0)] = 0
    """People with fewer interactions are dropped."""
    min_item: Annotated[int, Ge(0)] = 0
    """Items with fewer interactions are dropped."""
    min_visitors: Annotated[int, Ge(0)] = 0
    """Items with fewer different people are dropped."""
    filter: Literal["stable", "once"] = "stable"
    """`stable`: the minimum counts are applied again until nothing changes. `once`: they are applied once."""
    implicit: bool | float = False
    """True: every interaction becomes 1. A number: ratings at or above it become 1, the rest are dropped."""
    duplicates: Literal["keep", "first", "last", "sum"] = "last"
    """Which of a person's interactions with the same item are kept, so that no item is in training and test.
    `sum` adds the values and keeps the first time; `keep` keeps all interactions. In data that is published
    in parts, `last` only drops exact repetitions within a part and items in several parts: test items are
    removed from the other parts, validation items from training."""
    cluster: Literal["all", "densest", "sparsest"] = "all"
    """Keep only one cluster of people: the one with most items per person, or with fewest."""
    clusters: Annotated[int, Ge(2), Le(100)] = 2
    """The number of clusters."""
    cluster_by: Literal["items", "number"] = "items"
    """What people are clustered by: their items, or the number of their items."""
    top_items: Annotated[int, Ge(0)] = 0
    """Keep only this many items, those with most people; 0 keeps all. Applied last."""

    def apply(self, data: Interactions) -> Interactions:
        """The filtered interactions. People and items without interactions are dropped."""
        kept, said = data, []
        if self.duplicates == "keep":
            kept = repeats.kept(data)
        else:
            kept = repeats.merged(data, self.duplicates)
            if len(kept) < len(data):
                summed = self.duplicates == "sum"
                said.append("duplicates summed" if summed else f"of duplicates the {self.duplicates} kept")
        if self._replace(duplicates="last") == Filters() and self.implicit is False:  # 0 equals False
            return _told(kept, data, said)
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
                f"Nothing of {data.name} is left after filtering: {'; '.join(said)}.",
                "Lower the minimum counts or the threshold in [data].",
            )
        counted = self.min_item or self.min_visitors or self.top_items
        return _told(_compact(kept, not counted), data, said)

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


def _told(kept: Interactions, data: Interactions, said: list[str]) -> Interactions:
    """The filtered interactions, with a source that describes the filters."""
    if not said:
        return kept
    change = f"{len(kept):,} of {len(data):,} interactions left" if len(kept) < len(data) else "all left"
    return replace(kept, source="; ".join([data.source, *said, change]).removeprefix("; "))


def _visitors(data: Interactions) -> NDArray[np.int64]:
    """How many different people have each item: [items]."""
    pairs = np.unique(data.owner * data.items + data.item)
    return np.bincount(pairs % data.items, minlength=data.items)


def _implicit(data: Interactions, threshold: bool | float) -> Interactions:
    """All interactions, or those at or above the threshold, with the value 1."""
    if threshold is not True:
        data = data.take(data.value >= threshold)
    return replace(data, value=np.ones(len(data), np.float32), scale=(0.0, 1.0))


def _compact(data: Interactions, rivals: bool) -> Interactions:
    """Drop people and items without interactions. With `rivals`, published negatives are kept."""
    counts, used = np.diff(data.indptr), np.bincount(data.item, minlength=data.items) > 0
    if data.division is not None and data.catalog is data.division.catalog:
        drawn = [negatives[negatives >= 0] for negatives in data.division.negatives.values()]
        if rivals:
            for one in drawn:
                used[one] = True
        every, gone = sum(map(len, drawn)), sum(int((~used[one]).sum()) for one in drawn)
        if gone:
            note = f"{gone:,} of {every:,} published negatives are dropped, because filters drop their items."
            data = replace(data, notes=(*data.notes, note))
    people, items = np.flatnonzero(counts), np.flatnonzero(used)
    return replace(
        data,
        indptr=np.concatenate(([0], np.cumsum(counts[people]))).astype(np.int64),
        users=data.users[people],
        item=(np.cumsum(used) - 1)[data.item].astype(np.int32),
        catalog=pick(data.catalog, items),
    )


def _best_known(data: Interactions, count: int) -> Interactions:
    """The interactions with the `count` most popular items; in a tie, the first in the catalogue."""
    visitors = _visitors(data)
    kept = np.zeros(data.items, np.bool_)
    kept[np.argsort(-visitors, kind="stable")[:count]] = True
    return data.take(kept[data.item])
