"""The files of NCF (He et al., WWW 2017) and of code based on it, such as PEPPER's.

`NAME.train.rating`, `NAME.test.rating` and perhaps `NAME.validation.rating` have the tab-separated columns
`user item rating time`, or PEPPER's `user item rating category latitude longitude`. The columns from the
rating on are optional, and a first line may name the columns. `NAME.test.negative` and
`NAME.validation.negative` have one line for each line of the `.rating` file: `(user,item)` and the items to
rank this item against. Lines may have different numbers of items.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import archive, find, ids, layout, strays, table, text
from sottovoce.data.catalogs import choose, of_rows
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.data.named_parts import RATINGS, SPELLED, unused
from sottovoce.data.parts import Negatives, Parts, Rows, agreed, assemble
from sottovoce.data.sources import _places
from sottovoce.errors import DataError
from sottovoce.registry import component


@component("source", "ncf")
class NCF(NamedTuple):
    """All parts of the data set together. The split `predefined` uses the parts."""

    path: str = ""
    """One of the files, the common beginning of their names, or a folder with one such data set."""
    scale: tuple[float, float] | None = None
    """The lowest and highest possible rating; if not given, the lowest and highest in the files."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The interactions of all parts."""
        if not self.path:
            raise DataError("The source 'ncf' needs files.", "Set data.path to the .train.rating file.")
        return read_parts(self.path, data_dir, self.scale).whole


def read_parts(
    path: str | Path, data_dir: Path | None = None, scale: tuple[float, float] | None = None
) -> Parts:
    """Training, test and validation sets, with negatives if there are files of them.

    `path` is one of the files, the common beginning of their names, or a folder with one such data set.
    """
    train = _train(str(path), data_dir)
    name = RATINGS.sub("", train.name)
    contents, rows, used = {}, {}, []
    for part in ("train", "validation", "test"):
        found = find.beside(train, *_named(name, part, "rating"))
        if found is None and part != "validation":
            raise DataError(f"{train.parent} holds no {name}.{part}.rating.", "Put it into the same folder.")
        if found is not None:
            used.append(found)
            contents[part] = content = _ratings(found)
            rows[part] = _columns(content, scale)
            negative = find.beside(train, *_named(name, part, "negative"))
            if negative is not None:
                used.append(negative)
                rows[part] = _with_negatives(negative, rows[part])
    rows = agreed(rows)
    every = np.concatenate([part.items for part in rows.values()])
    catalog = choose(_catalog(name, list(contents.values()), rows, every), every)
    notes = dict.fromkeys(note for content in contents.values() for note in content.notes)
    said = "; ".join([f"NCF files of {name}", *notes])
    others = [f.name for f in unused(train) if f not in used and f.name.startswith(f"{name}.")]
    lone = (f"Not used, though beside these files: {', '.join(others)}.",) if others else ()
    return assemble(name, rows, catalog, scale=scale, source=f"{train.parent} ({said})", notes=lone)


def _named(name: str, part: str, kind: str) -> list[str]:
    """The names that a file of a part can have: `X.test.negative`, `X.test.negatives` and so on."""
    return [f"{name}.{word}.{kind}{end}" for word in SPELLED[part] for end in ("", "s")]


def _ratings(path: Path) -> table.Table:
    raw = table.decode(path, table.read_bytes(path))
    start = text.lines(raw[:65536].decode(errors="replace"))
    head = [line.split("\t") for line in start if line.strip()][:2]
    content = table.split_text(path, raw, "\t", header=layout.has_header(head))
    if layout.numbers_columns(head[0]):
        remedy = "Remove it if it numbers the columns; if it is a row, move it below another one."
        return layout.below_numbers(content, False, remedy)
    return content


