"""Your own files in parts: `train.csv` and `test.csv`, perhaps with `valid.csv`, side by side.

Their names differ in one word only: `train`, `training` or `base`; `test` or `testing`; `validation`,
`valid`, `val` or `dev`. Each part is read like a file of the source `delimited`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sottovoce.data import find, layout, named_parts
from sottovoce.data.catalogs import of_rows
from sottovoce.data.interactions import Interactions
from sottovoce.data.parts import Rows, agreed, assemble
from sottovoce.data.sources.delimited import Delimited, Opened, titled
from sottovoce.errors import DataError, either
from sottovoce.registry import component


@component("source", "divided")
class Divided(NamedTuple):
    """All parts together. The split `predefined` uses the parts."""

    path: str = ""
    """One of the files."""
    columns: dict[str, str | int] | None = None
    """For user, item, rating, time and title: the name of a column, or its number from 1."""
    separator: str | None = None
    """The text between fields."""
    header: bool | None = None
    """Whether the first line of each file names the columns."""
    encoding: str = "utf-8"
    """The text encoding, for example `latin-1`."""
    scale: tuple[float, float] | None = None
    """The lowest and highest possible rating; if not given, the lowest and highest in the files."""
    day_first: bool | None = None
    """Whether 03/04/2012 is in April; if not given, other dates of the column must show it."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The interactions of all parts."""
        if not self.path:
            raise DataError("The source 'divided' needs files.", "Set data.path to the training set.")
        path = find.file(self.path, data_dir)
        files = named_parts.beside(path)
        if not files:
            raise DataError(
                f"Beside {path} there are no training and test sets of the same name.",
                "Put files such as train.csv and test.csv into one folder.",
            )
        reader = Delimited(*self)
        opened = {part: reader.opened(file) for part, file in files.items()}
        train = reader.layout_of(opened["train"])
        rows, titles = {}, []
        for part, found in opened.items():
            rows[part], called = reader.rows(found, self._layout(found, opened["train"], train, path))
            titles += called if called is not None else [""] * len(rows[part].user)
        rows = agreed(rows)
        return self._together(path, files, rows, titles, train, opened)

    def _layout(self, found: Opened, first: Opened, train: layout.Layout, path: Path) -> layout.Layout:
        """The layout of a part: that of the training set, without the columns that this part lacks."""
        if found is first:
            return train
        names = tuple(found.content.frame.columns)
        if self.columns or found.named != first.named:
            if not self.columns and len(names) == len(train.names):
                return train._replace(names=names)  # only one of the files has a header
            return Delimited(*self).layout_of(found)
        low = [name.strip().casefold() for name in names]
        at = {
            role: low.index(wanted)
            for role in layout.ROLES
            if (place := getattr(train, role)) is not None
            and (wanted := train.names[place].strip().casefold()) in low
        }
        for role in ("user", "item"):
            if role not in at:
                alone = either("load('delimited', path=…)", "--set data.name=delimited --set data.path=…")
                wanted = train.names[getattr(train, role)]
                raise DataError(
                    f"{found.content.where} has no column {wanted!r}, the {role} in {first.content.where}.",
                    f"Give all parts the same columns, or read {path.name} alone with {alone}.",
                )
        return layout.Layout(
            at["user"], at["item"], at.get("rating"), at.get("time"), at.get("title"), names, train.guessed
        )

    def _together(
        self,
        path: Path,
        files: Mapping[str, Path],
        rows: Mapping[str, Rows],
        titles: list[str],
        train: layout.Layout,
        opened: Mapping[str, Opened],
    ) -> Interactions:
        """The parts as one data set. Neighbours that are not used are named."""
        name, items = named_parts.common(path), np.concatenate([part.item for part in rows.values()])
        catalog, notes = titled(name, items, titles) if any(titles) else (of_rows(name, items), ())
        told = dict.fromkeys(note for found in opened.values() for note in found.content.notes)
        said = "; ".join(
            [", ".join(file.name for file in files.values()), opened["train"].kind, str(train), *told]
        )
        others = [file.name for file in named_parts.unused(path) if file not in files.values()]
        if others:
            notes = (*notes, f"Not used, though beside these files: {', '.join(others)}.")
        source = f"{path.parent} ({said})"
        return assemble(name, rows, catalog, scale=self.scale, source=source, notes=notes).whole
