"""The files of MovieLens 100K: the original `u.data` and `u.item`, or the copy that RecBole ships."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from sottovoce.data import find, table
from sottovoce.data.interactions import Catalog, Interactions, build, extended
from sottovoce.data.sources import recbole
from sottovoce.data.sources.interface import Dataset

NAME = "ml-100k"
TERMS = "Research use, no redistribution, no commercial use without permission; cite Harper & Konstan 2015."
SCALE = (1.0, 5.0)
GENRES = (
    "unknown",
    "Action",
    "Adventure",
    "Animation",
    "Children's",
    "Comedy",
    "Crime",
    "Documentary",
    "Drama",
    "Fantasy",
    "Film-Noir",
    "Horror",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
    "Western",
)
URL = "https://files.grouplens.org/datasets/movielens/ml-100k.zip"
ARCHIVE_SHA256 = "50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229"
RATINGS_SHA256 = "06416e597f82b7342361e41163890c81036900f418ad91315590814211dca490"
"""Of `u.data`. The rows of `ml-100k.inter` in RecBole are the same bytes."""
RECBOLE_ITEMS_SHA256 = "51d7cdf777ce5c0f5b32c1d947a4a81fe07d75e78abbe761e0cd4d0756064532"


def obtain(data_dir: Path | None) -> Interactions:
    """The ratings, downloaded if they are missing."""
    path, where = SET.obtain(data_dir)
    if ".inter" in path.name:
        return replace(recbole.read(path, SCALE), name=NAME, terms=TERMS, source=where)
    return read(path, where)


def read(path: Path, where: str) -> Interactions:
    """The ratings in `u.data`, with titles and genres from `u.item` beside it, if it exists."""
    content = table.read_text(path, "\t", fields=4)
    item = content.ids(1, "item")
    about = find.beside(path, "u.item")
    return build(
        NAME,
        content.ids(0, "user"),
        item,
        content.numbers(2, "rating", SCALE),
        content.times(3),
        catalog=None if about is None else extended(_catalog(about), np.unique(item).tolist()),
        scale=SCALE,
        terms=TERMS,
        source=where if about else f"{where}, without titles because u.item is missing",
    )


def _catalog(path: Path) -> Catalog:
    """The films of `u.item`: `id|title|date|date|address|19 genre flags`."""
    content = table.read_text(path, "|", fields=5 + len(GENRES), encoding="latin-1")
    flags = np.stack([content.numbers(5 + n, "genre flag", (0, 1)) for n in range(len(GENRES))])
    categories = [tuple(g for g, flag in zip(GENRES, film, strict=True) if flag) for film in flags.T]
    return Catalog(NAME, content.ids(0, "item").astype(np.str_), content.texts(1), categories)


def _from_home(folder: Path) -> None:
    archive = find.download(URL, ARCHIVE_SHA256, limit=20_000_000)
    files = find.members(archive, {"u.item": f"{NAME}/u.item", "u.data": f"{NAME}/u.data"})
    find.verify("u.data in the archive", files["u.data"], RATINGS_SHA256)
    find.store(folder, files)


def _from_recbole(folder: Path) -> None:
    inside = f"recbole/dataset_example/{NAME}/{NAME}"
    wheel = find.wheel("recbole==1.2.1")
    files = find.members(wheel, {f"{NAME}.item": f"{inside}.item", f"{NAME}.inter": f"{inside}.inter"})
    find.verify(f"{NAME}.item in the wheel", files[f"{NAME}.item"], RECBOLE_ITEMS_SHA256)
    rows = files[f"{NAME}.inter"].partition(b"\n")[2]
    find.verify(f"{NAME}.inter in the wheel", rows, RATINGS_SHA256)
    find.store(folder, files)


SET = Dataset(
    NAME,
    ("u.data", f"{NAME}.inter"),
    TERMS,
    "https://grouplens.org/datasets/movielens/100k/",
    ways=(
        find.Fetch(f"download from {URL}", _from_home),
        find.Fetch("the copy in the package recbole 1.2.1", _from_recbole),
    ),
)
