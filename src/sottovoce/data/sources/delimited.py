"""Your own file: CSV or similar text, JSON lines, or Parquet; plain, gzipped, or in a zip archive."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import archive, find, json_lines, kinds, layout, looks, strays, table, text
from sottovoce.data.catalogs import of_rows
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.parts import Rows
from sottovoce.errors import DataError
from sottovoce.registry import component


class Opened(NamedTuple):
    """A table, and how it was read."""

    content: table.Table
    named: bool
    """Whether a header names the columns."""
    name: str
    kind: str
    nested: Mapping[str, int] | None = None
    """The columns with lists or objects, each with the first row that has one."""


_HEAD = 65536  # bytes from which separator and header are found


@component("source", "delimited")
class Delimited(NamedTuple):
    """A file with one interaction per line: a person, an item, perhaps a rating and a time.

    Settings that are not given are guessed, and `Interactions.source` says how.
    """

    path: str = ""
    """The file."""
    columns: dict[str, str | int] | None = None
    """For user, item, rating, time and title: the name of a column, or its number from 1."""
    separator: str | None = None
    """The text between fields."""
    header: bool | None = None
    """Whether the first line names the columns."""
    encoding: str = "utf-8"
    """The text encoding, for example `latin-1`."""
    scale: tuple[float, float] | None = None
    """The lowest and highest possible rating; if not given, the lowest and highest in the file."""
    day_first: bool | None = None
    """Whether 03/04/2012 is in April; if not given, other dates of the column must show it."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The interactions in the file."""
        if not self.path:
            raise DataError("The source 'delimited' needs a file.", "Set data.path to its path.")
        path = archive.only(find.file(self.path, data_dir))
        return self._interactions(self.opened(path))

    def opened(self, path: Path) -> Opened:
        """The table in a file."""
        raw = table.read_bytes(path)
        name = path.name.removesuffix(".gz")
        stem = Path(name).stem
        if raw.startswith(kinds.PARQUET) or name.endswith((".parquet", ".pq")):
            return Opened(table.read_parquet(path, raw), True, stem, "Parquet")
        kinds.refuse(str(path), raw)
        raw = text.decode(path, raw, self.encoding)
        if json_lines.is_json(name, raw):
            found = json_lines.read(path, raw)
            return Opened(found.table, True, stem, "JSON lines", found.nested)
        return self._text(path, raw, stem)

    def frame(self, frame: Any, name: str) -> Interactions:
        """The interactions in a table in memory."""
        return self._interactions(Opened(table.from_frame("The table", frame), True, name, "table in memory"))

    def _text(self, path: Path, raw: bytes, name: str) -> Opened:
        """The table in delimited text. Comments in the first lines are skipped."""
        before = text.preamble(raw)
        raw, skipped = before.rest, before.lines
        head = _head(raw)
        strays.refuse_drawing(str(path), head)
        mark = self.separator or before.separator or layout.separator_of(str(path), head)
        if mark in ("", '"', "\n", "\r"):
            raise DataError(
                f"{mark!r} cannot separate fields.", "Use another separator, for example ',', ';' or a tab."
            )
        aligned = mark == " " and b'"' not in raw and (b"  " in raw or raw.startswith(b" "))
        if aligned:
            raw = text.single_blanks(raw)
            head = _head(raw)
        rows = layout.records(head, mark)
        header = layout.has_header(rows) if self.header is None else self.header
        numbered = self.header is not False and layout.numbers_columns(rows[0])
        above = [len(layout.records([comment], mark)[0]) == len(rows[0]) > 1 for comment in before.comments]
        last = layout.records(before.comments[-1:], mark)
        if above and above[-1] and self.header is None and not header and layout.names_columns(last[0]):
            raw = before.comments[-1].encode() + b"\n" + raw  # `# user item rating`
            above[-1], header, numbered, skipped = False, True, False, skipped - 1
        if header or looks.number(rows[0][0]) is not None:
            above = [False] * len(above)  # above a header or above numbers, a comment cannot be a row
        _refuse_comments(path, above, skipped, raw)
        content = _content(path, raw, mark, header and not numbered, skipped)
        if numbered:
            content = layout.below_numbers(content, header)
        elif not header and self.header is None:
            layout.refuse_unclear_header(content)
        shown = layout.SEPARATORS.get(mark, repr(mark))
        first = "with a header of column numbers" if numbered else f"with{'' if header else 'out'} a header"
        kind = f"{shown}-separated{' in aligned columns' if aligned else ''}, {first}"
        kind += f", below {len(above)} line{'s' * (len(above) > 1)} of comment" if above else ""
        return Opened(content, header and not numbered, name, kind)

    def _interactions(self, found: Opened) -> Interactions:
        content = found.content
        where = self.layout_of(found)
        rows, titles = self.rows(found, where)
        catalog, notes = titled(found.name, rows.item, titles) if titles is not None else (None, ())
        data = build(
            found.name,
            *rows[:4],
            catalog=catalog,
            scale=self.scale,
            source=f"{content.where} ({'; '.join([found.kind, str(where), *content.notes])})",
        )
        return replace(data, notes=notes)

    def layout_of(self, found: Opened) -> layout.Layout:
        """The columns as given, or guessed."""
        if self.columns:
            return layout.given(found.content, self.columns)
        return layout.guess(found.content, found.named)

    def rows(self, found: Opened, where: layout.Layout) -> tuple[Rows, list[str] | None]:
        """The columns that are used, and the titles of items. Rows are sorted by fractions of a second."""
        content = found.content
        for at in where[:5]:
            if at is not None and (row := (found.nested or {}).get(where.names[at])) is not None:
                raise DataError(
                    f"{content.place(row)} holds a list or an object in {where.names[at]!r}.",
                    "Write a single value, or choose other columns.",
                )
        user, item = content.ids(where.user, "user"), content.ids(where.item, "item")
        if "U" in (user.dtype.kind, item.dtype.kind):  # where all ids are numbers, no row is of another kind
            strays.refuse(content, where.user, where.item)
        value = None if where.rating is None else content.ratings(where.rating, self.scale)
        time = None if where.time is None else content.moments(where.time, self.day_first)
        titles = None if where.title is None else content.texts(where.title)
        if time is None or time.rest is None:
            return Rows(user, item, value, None if time is None else time.seconds, content.place), titles
        order = time.order
        value = None if value is None else value[order]
        titles = None if titles is None else [titles[row] for row in order.tolist()]
        rows = Rows(
            user[order], item[order], value, time.seconds[order], lambda n: content.place(int(order[n]))
        )
        return rows, titles


