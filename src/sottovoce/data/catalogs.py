"""Make catalogues: from the rows of a file, or by choosing items from a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.ids import ranks
from sottovoce.data.interactions import Catalog, Interactions, extended

Which = Literal["rated", "listed", "range"]
"""Items with interactions; all items that the source lists; or all numbers from 1 to the highest id."""


def pick(catalog: Catalog, places: NDArray[np.int64]) -> Catalog:
    """The catalogue with only the items at these positions, in this order."""
    titles, kinds, where = catalog.titles, catalog.categories, catalog.coordinates
    return replace(
        catalog,
        ids=catalog.ids[places],
        titles=None if titles is None else [titles[p] for p in places.tolist()],
        categories=None if kinds is None else [kinds[p] for p in places.tolist()],
        coordinates=None if where is None else where[places],
    )


def choose(catalog: Catalog, item: NDArray[Any], which: Which = "rated") -> Catalog:
    """The catalogue with the items that `which` asks for. `item` holds the ids of all interactions."""
    used = ranks(item)[0].astype(np.str_)
    catalog = extended(catalog, used.tolist())
    if which == "rated":
        return pick(catalog, np.flatnonzero(np.isin(catalog.ids, used)))
    if which == "range":
        catalog = extended(catalog, range(1, int(catalog.ids.astype(np.int64).max()) + 1))
        return pick(catalog, np.argsort(catalog.ids.astype(np.int64), kind="stable"))
    return catalog


def among(data: Interactions, there: NDArray[np.bool_]) -> Interactions:
    """The data with a catalogue of only the items for which `there` [items] is true, numbered anew.

    Interactions with other items are left out.
    """
    number = np.cumsum(there, dtype=np.int64) - 1
    kept = data.take(there[data.item])
    catalog = pick(data.catalog, np.flatnonzero(there))
    return replace(kept, item=number[kept.item].astype(np.int32), catalog=catalog)


def of_rows(
    name: str,
    item: NDArray[Any],
    categories: Sequence[str] | None = None,
    coordinates: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> Catalog:
    """A catalogue from rows. Each item gets its most frequent category and its first coordinates."""
    ids, place = ranks(item)
    first = np.empty(len(ids), np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return Catalog(
        name,
        ids.astype(np.str_),
        categories=None if categories is None else _frequent(place, categories),
        coordinates=None if coordinates is None else np.stack(coordinates, 1)[first].astype(np.float32),
    )


def _frequent(place: NDArray[np.int64], categories: Sequence[str]) -> list[tuple[str, ...]]:
    """The most frequent category of each item; the first one in a tie, () if it is empty."""
    kinds, kind = np.unique(np.array(categories, np.str_), return_inverse=True)
    pair, first, count = np.unique(place * len(kinds) + kind, return_index=True, return_counts=True)
    order = np.lexsort((first, -count, pair // len(kinds)))
    best = np.unique(pair[order] // len(kinds), return_index=True)[1]
    return [(k,) if k else () for k in kinds[pair[order[best]] % len(kinds)].tolist()]
