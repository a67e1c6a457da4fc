"""MovieTweetings (Dooms, De Pessemier & Martens, CrowdRec 2013): ratings that people tweeted."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sottovoce.data import find
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import movielens
from sottovoce.data.sources.interface import Dataset
from sottovoce.registry import component

_FILES = "https://raw.githubusercontent.com/sidooms/MovieTweetings/master/snapshots/100K/"


def _fetch(folder: Path) -> None:
    for kind, checksum in (
        ("movies", "e63fb84bc734e3c574f135634a40d3cbafab22b8f94f5fc0b80f80d1d2076efc"),
        ("ratings", "c0dd868c2632d10002ebc928ddc5345f33adeaa59eca52c2941c26a2c5e36fd6"),
    ):
        find.home(f"{_FILES}{kind}.dat", checksum, 20_000_000, f"100K_{kind}.dat").fill(folder)


SET = Dataset(
    "movietweetings",
    ("100K_ratings.dat", "ratings.dat"),
    "MIT licence; cite Dooms, De Pessemier & Martens 2013.",
    "https://github.com/sidooms/MovieTweetings",
    ways=(find.Fetch(f"download from {_FILES}", _fetch),),
)


@component("source", "movietweetings", dataset=SET)
class MovieTweetings(NamedTuple):
    """16,554 people, 10,506 films, 100,000 ratings from 0 to 10 (the snapshot 100K)."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, downloaded if they are missing."""
        return movielens.read(SET, movielens.Layout("::", False, "utf-8", (0.0, 10.0)), data_dir)
