"""MovieLens latest-small, edition of September 2018, meant for development (Harper & Konstan 2015)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data.catalogs import Which
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Dataset, _movielens
from sottovoce.registry import component

SET = Dataset(
    "ml-latest-small",
    ("ratings.csv",),
    _movielens.SHARED,
    "https://grouplens.org/datasets/movielens/",
)


@component("source", SET.name)
class MovieLensLatestSmall(NamedTuple):
    """610 people, 9,724 films, 100,836 ratings from 0.5 to 5."""

    catalog: Which = "rated"

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, found or fetched."""
        return _movielens.read(SET, _movielens.CSV, data_dir, self.catalog)
