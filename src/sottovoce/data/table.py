"""Read the columns of a text file, and report every bad value with its line.

Everything is read as text and checked here. Readers that guess types do not report the line or the value
that they could not use, and silently fill up short lines.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import archive, bounded, clock, decimals, ids, quotes
from sottovoce.data.text import decode as decode
from sottovoce.data.text import one_line_end, without_blank_lines
from sottovoce.errors import DataError, either

if TYPE_CHECKING:
    import polars as pl

QUOTED = (",", ";")
"""Separators with which quotation marks always group fields."""
_UNIT = "\x1f"  # replaces separators of two characters, which the reader does not support
_WIDEST = 10_000
_ONE_LINE = (
    "Give a file with at least one row. If the line is a row, set "
    f"{either('header=False', '--set data.header=false')}."
)


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of one file or DataFrame, and the lines of its rows."""

    where: str
    frame: pl.DataFrame
    lines: NDArray[np.int64] | None = None
    """The line of each row; None if rows have no lines (Parquet, tables in memory)."""
    notes: list[str] = field(default_factory=list)
    """How values were understood, if users should know it: units of time, decimal commas."""

    def place(self, row: int) -> str:
        """A description of the place of a row, for errors."""
        if self.lines is None:
            return f"{self.where}, row {row + 1}"
        return f"{self.where}, line {self.lines[row]}"

    def ids(self, column: int, what: str) -> NDArray[Any]:
        """A column of ids: int64 if all are whole numbers, else text."""

        def refuse(bad: NDArray[np.bool_], problem: str, remedy: str) -> None:
            self._refuse(column, bad, problem, remedy)

        return ids.column(self.frame.to_series(column), what, refuse, self.place)

    def numbers(
        self, column: int, what: str, scale: tuple[float, float] | None = None, *, gaps: bool = False
    ) -> NDArray[np.float64]:
        """A column of finite numbers, within `scale` if given. With `gaps`, empty fields become NaN."""
        series = self.frame.to_series(column)
        found, commas = decimals.floats(series)
        values = found.to_numpy()
        if commas:
            self.notes.append(f"{self.frame.columns[column]} with decimal commas")
        remedy = "Correct the value, or remove the line."
        wrong = np.isnan(values)
        if gaps:
            wrong &= series.fill_null("").str.strip_chars().to_numpy() != ""
        self._refuse(column, wrong, f"has a {what} that is not a number", remedy)
        self._refuse(column, np.isinf(values), f"has a {what} that is not finite", remedy)
        if scale is not None:
            low, high = scale
            decimals.check_scale(low, high)
            outside = (values < low) | (values > high)
            self._refuse(column, outside, f"has a {what} outside {low:g} to {high:g}", remedy)
        return values

    def ratings(self, column: int, scale: tuple[float, float] | None = None) -> NDArray[np.float64]:
        """A column of ratings. Without a `scale`, doubtful ratings are refused (see `decimals.doubt`)."""
        self._refuse(column, *decimals.grouped(self.frame.to_series(column)))
        values = self.numbers(column, "rating", scale)
        doubt = decimals.doubt(values, self.frame.columns[column]) if scale is None else None
        if doubt is not None:
            self._refuse(column, *doubt)
        if scale is None and (zeros := decimals.zeros(values)):
            self.notes.append(f'{zeros:,} of {len(values):,} ratings are 0, which often means "not rated"')
        return values

    def times(self, column: int) -> NDArray[np.int64]:
        """A column of a published format as seconds since 1970. It must hold seconds or dates."""
        found = self.moments(column)
        if found.note not in ("", clock.STEPS):
            raise DataError(
                f"{self.where} differs from the published file: {found.note}.", "Get the original file."
            )
        return found.seconds

    def moments(self, column: int, day_first: bool | None = None) -> clock.Times:
        """A column of times in any format. `day_first`: whether 03/04/2012 is in April."""
        found = clock.read(self.frame.to_series(column), day_first)
        if found.wrong is not None:
            self._refuse(column, *found.wrong)
        if found.note:
            self.notes.append(found.note)
        return found

    def in_order(self, column: int | None) -> Table:
        """The table sorted by time, if times have fractions of a second; else unchanged."""
        found = None if column is None else clock.read(self.frame.to_series(column))
        if found is None or found.rest is None or self.lines is None:
            return self
        return Table(self.where, self.frame[found.order], self.lines[found.order], self.notes)

    def texts(self, column: int) -> list[str]:
        """A column of text. Empty fields become empty texts."""
        return [(value or "").strip() for value in self.frame.to_series(column)]

    def _refuse(self, column: int, bad: NDArray[np.bool_], problem: str, remedy: str) -> None:
        """Raise an error about the first bad value, with the number of bad values."""
        rows = np.flatnonzero(bad)
        if len(rows) == 0:
            return
        series, name = self.frame.to_series(column), self.frame.columns[column]
        value = "a list" if series.dtype.is_nested() else series[int(rows[0])]
        said = isinstance(value, str) and not series.dtype.is_nested()
        shown = "nothing" if value is None or value == "" else repr(value) if said else f"{value}"
        more = f" It is the first of {len(rows)} such values." if len(rows) > 1 else ""
        raise DataError(f"{self.place(int(rows[0]))} {problem}: column {name} holds {shown}.{more}", remedy)


