"""Columns of text from a file, where every bad value is reported with its line.

Everything is read as text and checked here, because readers that guess types report neither the
line nor the value that they could not use, and fill up short lines without a word.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import archive, ids
from sottovoce.errors import DataError

if TYPE_CHECKING:
    import polars as pl

QUOTED = (",", ";")
_CLOCK = "%a %b %d %H:%M:%S %z %Y"  # Tue Apr 03 18:07:30 +0000 2012, as Twitter and Foursquare write it
_UNIT = "\x1f"  # stands for separators of two characters, which the reader does not know


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one file or frame, and where its rows came from."""

    where: str
    frame: pl.DataFrame
    lines: NDArray[np.int64] | None = None
    """The line of each row; None where rows have no lines (Parquet, frames in memory)."""

    def place(self, row: int) -> str:
        """Where a row stands, in words."""
        if self.lines is None:
            return f"{self.where}, row {row + 1}"
        return f"{self.where}, line {self.lines[row]}"

    def ids(self, column: int, what: str) -> NDArray[Any]:
        """A column of ids: whole numbers if all are such, else text."""

        def refuse(bad: NDArray[np.bool_], problem: str, remedy: str) -> None:
            self._refuse(column, bad, problem, remedy)

        return ids.column(self.frame.to_series(column), what, refuse, self.place)

    def numbers(
        self, column: int, what: str, scale: tuple[float, float] | None = None, *, gaps: bool = False
    ) -> NDArray[np.float64]:
        """A column of finite numbers, within `scale` if one is given; NaN for nothing if `gaps` may be."""
        values = self._floats(column)
        remedy = "Correct that value or remove its line."
        wrong = np.isnan(values)
        if gaps:
            wrong &= self.frame.to_series(column).fill_null("").to_numpy() != ""
        self._refuse(column, wrong, f"has a {what} that is not a number", remedy)
        self._refuse(column, np.isinf(values), f"has a {what} that is not finite", remedy)
        if scale is not None:
            low, high = scale
            outside = (values < low) | (values > high)
            self._refuse(column, outside, f"has a {what} outside {low:g} to {high:g}", remedy)
        return values

    def times(self, column: int) -> NDArray[np.int64]:
        """A column of times as whole seconds since 1970: given so, as ISO dates, or as Twitter does."""
        import polars as pl

        series = self.frame.to_series(column)
        if series.dtype.is_temporal():
            seconds = series.cast(pl.Datetime("us")).dt.epoch("s")
        else:
            seconds = series.cast(pl.Int64, strict=False)
            if seconds.null_count():
                series = series.str.strip_chars() if series.dtype == pl.String else series
                floats = series.cast(pl.Float64, strict=False).floor().cast(pl.Int64, strict=False)
                seconds = seconds.fill_null(floats)
            if series.dtype == pl.String and len(series) and seconds[0] is None:
                form = _CLOCK if series[0][:1].isalpha() else None
                try:
                    seconds = series.str.to_datetime(form, strict=False, time_zone="UTC").dt.epoch("s")
                except pl.exceptions.ComputeError:
                    seconds = pl.Series([None] * len(series), dtype=pl.Int64)
        problem = "has a time that is neither seconds since 1970 nor a date that is known"
        remedy = "Correct it, or give columns without a time."
        self._refuse(column, seconds.is_null().to_numpy(), problem, remedy)
        return seconds.to_numpy()

    def texts(self, column: int) -> list[str]:
        """A column of text, where nothing given is the empty text."""
        return [(value or "").strip() for value in self.frame.to_series(column)]

    def _floats(self, column: int) -> NDArray[np.float64]:
        import polars as pl

        series = self.frame.to_series(column)
        values = series.cast(pl.Float64, strict=False)
        if series.dtype == pl.String and values.null_count():
            values = series.str.strip_chars().cast(pl.Float64, strict=False)
        return values.to_numpy()

    def _refuse(self, column: int, bad: NDArray[np.bool_], problem: str, remedy: str) -> None:
        """Report the first bad value, and how many there are."""
        rows = np.flatnonzero(bad)
        if len(rows) == 0:
            return
        value = self.frame.to_series(column)[int(rows[0])]
        name = self.frame.columns[column]
        shown = "nothing" if value in (None, "") else repr(value) if isinstance(value, str) else f"{value}"
        more = f" It is the first of {len(rows)} such values." if len(rows) > 1 else ""
        raise DataError(f"{self.place(int(rows[0]))} {problem}: column {name} holds {shown}.{more}", remedy)


def read_bytes(path: Path) -> bytes:
    """The content of a file, on its own or in a zip archive, decompressed if its name ends in `.gz`."""
    try:
        place = archive.inside(path)
        raw = path.read_bytes() if place is None else archive.read(*place)
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except FileNotFoundError:
        raise DataError(f"The file {path} does not exist.", "Check the path.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(f"{path} is not a complete gzip file.", "Fetch or compress it again.") from None
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from None


def read_text(
    path: Path, separator: str, *, header: bool = False, fields: int | None = None, encoding: str = "utf-8"
) -> Table:
    """A delimited text file. Every line must have `fields` fields, or as many as the first one.

    Quotation marks group where fields are separated by commas or semicolons, and mean nothing
    elsewhere.
    """
    return split_text(path, decode(path, read_bytes(path), encoding), separator, header=header, fields=fields)


def decode(path: Path, raw: bytes, encoding: str = "utf-8") -> bytes:
    """The content as UTF-8 without byte order mark and empty lines at the end; refused if nothing is left."""
    try:
        if encoding == "utf-8":
            _ = raw.isascii() or raw.decode(encoding)
        else:
            raw = raw.decode(encoding).encode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line} is not {encoding} text: byte 0x{raw[error.start]:02x}.",
            "Name the right encoding (often latin-1), or convert the file to UTF-8.",
        ) from None
    except LookupError:
        raise DataError(
            f"There is no text encoding {encoding!r}.", "Common ones are utf-8 and latin-1."
        ) from None
    raw = raw.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    if not raw.strip():
        raise DataError(f"{path} is empty.", "Give a file with at least one row.")
    return raw


