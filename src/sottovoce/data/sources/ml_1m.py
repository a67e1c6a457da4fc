"""MovieLens 1M (Harper & Konstan, ACM TiiS 5(4), 2015): `ratings.dat` and `movies.dat`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data import find
from sottovoce.data.catalogs import Which
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Dataset, _movielens
from sottovoce.registry import component

SET = Dataset(
    "ml-1m",
    ("ratings.dat",),
    _movielens.RESEARCH,
    "https://grouplens.org/datasets/movielens/",
    ways=(
        find.home(
            f"{_movielens.HOME}ml-1m.zip", "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"
        ),
    ),
)


@component("source", SET.name)
class MovieLens1M(NamedTuple):
    """6,040 people, 3,706 films, 1,000,209 ratings from 1 to 5."""

    catalog: Which = "rated"

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, found or fetched."""
        return _movielens.read(SET, _movielens.ONE_MILLION, data_dir, self.catalog)