def read_bytes(path: Path) -> bytes:
    """The content of a file, on disk or in a zip archive, unpacked if it is gzipped."""
    try:
        place = archive.inside(path)
        raw = bounded.whole(path) if place is None else archive.read(*place)
    except FileNotFoundError:
        raise DataError(f"The file {path} does not exist.", "Check the path.") from None
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from None
    if path.suffix == ".gz" and raw and not raw.startswith(bounded.GZIP):
        raise DataError(f"{path} is not a complete gzip file.", "Download or compress it again.")
    return bounded.unpack(raw, str(path))


def read_text(
    path: Path, separator: str, *, header: bool = False, fields: int | None = None, encoding: str = "utf-8"
) -> Table:
    """Read a delimited text file. Each line must have `fields` fields, or as many as the first one.

    Quotation marks group fields that are separated by commas or semicolons. With other separators they
    are ordinary characters.
    """
    return split_text(path, decode(path, read_bytes(path), encoding), separator, header=header, fields=fields)


def split_text(
    path: Path,
    raw: bytes,
    separator: str,
    *,
    header: bool = False,
    fields: int | None = None,
    quoted: bool | None = None,
    skipped: int = 0,
) -> Table:
    """Split the result of `decode` into columns. With `header`, the first line names them.

    `quoted`: whether quotation marks group fields. `skipped`: how many lines came before, for line numbers.
    """
    import polars as pl

    quoted = separator in QUOTED if quoted is None else quoted
    if quoted and b'"' in raw and not _regular(raw, separator):
        found, at = quotes.rows(path, raw.decode(), separator, 1 + skipped)
        filled = [n for n, row in enumerate(found) if len(row) > 1 or row[0].strip()]
        found, lines = [found[n] for n in filled], np.array(at, np.int64)[filled]
        _same(path, np.array([len(row) for row in found]), lines, fields)
        frame = pl.DataFrame(found, {f"#{n + 1}": pl.String for n in range(len(found[0]))}, orient="row")
    else:
        raw, filled_lines = without_blank_lines(one_line_end(raw, quoted), separator, quoted)
        if len(separator.encode()) > 1:
            raw, separator = _short(path, raw, separator.encode()), _UNIT
        lines = _check(path, raw, separator.encode(), quoted, fields, skipped, filled_lines)
        quote = '"' if quoted else None
        frame = pl.read_csv(raw, has_header=False, infer_schema=False, separator=separator, quote_char=quote)
        frame.columns = [f"#{n + 1}" for n in range(frame.width)]
    if frame.height != len(lines):
        raise DataError(
            f"{path} has {len(lines)} lines, but {frame.height} rows were read.",
            "Remove quotation marks that do not enclose a field.",
        )
    if header:
        frame, lines = _named(path, frame, int(lines[0])), lines[1:]
    return Table(str(path), frame, lines)


def _regular(raw: bytes, separator: str) -> bool:
    mark = separator.encode()
    return len(mark) == 1 and quotes.regular(np.frombuffer(raw, np.uint8), mark[0])


def _short(path: Path, raw: bytes, separator: bytes) -> bytes:
    """The same text with a separator of one character, which must not occur in it."""
    unit = _UNIT.encode()
    if unit in raw:
        line = raw.count(b"\n", 0, raw.index(unit)) + 1
        raise DataError(f"{path}, line {line} holds the control character 0x1f.", "Remove it.")
    return raw.replace(separator, unit)


def _named(path: Path, frame: pl.DataFrame, line: int) -> pl.DataFrame:
    """The rows below the header, with the names of the columns."""
    names = [(name or "").strip() or f"#{n + 1}" for n, name in enumerate(frame.row(0))]
    repeated = [name for n, name in enumerate(names) if name in names[:n]]
    if repeated:
        raise DataError(f"{path}, line {line} names the column {repeated[0]!r} twice.", "Rename one of them.")
    frame = frame.slice(1)
    frame.columns = names
    if frame.height == 0:
        raise DataError(f"{path} has a header and nothing else.", _ONE_LINE)
    return frame


