"""Foursquare check-ins in New York (Yang et al., IEEE TSMC-S 45(1), 2015): the original, or its 10-core.

The original `dataset_TSMC2014_NYC.txt` has the tab-separated columns user, venue, category id and name,
latitude, longitude, offset of the time zone in minutes, UTC time. The 10-core `checkins_10core.csv` has the
columns `user_id,venue_id,unix_time,latitude,longitude,category_id`; a file beside it has names of categories.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from sottovoce.data import categories, find, table
from sottovoce.data.catalogs import of_rows
from sottovoce.data.interactions import Interactions, build
from sottovoce.data.sources import _places
from sottovoce.data.sources.interface import Dataset
from sottovoce.data.sources.ncf import read_parts
from sottovoce.registry import component

SET = Dataset(
    "foursquare-nyc",
    ("checkins_10core.csv", "dataset_TSMC2014_NYC.txt"),
    "Research use, no explicit licence; cite Yang et al., IEEE TSMC-S 45(1), 2015.",
    "https://sites.google.com/site/yangdingqi",
    folders=("dataset_tsmc2014",),
)


@component("source", "foursquare-nyc", dataset=SET)
class FoursquareNYC(NamedTuple):
    """1,083 people, 5,135 venues, 147,938 check-ins (10-core); the original has 38,333 venues and 227,428."""

    version: Literal["any", "10-core", "original", "pepper"] = "any"
    """Which version to read. `any`: the 10-core if both are found. `pepper`: 146 people and 16,334 venues
    without times, in the parts that Belal et al. 2022 published; the split `predefined` uses these parts."""
    categories: str = categories.TYPES
    """Categories of venues: `types`, as Foursquare names them; `top`, its nine top categories; or the path of
    a file with types and categories (see `sottovoce.data.categories`)."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The check-ins of the chosen version."""
        if self.version == "pepper":
            whole = read_parts(f"{SET.name}/pepper_foursquareNYC", data_dir).whole
            return replace(whole, terms=SET.terms)
        files = {"any": SET.files, "10-core": SET.files[:1], "original": SET.files[1:]}
        path, where = SET._replace(files=files[self.version]).obtain(data_dir)
        original = "TSMC2014" in path.name
        if original:
            content = table.read_text(path, "\t", fields=8, encoding="latin-1")
            kinds, time = content.texts(3), content.times(7)
        else:
            content = table.read_text(path, ",", header=True, fields=6)
            kinds, time = _named(content.texts(5), path), content.times(2)
        item = content.ids(1, "venue")
        place = _places.coordinates(content, 4 if original else 3)
        data = build(
            SET.name,
            content.ids(0, "user"),
            item,
            None,
            time,
            catalog=of_rows(SET.name, item, kinds, place),
            terms=SET.terms,
            source=f"{where} ({'TSMC2014' if original else '10-core'})",
        )
        return categories.grouped(data, self.categories, data_dir)


def _named(ids: list[str], path: Path) -> list[str]:
    """The names of categories; with their number if a name is missing or not unique."""
    about = find.beside(path, "category_names_inferred.csv")
    names: dict[str, str] = {}
    if about is not None:
        content = table.read_text(about, ",", header=True, fields=4)
        names = dict(zip(content.texts(0), content.texts(1), strict=True))
    shared = Counter(names.values())
    return [
        f"category {i}" if i not in names else names[i] if shared[names[i]] == 1 else f"{names[i]} ({i})"
        for i in ids
    ]
