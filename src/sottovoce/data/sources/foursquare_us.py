"""Foursquare check-ins in the USA, a small part of the data set of Liu et al., VLDB 2017."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import _places
from sottovoce.data.sources.interface import Dataset
from sottovoce.registry import component

SET = Dataset(
    "foursquare-us",
    ("foursquare_checkins.txt",),
    "Research use, no explicit licence; cite Liu et al., VLDB 2017.",
    "http://spatialkeyword.sce.ntu.edu.sg/eval-vldb17/",
    folders=("foursquare-us-5000",),
)


@component("source", "foursquare-us", dataset=SET)
class FoursquareUS(NamedTuple):
    """4,969 people, 8,000 venues, 185,984 check-ins with coordinates."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The check-ins."""
        return _places.read(SET, *SET.obtain(data_dir))
