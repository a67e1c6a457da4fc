"""MovieLens 25M (Harper & Konstan, ACM TiiS 5(4), 2015): `ratings.csv` and `movies.csv`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data import find
from sottovoce.data.catalogs import Which
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Dataset, _movielens
from sottovoce.registry import component

SET = Dataset(
    "ml-25m",
    ("ratings.csv",),
    _movielens.SHARED,
    "https://grouplens.org/datasets/movielens/",
    ways=(find.home(f"{_movielens.HOME}ml-25m.zip", "6b51fb2759a8657d3bfcbfc42b592ada"),),
)


@component("source", SET.name)
class MovieLens25M(NamedTuple):
    """162,541 people, 59,047 films, 25,000,095 ratings from 0.5 to 5."""

    catalog: Which = "rated"

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, found or fetched."""
        return _movielens.read(SET, _movielens.CSV, data_dir, self.catalog)
