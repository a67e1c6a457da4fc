"""MovieLens 10M (Harper & Konstan, ACM TiiS 5(4), 2015): `ratings.dat` and `movies.dat`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data import find
from sottovoce.data.catalogs import Which
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Dataset, _movielens
from sottovoce.registry import component

SET = Dataset(
    "ml-10m",
    ("ratings.dat",),
    _movielens.RESEARCH,
    "https://grouplens.org/datasets/movielens/",
    folders=("ml-10M100K",),
    ways=(find.home(f"{_movielens.HOME}ml-10m.zip", "ce571fd55effeba0271552578f2648bd"),),
)


@component("source", SET.name)
class MovieLens10M(NamedTuple):
    """69,878 people, 10,677 films, 10,000,054 ratings from 0.5 to 5."""

    catalog: Which = "rated"

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, found or fetched."""
        return _movielens.read(SET, _movielens.TEN_MILLION, data_dir, self.catalog)