def _head(raw: bytes) -> list[str]:
    """The first non-empty lines; the last one only if it is complete."""
    lines = text.lines(raw[:_HEAD].decode(errors="replace"))[:50]
    whole = lines[:-1] if len(raw) > _HEAD and len(lines) > 1 else lines
    return [line for line in whole if line.strip()] or lines


def _refuse_comments(path: Path, above: list[bool], skipped: int, raw: bytes) -> None:
    """Refuse a line that could be a comment or a row."""
    line = above.index(True) + 1 if True in above else text.later_comment(raw)
    if line is None:
        return
    raise DataError(
        f"{path}, line {line + (0 if True in above else skipped)} could be a comment, or an ordinary row.",
        "Remove it, or put its first field in quotation marks.",
    )


def _content(path: Path, raw: bytes, mark: str, header: bool, skipped: int) -> table.Table:
    """The table. Quotation marks group fields, unless that fails with an unusual separator."""
    if mark == "::" and b":::" in raw and (odd := re.search(rb"(?<!:)(?:::)+:(?!:)", raw)):
        line = raw.count(b"\n", 0, odd.start()) + 1 + skipped
        raise DataError(
            f"{path}, line {line} has an odd number of colons in a row.",
            "Put exactly two colons between fields.",
        )
    if mark in table.QUOTED or b'"' not in raw:
        return table.split_text(path, raw, mark, header=header, skipped=skipped)
    try:
        return table.split_text(path, raw, mark, header=header, quoted=True, skipped=skipped)
    except DataError as error:
        try:
            return table.split_text(path, raw, mark, header=header, skipped=skipped)
        except DataError:
            raise error from None


def titled(name: str, item: NDArray[Any], titles: Sequence[str]) -> tuple[Catalog, tuple[str, ...]]:
    """A catalogue with the first title of each item, and a note on items with several titles."""
    catalog = of_rows(name, item)
    given = np.array([bool(title) for title in titles])
    ids, first, which = np.unique(item[given], return_index=True, return_inverse=True)
    rows = np.flatnonzero(given)
    written = np.array(titles, np.object_)[rows]
    other = written != written[first][which]
    called = dict(zip(ids.astype(np.str_).tolist(), written[first].tolist(), strict=True))
    catalog = replace(catalog, titles=[called.get(i, "") for i in catalog.ids.tolist()])
    if not other.any():
        return catalog, ()
    at = int(np.flatnonzero(other)[0])
    several, example = len(np.unique(which[other])), ids[which[at]]
    both = f"{called[str(example)]!r} and {written[at]!r} for {str(example)!r}"
    note = (
        f"{several:,} of {len(catalog):,} items have more than one title, such as {both}; the first is kept."
    )
    return catalog, (note,)