def _train(path: str, data_dir: Path | None) -> Path:
    """The `.train.rating` file for a path."""
    base = RATINGS.sub("", path)
    for choice in (name + end for name in _named(base, "train", "rating") for end in ("", ".gz")):
        try:
            return find.file(choice, data_dir)
        except DataError:
            continue
    folder = find.file(path, data_dir)
    found = sorted(folder.glob("*.train.rating*")) if folder.is_dir() else []
    if folder.suffix == ".zip":
        found = [folder / n for n in archive.names(folder) if re.search(r"\.train\.rating(\.gz)?$", n)]
    if len(found) != 1:
        held = ", ".join(f.name for f in found) or "none"
        raise DataError(
            f"{folder} does not hold exactly one .train.rating file: {held}.", "Give the path of one file."
        )
    return found[0]


def _columns(content: table.Table, scale: tuple[float, float] | None) -> Rows:
    width = content.frame.width
    if width not in (2, 3, 4, 6):
        raise DataError(
            f"{content.place(0)} has {width} fields.", "Write two, three, four or six fields per line."
        )
    strays.refuse(content, 0, 1)
    return Rows(
        content.ids(0, "user"),
        content.ids(1, "item"),
        content.ratings(2, scale) if width > 2 else None,
        content.moments(3).seconds if width == 4 else None,
        content.place,
    )


def _with_negatives(path: Path, rows: Rows) -> Rows:
    """The part with its negatives. `(user,item)` must be that of the same line of the ratings."""
    import polars as pl

    whole = table.decode(path, table.read_bytes(path)).decode()
    lines = [(n, line.split("\t")) for n, line in enumerate(text.lines(whole), 1) if line.strip(ids.EDGES)]
    if len(lines) == len(rows.user) + 1 and "(" not in lines[0][1][0]:
        lines = lines[1:]  # without the header
    keys = [_key(fields[0]) for _, fields in lines]
    named = [
        _key(f"{user},{item}") for user, item in zip(rows.user.tolist(), rows.item.tolist(), strict=True)
    ]
    if keys != named:
        pairs = enumerate(zip(keys, named, strict=False))
        at = next((n for n, (key, name) in pairs if key != name), min(len(keys), len(named)) - 1)
        raise DataError(
            f"{path} does not belong to the ratings: it has {len(keys)} lines for {len(named)}, and "
            f"line {lines[at][0]} begins with ({keys[at]}) for ({named[at]}).",
            "Write one line that begins with (user,item) for each rating, in the same order.",
        )
    given = [[field for field in fields[1:] if field.strip(ids.EDGES)] for _, fields in lines]
    counts = np.array([len(fields) for fields in given], np.int64)
    if not counts.all():
        line = lines[int(np.flatnonzero(counts == 0)[0])][0]
        raise DataError(
            f"{path}, line {line} names no items to rank against.", "Add items, or remove the file."
        )
    frame = pl.DataFrame(
        {"negative": [field for fields in given for field in fields]}, {"negative": pl.String}
    )
    content = table.Table(str(path), frame, np.repeat([n for n, _ in lines], counts))
    return rows._replace(negatives=Negatives(content.ids(0, "item"), counts, content.place))


def _key(written: str) -> str:
    """`(user,item)` without brackets and blanks, with numbers in their plain spelling."""
    inner = written.strip(ids.EDGES).removeprefix("(").removesuffix(")")
    return ",".join(ids.plain(ids.clean(part)) for part in inner.split(","))


def _catalog(name: str, contents: list[table.Table], rows: dict[str, Rows], every: NDArray[Any]) -> Catalog:
    """The catalogue: with categories and coordinates if lines have six fields, else only ids."""
    if any(content.frame.width != 6 for content in contents):
        return of_rows(name, every)
    items = np.concatenate([part.item for part in rows.values()])
    kinds = [kind for content in contents for kind in content.texts(3)]
    places = [_places.coordinates(content, 4) for content in contents]
    latitude, longitude = (np.concatenate(column) for column in zip(*places, strict=True))
    return of_rows(name, items, kinds, (latitude, longitude))
