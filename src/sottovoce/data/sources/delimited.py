"""One's own file: CSV, TSV and the like, or Parquet, plain, compressed with gzip, or in a zip archive."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce.data import archive, find, layout, table
from sottovoce.data.interactions import Interactions, build
from sottovoce.errors import DataError
from sottovoce.registry import component


@component("source", "delimited")
class Delimited(NamedTuple):
    """A file with one interaction per line: a person, an item, perhaps a rating and a time.

    What is not given is guessed, and `Interactions.source` says how.
    """

    path: str = ""
    columns: dict[str, str | int] | None = None
    """For user, item, rating and time the name of a column, or its number from 1."""
    separator: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    scale: tuple[float, float] | None = None
    """The lowest and highest rating possible; without it the lowest and highest in the file."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The interactions in the file."""
        if not self.path:
            raise DataError("The source 'delimited' needs a file.", "Set data.path.")
        path = archive.only(find.file(self.path, data_dir))
        name = path.name.removesuffix(".gz")
        if name.endswith((".parquet", ".pq")):
            return self._interactions(table.read_parquet(path), True, Path(name).stem, "Parquet")
        raw = table.decode(path, table.read_bytes(path), self.encoding)
        head = raw[:65536].decode(errors="replace")
        mark = self.separator or layout.separator_of(str(path), head)
        rows = [line.rstrip("\r").split(mark) for line in head.split("\n")[:2]]
        header = layout.has_header([[value.strip('" ') for value in row] for row in rows])
        header = header if self.header is None else self.header
        content = table.split_text(path, raw, mark, header=header)
        shown = layout.SEPARATORS.get(mark, repr(mark))
        kind = f"{shown}-separated, {'with' if header else 'without'} a header"
        return self._interactions(content, header, Path(name).stem, kind)

    def frame(self, frame: Any, name: str) -> Interactions:
        """The interactions in a table in memory."""
        return self._interactions(table.from_frame("The table", frame), True, name, "table in memory")

    def _interactions(self, content: table.Table, named: bool, name: str, kind: str) -> Interactions:
        columns: Mapping[str, str | int] | None = self.columns
        where = layout.given(content, columns) if columns else layout.guess(content, named)
        rating, time = where.rating, where.time
        return build(
            name,
            content.ids(where.user, "user"),
            content.ids(where.item, "item"),
            None if rating is None else content.numbers(rating, "rating", self.scale),
            None if time is None else content.times(time),
            scale=self.scale,
            source=f"{content.where} ({kind}; {where})",
        )