def split_text(
    path: Path, raw: bytes, separator: str, *, header: bool = False, fields: int | None = None
) -> Table:
    """What `decode` returned, split into columns; `header` takes their names from the first line."""
    import polars as pl

    quote = '"' if separator in QUOTED else None
    if len(separator.encode()) > 1:
        raw, separator = raw.replace(separator.encode(), _UNIT.encode()), _UNIT
    lines = _check(path, raw, separator.encode(), quote is not None, fields)
    frame = pl.read_csv(raw, has_header=False, infer_schema=False, separator=separator, quote_char=quote)
    frame.columns = [f"#{n + 1}" for n in range(frame.width)]
    if frame.height != len(lines):
        raise DataError(
            f"{path} has {len(lines)} lines but reads as {frame.height} rows.",
            "Look for stray quotation marks.",
        )
    if header:
        names = [(name or "").strip() or f"#{n + 1}" for n, name in enumerate(frame.row(0))]
        repeated = [name for n, name in enumerate(names) if name in names[:n]]
        if repeated:
            raise DataError(f"{path}, line 1 names the column {repeated[0]!r} twice.", "Rename one of them.")
        frame, lines = frame.slice(1), lines[1:]
        frame.columns = names
        if frame.height == 0:
            raise DataError(f"{path} has a header and nothing else.", "Give a file with at least one row.")
    return Table(str(path), frame, lines)


def _check(path: Path, raw: bytes, separator: bytes, quoted: bool, fields: int | None) -> NDArray[np.int64]:
    """The line at which each row begins, after checking that all rows have the same number of fields."""
    text = np.frombuffer(raw, np.uint8)
    ends, marks = text == ord("\n"), text == ord(separator)
    lines = None
    if quoted and b'"' in raw:
        inside = np.logical_xor.accumulate(text == ord('"'))
        if inside[-1]:
            line = raw.count(b"\n", 0, raw.rindex(b'"')) + 1
            raise DataError(
                f"{path}, line {line}: a quotation mark is never closed.", "Close it or remove it."
            )
        starts = np.concatenate(([0], np.flatnonzero(ends & ~inside) + 1))
        lines = np.searchsorted(np.flatnonzero(ends), starts).astype(np.int64) + 1
        ends, marks = ends & ~inside, marks & ~inside
    stops, places = np.append(np.flatnonzero(ends), len(text)), np.flatnonzero(marks)
    if lines is None:
        lines = np.arange(1, len(stops) + 1)
    wanted = fields or int(np.searchsorted(places, stops[0])) + 1
    if _alike(places, stops, wanted - 1):
        return lines
    counts = np.diff(np.searchsorted(places, stops), prepend=0) + 1
    bad = np.flatnonzero(counts != wanted)
    if len(bad):
        line, found = int(lines[bad[0]]), int(counts[bad[0]])
        expected = f"must have {fields}" if fields else f"the first line has {wanted}"
        raise DataError(
            f"{path}, line {line} has {found} {'field' if found == 1 else 'fields'}, but {expected}.",
            "Correct or remove that line.",
        )
    return lines


def _alike(places: NDArray[np.int64], stops: NDArray[np.int64], each: int) -> bool:
    """Whether every row has `each` separators, much faster than by counting them row by row."""
    if each == 0 or len(places) != each * len(stops):
        return False
    grid = places.reshape(len(stops), each)
    return bool((grid[:, -1] < stops).all() and (grid[1:, 0] > stops[:-1]).all())


def read_parquet(path: Path) -> Table:
    """A Parquet file."""
    import polars as pl

    try:
        return from_frame(str(path), pl.read_parquet(io.BytesIO(read_bytes(path))))
    except pl.exceptions.PolarsError:
        raise DataError(f"{path} is not a Parquet file.", "Check the file or its suffix.") from None


def from_frame(where: str, frame: Any) -> Table:
    """A table in memory: of polars, pandas, or anything with `columns` whose columns have `to_numpy`."""
    import polars as pl

    if not isinstance(frame, pl.DataFrame):
        frame = pl.DataFrame({str(name): _values(frame[name]) for name in frame.columns}, strict=False)
    if frame.height == 0:
        raise DataError(f"{where} is empty.", "Give at least one row.")
    return Table(where, frame)


def _values(column: Any) -> NDArray[Any] | Sequence[Any]:
    array = np.asarray(column.to_numpy())
    if array.dtype != object:
        return array
    # pandas marks what is missing among text by NaN or NA, which must not become an id.
    return [None if gone else value for value, gone in zip(array.tolist(), column.isna(), strict=True)]
