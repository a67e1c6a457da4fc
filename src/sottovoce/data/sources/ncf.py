"""The files of NCF (He et al., WWW 2017) and of code that followed it, PEPPER's included.

`NAME.train.rating`, `.test.rating` and perhaps `.validation.rating`: tab-separated, without a header,
`user item rating time`, or PEPPER's `user item rating category latitude longitude`; ratings and what
follows may be left out. `.test.negative` and `.validation.negative`: for each line of the `.rating`
`(user,item)` and the items to rank that item against.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import archive, find, table
from sottovoce.data.catalogs import choose, of_rows
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.data.parts import Parts, Rows, assemble
from sottovoce.data.sources import _places
from sottovoce.errors import DataError
from sottovoce.registry import component

_ENDS = re.compile(r"\.(train|test|validation)\.(rating|negative)(\.gz)?$")


@component("source", "ncf")
class NCF(NamedTuple):
    """All parts of a divided data set together; the split `predefined` keeps them apart."""

    path: str = ""
    """One of the files, what their names begin with, or a folder with one such set."""
    scale: tuple[float, float] | None = None
    """The lowest and highest rating possible; without it the lowest and highest in the files."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The interactions of all parts."""
        if not self.path:
            raise DataError("The source 'ncf' needs files.", "Set data.path to the .train.rating file.")
        return read_parts(self.path, data_dir, self.scale).whole


def read_parts(
    path: str | Path, data_dir: Path | None = None, scale: tuple[float, float] | None = None
) -> Parts:
    """Train, test and validation sets with the negatives of the latter two, as far as there are files.

    `path` is one of the files, what their names begin with, or a folder with one such set.
    """
    train = _train(str(path), data_dir)
    name = _ENDS.sub("", train.name)
    contents, rows = {}, {}
    for part in ("train", "validation", "test"):
        found = find.beside(train, f"{name}.{part}.rating")
        if found is None and part != "validation":
            raise DataError(f"{train.parent} holds no {name}.{part}.rating.", "Put it beside the others.")
        if found is not None:
            contents[part] = content = table.read_text(found, "\t")
            rows[part] = _columns(content, scale)
            negative = find.beside(train, f"{name}.{part}.negative")
            if negative is not None:
                rows[part] = rows[part]._replace(negatives=_negatives(negative, rows[part]))
    ids = [ids for part in rows.values() for ids in (part.item, part.negatives) if ids is not None]
    catalog = choose(_catalog(name, list(contents.values()), rows), np.concatenate([i.ravel() for i in ids]))
    notes = dict.fromkeys(note for content in contents.values() for note in content.notes)
    said = "; ".join([f"NCF files of {name}", *notes])
    return assemble(name, rows, catalog, scale=scale, source=f"{train.parent} ({said})")


def _train(path: str, data_dir: Path | None) -> Path:
    """The `.train.rating` file that a path means."""
    base = _ENDS.sub("", path)
    for end in ("", ".gz"):
        try:
            return find.file(f"{base}.train.rating{end}", data_dir)
        except DataError:
            continue
    folder = find.file(path, data_dir)
    found = sorted(folder.glob("*.train.rating*")) if folder.is_dir() else []
    if folder.suffix == ".zip":
        found = [folder / n for n in archive.names(folder) if re.search(r"\.train\.rating(\.gz)?$", n)]
    if len(found) != 1:
        held = ", ".join(f.name for f in found) or "none"
        raise DataError(f"{folder} does not hold exactly one .train.rating file: {held}.", "Name the file.")
    return found[0]


def _columns(content: table.Table, scale: tuple[float, float] | None) -> Rows:
    width = content.frame.width
    if width not in (2, 3, 4, 6):
        raise DataError(f"{content.place(0)} has {width} fields.", "Lines of NCF have two to four, or six.")
    return Rows(
        content.ids(0, "user"),
        content.ids(1, "item"),
        content.ratings(2, scale) if width > 2 else None,
        content.moments(3).seconds if width == 4 else None,
    )


def _negatives(path: Path, rows: Rows) -> NDArray[Any]:
    """The ids after `(user,item)`, which must be those of the same line of the ratings."""
    content = table.read_text(path, "\t")
    named = [f"({user},{item})" for user, item in zip(rows.user.tolist(), rows.item.tolist(), strict=True)]
    keys = [key.replace(" ", "") for key in content.texts(0)]
    if keys != named:
        pairs = enumerate(zip(keys, named, strict=False))
        at = next((n for n, (key, name) in pairs if key != name), min(len(keys), len(named)) - 1)
        raise DataError(
            f"{path} does not belong to the ratings: it has {len(keys)} lines for {len(named)}, and "
            f"line {at + 1} begins with {keys[at]} for {named[at]}.",
            "Give a line (user,item) for each rating, in the same order.",
        )
    return np.stack([content.ids(n, "item") for n in range(1, content.frame.width)], 1)


def _catalog(name: str, contents: list[table.Table], rows: dict[str, Rows]) -> Catalog:
    """What lines of six fields say about items; otherwise items by their ids alone."""
    if any(content.frame.width != 6 for content in contents):
        ids = [
            ids.ravel() for part in rows.values() for ids in (part.item, part.negatives) if ids is not None
        ]
        return of_rows(name, np.concatenate(ids))
    items = np.concatenate([part.item for part in rows.values()])
    kinds = [kind for content in contents for kind in content.texts(3)]
    places = [_places.coordinates(content, 4) for content in contents]
    latitude, longitude = (np.concatenate(column) for column in zip(*places, strict=True))
    return of_rows(name, items, kinds, (latitude, longitude))