def _check(
    path: Path,
    raw: bytes,
    separator: bytes,
    quoted: bool,
    fields: int | None,
    skipped: int,
    known: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Check that all rows have the same number of fields, and return the line at which each row begins.

    `known` gives the lines if blank lines were removed. `skipped` lines came before.
    """
    text = np.frombuffer(raw, np.uint8)
    ends, marks = text == ord("\n"), text == ord(separator)
    lines = None if known is None else known + skipped
    if quoted and b'"' in raw:
        inside = np.logical_xor.accumulate(text == ord('"'))
        if lines is None:
            starts = np.concatenate(([0], np.flatnonzero(ends & ~inside) + 1))
            lines = np.searchsorted(np.flatnonzero(ends), starts).astype(np.int64) + 1 + skipped
        ends, marks = ends & ~inside, marks & ~inside
    stops, places = np.append(np.flatnonzero(ends), len(text)), np.flatnonzero(marks)
    if lines is None:
        lines = np.arange(1, len(stops) + 1) + skipped
    wanted = fields or int(np.searchsorted(places, stops[0])) + 1
    if wanted <= _WIDEST and _alike(places, stops, wanted - 1):
        return lines
    _same(path, np.diff(np.searchsorted(places, stops), prepend=0) + 1, lines, fields)
    return lines


def _same(path: Path, counts: NDArray[np.int64], lines: NDArray[np.int64], fields: int | None) -> None:
    """Refuse rows whose number of fields is not `fields`, or not that of the first row."""
    wanted = fields or int(counts[0])
    bad = np.flatnonzero(counts != wanted)
    if len(bad):
        line, found = int(lines[bad[0]]), int(counts[bad[0]])
        expected = f"must have {fields}" if fields else f"the first line has {wanted}"
        raise DataError(
            f"{path}, line {line} has {found} {'field' if found == 1 else 'fields'}, but {expected}.",
            "Correct the number of fields in this line, or remove it.",
        )
    if wanted > _WIDEST:
        raise DataError(
            f"{path} has {wanted:,} columns, which is too many.",
            "Give a table with one interaction per line: user, item, rating, time.",
        )


def _alike(places: NDArray[np.int64], stops: NDArray[np.int64], each: int) -> bool:
    """Whether each row has `each` separators. This is much faster than counting them row by row."""
    if each == 0 or len(places) != each * len(stops):
        return False
    grid = places.reshape(len(stops), each)
    return bool((grid[:, -1] < stops).all() and (grid[1:, 0] > stops[:-1]).all())


def read_parquet(path: Path, raw: bytes | None = None) -> Table:
    """Read a Parquet file, or its content `raw`."""
    import polars as pl

    content = io.BytesIO(read_bytes(path) if raw is None else raw)
    try:
        # A few bytes can encode any number of equal rows.
        rows = pl.scan_parquet(content).select(pl.len()).collect().item()
        columns = len(pl.read_parquet_schema(content))
        if rows * columns * 16 > bounded.room():
            raise DataError(
                f"{path} holds {rows:,} rows of {columns} columns, more than there is memory for.",
                "Take fewer rows, or use a machine with more memory.",
            )
        return from_frame(str(path), pl.read_parquet(content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        raise DataError(
            f"{path} is not a Parquet file.", "Export it again, or give it the suffix of its format."
        ) from None


def from_frame(where: str, frame: Any) -> Table:
    """A table from polars, pandas or Arrow, or any object with `columns` that have `to_numpy`."""
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    elif hasattr(frame, "column_names") and hasattr(frame, "__arrow_c_stream__"):
        frame = pl.DataFrame(frame)
    elif not isinstance(frame, pl.DataFrame):
        if all(name is not None for name in getattr(getattr(frame, "index", None), "names", [None])):
            frame = _with_index(frame)
        names = [str(name) for name in frame.columns]
        repeated = [name for n, name in enumerate(names) if name in names[:n]]
        if repeated:
            raise DataError(f"{where} has two columns {repeated[0]!r}.", "Rename one of them.")
        columns = {str(name): _values(frame[name]) for name in frame.columns}
        frame = pl.DataFrame(columns, strict=False)
    if frame.height == 0:
        raise DataError(f"{where} is empty.", "Give at least one row.")
    return Table(where, frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String)))


def _with_index(frame: Any) -> Any:
    """A pandas table whose index has names: they are columns too, as pandas writes them to Parquet."""
    try:
        return frame.reset_index()
    except ValueError:  # a column with the same name, which counts
        return frame


def _values(column: Any) -> NDArray[Any] | Sequence[Any]:
    array = np.asarray(column.to_numpy())
    if array.dtype != object:
        return array
    # pandas marks missing text by NaN or NA, which must not become an id.
    values = zip(array.tolist(), column.isna(), strict=True)
    return [None if gone else str(value) if isinstance(value, UUID) else value for value, gone in values]
