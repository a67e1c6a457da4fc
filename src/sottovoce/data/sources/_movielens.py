"""What the editions of MovieLens and their kin share: ratings in one file, films in another beside it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sottovoce.data import find, table
from sottovoce.data.catalogs import Which, choose, of_rows
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.sources import Dataset

RESEARCH = (
    "Research use, no redistribution, no commercial use without permission; cite Harper & Konstan 2015."
)
SHARED = "Research use, redistribution under the same terms, no commercial use; cite Harper & Konstan 2015."
HOME = "https://files.grouplens.org/datasets/movielens/"
NO_GENRES = "(no genres listed)"


class Layout(NamedTuple):
    """How the files of an edition are written."""

    separator: str
    header: bool
    encoding: str
    scale: tuple[float, float]


ONE_MILLION = Layout("::", False, "latin-1", (1.0, 5.0))
TEN_MILLION = Layout("::", False, "utf-8", (0.5, 5.0))
CSV = Layout(",", True, "utf-8", (0.5, 5.0))


def read(dataset: Dataset, form: Layout, data_dir: Path | None, which: Which = "rated") -> Interactions:
    """The ratings, with titles and genres of the films in `movies.…` beside `ratings.…`."""
    path, where = dataset.obtain(data_dir)
    content = table.read_text(path, form.separator, header=form.header, fields=4)
    item = content.ids(1, "item")
    about = find.beside(path, path.name.removesuffix(".gz").replace("ratings", "movies"))
    catalog = of_rows(dataset.name, item) if about is None else films(about, dataset.name, form)
    return build(
        dataset.name,
        content.ids(0, "user"),
        item,
        content.numbers(2, "rating", form.scale),
        content.times(3),
        catalog=choose(catalog, item, which),
        scale=form.scale,
        terms=dataset.terms,
        source=where if about else f"{where}, without titles because there is no list of films",
    )


def films(path: Path, name: str, form: Layout) -> Catalog:
    """`id, title, genre|genre|…`"""
    content = table.read_text(path, form.separator, header=form.header, fields=3, encoding=form.encoding)
    genres = [tuple(g for g in kinds.split("|") if g and g != NO_GENRES) for kinds in content.texts(2)]
    return Catalog(name, content.ids(0, "item").astype(np.str_), content.texts(1), genres)
