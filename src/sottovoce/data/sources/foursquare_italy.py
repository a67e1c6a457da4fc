"""Foursquare check-ins in six Italian cities, from the global set (Yang et al., ACM TIST 7(3), 2016).

There is one file per city, tab-separated, with the header `user_id venue_id type utc`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import categories, find, table
from sottovoce.data.catalogs import of_rows
from sottovoce.data.interactions import Interactions, build
from sottovoce.data.sources.interface import Dataset
from sottovoce.errors import DataError
from sottovoce.registry import component, nearest

CITIES = ("Milan", "Rome", "Bologna", "Florence", "Turin", "Venice")
SET = Dataset(
    "foursquare-italy",
    tuple(f"{city}.tsv" for city in CITIES),
    "Research use, no explicit licence; cite Yang et al., ACM TIST 7(3), 2016.",
    "https://sites.google.com/site/yangdingqi",
)


@component("source", "foursquare-italy", dataset=SET)
class FoursquareItaly(NamedTuple):
    """6,596 people, 34,332 venues, 89,616 check-ins with categories."""

    cities: tuple[str, ...] = CITIES
    """The cities to read."""
    categories: str = categories.TYPES
    """Categories of venues: `types`, as Foursquare names them; `top`, its nine top categories; or the path of
    a file with types and categories (see `sottovoce.data.categories`)."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The check-ins of the chosen cities, in the order of `cities`."""
        first, where = SET.obtain(data_dir)
        parts = [_city(first, city) for city in self.cities]
        if not parts:
            raise DataError("data.cities is empty.", f"Choose at least one of: {', '.join(CITIES)}.")
        user, item, time = (np.concatenate([part[n] for part in parts]) for n in range(3))
        kinds = [kind for part in parts for kind in part[3]]
        data = build(
            SET.name,
            user,
            item,
            None,
            time,
            catalog=of_rows(SET.name, item, kinds),
            terms=SET.terms,
            source=f"{where} ({', '.join(self.cities)})",
        )
        return categories.grouped(data, self.categories, data_dir)


def _city(beside: Path, city: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], list[str]]:
    path = find.beside(beside, f"{city}.tsv")
    if path is None:
        known = [name for name in CITIES if find.beside(beside, f"{name}.tsv")]
        raise DataError(f"{beside.parent} holds no {city}.tsv.", nearest(city, known))
    content = table.read_text(path, "\t", header=True, fields=4)
    return content.ids(0, "user"), content.ids(1, "venue"), content.times(3), content.texts(2)
