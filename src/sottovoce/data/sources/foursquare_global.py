"""Foursquare check-ins of the whole world, TIST2015 (Yang et al., ACM TIST 7(3), 2016).

`dataset_TIST2015_Checkins.txt` has the tab-separated columns user, venue, UTC time and offset of the time
zone in minutes. `dataset_TIST2015_POIs.txt` beside it has venue, latitude, longitude, category and country
code.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import categories, find, table
from sottovoce.data.catalogs import choose
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.sources import _places
from sottovoce.data.sources.interface import Dataset
from sottovoce.errors import DataError
from sottovoce.plural import listed
from sottovoce.registry import component

SET = Dataset(
    "foursquare-global",
    ("dataset_TIST2015_Checkins.txt",),
    "Research use, no explicit licence; cite Yang et al., ACM TIST 7(3), 2016.",
    "https://sites.google.com/site/yangdingqi",
    folders=("dataset_TIST2015",),
)


@component("source", "foursquare-global", dataset=SET)
class FoursquareGlobal(NamedTuple):
    """266,909 people, 3,680,126 venues, 33,278,683 check-ins in 77 countries."""

    country: str | None = None
    """Keep only venues in this country (a code of two letters). FPL uses IT, BR and CA."""
    categories: str = categories.TYPES
    """Categories of venues: `types`, as Foursquare names them; `top`, its nine top categories; or the path of
    a file with types and categories (see `sottovoce.data.categories`)."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The check-ins."""
        path, where = SET.obtain(data_dir)
        about = find.beside(path, "dataset_TIST2015_POIs.txt")
        if about is None:
            raise DataError(
                f"{path.parent} holds no dataset_TIST2015_POIs.txt.", "Put this file into the folder."
            )
        content = table.read_text(path, "\t", fields=4)
        user, item, time = content.ids(0, "user"), content.ids(1, "venue"), content.times(2)
        catalog, countries = _venues(about)
        if self.country is not None:
            inside = np.isin(item.astype(np.str_), catalog.ids[countries == self.country.upper()])
            if not inside.any():
                raise DataError(
                    f"{about} lists no visited venue in the country {self.country!r}.",
                    f"Use one of these codes: {listed(np.unique(countries).tolist())}.",
                )
            user, item, time = user[inside], item[inside], time[inside]
        data = build(
            SET.name,
            user,
            item,
            None,
            time,
            catalog=choose(catalog, item),
            terms=SET.terms,
            source=where if self.country is None else f"{where} ({self.country.upper()})",
        )
        return categories.grouped(data, self.categories, data_dir)


def _venues(path: Path) -> tuple[Catalog, NDArray[np.str_]]:
    """All venues, and the country of each."""
    content = table.read_text(path, "\t", fields=5, encoding="latin-1")
    kinds: list[tuple[str, ...]] = [(kind,) if kind else () for kind in content.texts(3)]
    places = np.stack(_places.coordinates(content, 1), 1).astype(np.float32)
    ids = content.ids(0, "venue").astype(np.str_)
    return Catalog(SET.name, ids, None, kinds, places), np.array(content.texts(4), np.str_)
