"""Gowalla check-ins (Cho, Myers & Leskovec, KDD 2011): the original, or the layout of Liu et al., VLDB 2017.

The original `loc-gowalla_totalCheckins.txt` has the tab-separated columns user, ISO time, latitude,
longitude, location.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data import table
from sottovoce.data.catalogs import of_rows
from sottovoce.data.interactions import Interactions, build
from sottovoce.data.sources import _places
from sottovoce.data.sources.interface import Dataset
from sottovoce.registry import component

SET = Dataset(
    "gowalla",
    ("gowalla_checkins.txt", "loc-gowalla_totalCheckins.txt"),
    "Research use, no explicit licence; cite Cho, Myers & Leskovec 2011 and Liu et al. 2017.",
    "https://snap.stanford.edu/data/loc-gowalla.html",
    folders=("gowalla-1000",),
)


@component("source", "gowalla", dataset=SET)
class Gowalla(NamedTuple):
    """1,000 people, 24,209 locations, 157,251 check-ins; or the original with 6,442,890."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The check-ins; those of the smaller set if both are found."""
        path, where = SET.obtain(data_dir)
        if "totalCheckins" not in path.name:
            return _places.read(SET, path, where)
        content = table.read_text(path, "\t", fields=5)
        item = content.ids(4, "location")
        return build(
            SET.name,
            content.ids(0, "user"),
            item,
            None,
            content.times(1),
            catalog=of_rows(SET.name, item, None, _places.coordinates(content, 2)),
            terms=SET.terms,
            source=f"{where} (the original)",
        )
