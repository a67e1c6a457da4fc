"""RecBole's atomic files: `NAME.inter` with interactions and `NAME.item` with what is known of items.

Tab-separated, with a header of `name:type` (Zhao et al., RecBole, CIKM 2021).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sottovoce.data import find, layout, table
from sottovoce.data.interactions import Catalog, Interactions, build, extended
from sottovoce.errors import DataError
from sottovoce.registry import component


@component("source", "recbole")
class RecBole(NamedTuple):
    """An `.inter` file, or a folder that holds one; titles and categories from the `.item` file beside it."""

    path: str = ""
    scale: tuple[float, float] | None = None
    """The lowest and highest rating possible; without it the lowest and highest in the file."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The interactions in the file."""
        if not self.path:
            raise DataError("The source 'recbole' needs a file.", "Set data.path to an .inter file.")
        path = find.file(self.path, data_dir)
        if path.is_dir():
            path = next(iter(sorted(path.glob("*.inter")) + sorted(path.glob("*.inter.gz"))), path / ".inter")
        return read(path, self.scale)


def read(path: Path, scale: tuple[float, float] | None = None) -> Interactions:
    """The interactions in an `.inter` file, with the items of the `.item` file beside it."""
    content = table.read_text(path, "\t", header=True)
    where = layout.guess(content, True)
    name = path.name.removesuffix(".gz").removesuffix(".inter")
    item = content.ids(where.item, "item")
    about = find.beside(path, f"{name}.item")
    catalog = None if about is None else extended(_catalog(about, name), np.unique(item).tolist())
    return build(
        name,
        content.ids(where.user, "user"),
        item,
        None if where.rating is None else content.numbers(where.rating, "rating", scale),
        None if where.time is None else content.times(where.time),
        catalog=catalog,
        scale=scale,
        source=f"{path} (RecBole atomic file; {where})",
    )


def _catalog(path: Path, name: str) -> Catalog:
    content = table.read_text(path, "\t", header=True)
    names = [column.split(":")[0].lower() for column in content.frame.columns]

    def column(*words: str) -> list[str] | None:
        found = (n for n, title in enumerate(names) if any(word in title for word in words))
        return next((content.texts(n) for n in found), None)

    titles, years, kinds = column("title", "name"), column("year"), column("class", "genre", "categor")
    if titles and years:
        titles = [
            f"{title} ({year})" if year.isdecimal() else title
            for title, year in zip(titles, years, strict=True)
        ]
    categories = None if kinds is None else [tuple(kind.split()) for kind in kinds]
    ids = content.ids(next((n for n, title in enumerate(names) if title == "item_id"), 0), "item")
    return Catalog(name, ids.astype(np.str_), titles, categories)
