"""MovieLens 32M (Harper & Konstan, ACM TiiS 5(4), 2015): `ratings.csv` and `movies.csv`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data.catalogs import Which
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Dataset, _movielens
from sottovoce.registry import component

SET = Dataset(
    "ml-32m",
    ("ratings.csv",),
    _movielens.SHARED,
    "https://grouplens.org/datasets/movielens/",
)


@component("source", SET.name)
class MovieLens32M(NamedTuple):
    """200,948 people, 87,585 films listed, 32,000,204 ratings from 0.5 to 5."""

    catalog: Which = "rated"

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, found or fetched."""
        return _movielens.read(SET, _movielens.CSV, data_dir, self.catalog)
