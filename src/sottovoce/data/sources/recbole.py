"""RecBole's atomic files: `NAME.inter` with interactions, and `NAME.item` with properties of items.

They are tab-separated, with a header of `name:type`; the type is `token`, `token_seq`, `float` or
`float_seq` (Zhao et al., RecBole, CIKM 2021). A data set in parts consists of `NAME.train.inter`,
`NAME.valid.inter` and `NAME.test.inter`, or of `NAME.part1.inter` to `NAME.part3.inter`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import find, layout, strays, table, unknown
from sottovoce.data.catalogs import of_rows
from sottovoce.data.interactions import Catalog, Interactions, build, extended
from sottovoce.data.named_parts import SPELLED
from sottovoce.data.parts import Parts, Rows, agreed, assemble
from sottovoce.data.sources import _places
from sottovoce.errors import DataError
from sottovoce.registry import component

TYPES = ("token", "token_seq", "float", "float_seq")
DIVIDED: tuple[dict[str, tuple[str, ...]], ...] = (
    SPELLED,
    {"train": ("part1",), "validation": ("part2",), "test": ("part3",)},
)
_PART = re.compile(
    rf"(.+)\.({'|'.join(word for way in DIVIDED for words in way.values() for word in words)})\.inter(\.gz)?"
)


@component("source", "recbole")
class RecBole(NamedTuple):
    """An `.inter` file, with titles and categories from the `.item` file beside it."""

    path: str = ""
    """The `.inter` file, or a folder with one."""
    scale: tuple[float, float] | None = None
    """The lowest and highest possible rating; if not given, the lowest and highest in the file."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The interactions in the file; those of all parts if the data set is in parts."""
        if not self.path:
            raise DataError("The source 'recbole' needs a file.", "Set data.path to an .inter file.")
        path = _inter(self.path, data_dir)
        if _divided(path) is not None:
            return read_parts(path, None, self.scale).whole
        return read(path, self.scale)


def _inter(path: str | Path, data_dir: Path | None) -> Path:
    """The file itself, or the first `.inter` file in a folder."""
    found = find.file(str(path), data_dir)
    if not found.is_dir():
        return found
    return next(iter(sorted(found.glob("*.inter")) + sorted(found.glob("*.inter.gz"))), found / ".inter")


def read(path: Path, scale: tuple[float, float] | None = None) -> Interactions:
    """The interactions in an `.inter` file, with the items of the `.item` file beside it."""
    rows, where, notes = _rows(path, scale)
    name = path.name.removesuffix(".gz").removesuffix(".inter")
    about = find.beside(path, f"{name}.item")
    catalog, lacking = _listed(about, name, rows.item)
    said = "; ".join(["RecBole atomic file", str(where), *notes])
    data = build(name, *rows[:4], catalog=catalog, scale=scale, source=f"{path} ({said})")
    return replace(data, notes=lacking)


def read_parts(
    path: str | Path, data_dir: Path | None = None, scale: tuple[float, float] | None = None
) -> Parts:
    """The parts of a data set. `path` is one of its files, or the folder with them."""
    first = _inter(path, data_dir)
    found = _divided(first)
    if found is None:
        raise DataError(
            f"{first} does not belong to a data set in parts.",
            "Put NAME.train.inter, NAME.valid.inter and NAME.test.inter into one folder.",
        )
    name, files = found
    found_rows = {part: _rows(file, scale) for part, file in files.items()}
    said = dict.fromkeys(told for _, where, notes in found_rows.values() for told in (str(where), *notes))
    rows = agreed({part: one[0] for part, one in found_rows.items()})
    items = np.concatenate([part.item for part in rows.values()])
    catalog, notes = _listed(find.beside(first, f"{name}.item"), name, items)
    source = f"{first.parent} ({'; '.join([f'RecBole atomic files of {name}', *said])})"
    return assemble(name, rows, catalog or of_rows(name, items), scale=scale, source=source, notes=notes)


def _listed(about: Path | None, name: str, item: NDArray[Any]) -> tuple[Catalog | None, tuple[str, ...]]:
    """The listed items and all others with interactions, and notes on the others."""
    if about is None:
        return None, ()
    catalog = _catalog(about, name)
    every = extended(catalog, np.unique(item).tolist())
    return every, unknown.of_catalog(catalog, about.name, item)


def _divided(path: Path) -> tuple[str, dict[str, Path]] | None:
    """The name of the data set that a file belongs to, and the files of its parts; None without parts."""
    match = _PART.fullmatch(path.name)
    if match is None:
        return None
    for scheme in DIVIDED:
        files = {
            part: find.beside(path, *(f"{match[1]}.{word}.inter" for word in words))
            for part, words in scheme.items()
        }
        held = {part: file for part, file in files.items() if file is not None}
        if "train" in held and "test" in held:
            return match[1], held
    return None


def _rows(path: Path, scale: tuple[float, float] | None) -> tuple[Rows, layout.Layout, list[str]]:
    content = _typed(path)
    where = layout.guess(content, True)
    content = content.in_order(where.time)
    strays.refuse(content, where.user, where.item)
    return (
        Rows(
            content.ids(where.user, "user"),
            content.ids(where.item, "item"),
            None if where.rating is None else content.ratings(where.rating, scale),
            None if where.time is None else content.moments(where.time).seconds,
            content.place,
        ),
        where,
        content.notes,
    )


def _typed(path: Path) -> table.Table:
    """The table. Columns without a known type are refused."""
    content = table.read_text(path, "\t", header=True)
    for column in content.frame.columns:
        name, colon, kind = column.partition(":")
        if not colon or kind not in TYPES:
            raise DataError(
                f"{path}, line 1: the column {column!r} has no type.",
                f"Write {name}:token or another of: {', '.join(TYPES)}.",
            )
    return content


def _catalog(path: Path, name: str) -> Catalog:
    """The items, with titles, years, categories and coordinates if columns with such names exist."""
    content = _typed(path)
    columns = [column.lower().split(":") for column in content.frame.columns]

    def find_column(*words: str) -> int | None:
        return next((n for n, (title, _) in enumerate(columns) if any(w in title for w in words)), None)

    def texts(column: int | None) -> list[str] | None:
        return None if column is None else content.texts(column)

    titles, years = texts(find_column("title", "name")), texts(find_column("year"))
    if titles and years:
        titles = [
            f"{title} ({year})" if year.isdecimal() else title
            for title, year in zip(titles, years, strict=True)
        ]
    at, latitude = find_column("class", "genre", "categor"), find_column("latitude")
    # Tokens of a sequence are separated by spaces, or by commas if there are any.
    several = at is not None and columns[at][1] == "token_seq"
    kinds = texts(at)
    categories = None if kinds is None else [_tokens(k) if several else (k,) if k else () for k in kinds]
    place = None
    if latitude is not None and find_column("longitude") == latitude + 1:
        place = np.stack(_places.coordinates(content, latitude), 1).astype(np.float32)
    ids = content.ids(next((n for n, (title, _) in enumerate(columns) if title == "item_id"), 0), "item")
    return Catalog(name, ids.astype(np.str_), titles, categories, place)


def _tokens(text: str) -> tuple[str, ...]:
    parts = (part.strip(" '\"") for part in (text.split(",") if "," in text else text.split()))
    return tuple(part for part in parts if part)
