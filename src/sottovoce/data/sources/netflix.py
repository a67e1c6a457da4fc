"""Netflix Prize (Bennett & Lanning, KDD Cup 2007): `combined_data_1.txt` to `_4.txt`, `movie_titles.csv`.

A line `film:` begins a film, and the lines after it are `user,rating,date`. Lines of titles are
`id,year,title`; a title can contain commas.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sottovoce.data import find, table
from sottovoce.data.catalogs import choose, of_rows
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.sources.interface import Dataset
from sottovoce.errors import DataError
from sottovoce.registry import component

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FILES = tuple(f"combined_data_{n}.txt" for n in range(1, 5))
SET = Dataset(
    "netflix",
    _FILES,
    "Research use under the terms of the Netflix Prize; no redistribution; cite Bennett & Lanning 2007.",
    "https://www.kaggle.com/datasets/netflix-inc/netflix-prize-data",
    folders=("netflix-prize-data",),
)
SCALE = (1.0, 5.0)


@component("source", "netflix", dataset=SET)
class Netflix(NamedTuple):
    """480,189 people, 17,770 films, 100,480,507 ratings from 1 to 5, in four files."""

    files: tuple[int, ...] = (1, 2, 3, 4)
    """Which of the four files to read."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings of the chosen files."""
        first, where = SET.obtain(data_dir)
        parts = []
        for number in self.files:
            path = find.beside(first, f"combined_data_{number}.txt")
            if path is None:
                raise DataError(
                    f"{first.parent} holds no combined_data_{number}.txt.",
                    "Put it into the folder, or set data.files to the existing ones, for example [1].",
                )
            parts.append(_ratings(path))
        user, item, value, time = (np.concatenate([part[n] for part in parts]) for n in range(4))
        about = find.beside(first, "movie_titles.csv")
        catalog = of_rows(SET.name, item) if about is None else _films(about)
        chosen = ", ".join(map(str, self.files))
        return build(
            SET.name,
            user,
            item,
            value,
            time,
            catalog=choose(catalog, item),
            scale=SCALE,
            terms=SET.terms,
            source=f"{where} (files {chosen})",
        )


def _ratings(
    path: Path,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """User, film, rating and time of every rating in a file."""
    import polars as pl

    raw = table.decode(path, table.read_bytes(path))
    lines = pl.read_csv(raw, has_header=False, infer_schema=False, separator="\x1f", quote_char=None)
    text = lines.to_series().rename("line")
    heads = text.str.strip_suffix(":").cast(pl.Int64, strict=False).set(~text.str.ends_with(":"), None)
    film, at = heads.forward_fill(), np.flatnonzero(heads.is_null().to_numpy())
    if film.null_count():
        raise DataError(
            f"{path}, line 1 belongs to no film: no line above it ends in a colon.",
            "Write a line with the number of the film and a colon above the ratings, for example 1:.",
        )
    fields = (
        text.gather(at).str.splitn(",", 3).struct.rename_fields(["user", "rating", "date"]).struct.unnest()
    )
    content = table.Table(str(path), fields.with_columns(film=film.gather(at)), at + 1)
    return (
        content.ids(0, "user"),
        content.ids(3, "film"),
        content.numbers(1, "rating", SCALE).astype(np.float32),
        content.times(2),
    )


def _films(path: Path) -> Catalog:
    text = table.decode(path, table.read_bytes(path), "latin-1").decode()
    ids, titles = [], []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.fullmatch(r"(\d+),(\d{4}|NULL),(.+)", line.strip())
        if match is None:
            raise DataError(
                f"{path}, line {number} is not of the form id,year,title.", "Write it in this form."
            )
        ids.append(match[1])
        titles.append(match[3] if match[2] == "NULL" else f"{match[3]} ({match[2]})")
    return Catalog(SET.name, np.array(ids, np.str_), titles)
