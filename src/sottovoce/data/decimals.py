"""Read columns of numbers with decimal points or decimal commas, and find doubtful ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import DataError, either

if TYPE_CHECKING:
    import polars as pl

_COMMA = r"^[+-]?\d*,\d+$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(,\d{3})+$"
_LARGEST = 1e6
_LARGEST_COUNT = 1e9
_COUNTS = ("play", "count", "weight", "listen", "click", "view", "times", "number")
"""Words in the name of a column of counts, in which a few very large numbers are normal."""


def floats(series: pl.Series) -> tuple[pl.Series, bool]:
    """A column as numbers (null where it holds no number), and whether it has decimal commas.

    Commas are read as decimal commas if no value has a point, and not all of them could separate
    thousands: `1,234` alone may be a number above one thousand.
    """
    import polars as pl

    if series.dtype.is_nested() or series.dtype.is_temporal() or series.dtype == pl.Object:
        return pl.Series([None] * len(series), dtype=pl.Float64), False
    values = series.cast(pl.Float64, strict=False)
    if series.dtype != pl.String or values.null_count() == series.null_count():
        return values, False
    text = series.str.strip_chars()
    values = text.cast(pl.Float64, strict=False)
    commas = text.str.contains(_COMMA).fill_null(False)
    if not commas.any() or (text.str.contains(".", literal=True)).fill_null(False).any():
        return values, False
    if text.filter(commas).str.contains(_THOUSANDS).all():
        return values, False
    return text.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False), True


def check_scale(low: float, high: float) -> None:
    """Refuse a scale of ratings whose ends are in the wrong order."""
    if low > high:
        right = either(f"scale=({high:g}, {low:g})", f"--set data.scale=[{high:g},{low:g}]")
        raise DataError(f"The scale of ratings is reversed: {low:g} to {high:g}.", f"Write {right}.")


class Doubt(NamedTuple):
    """Doubtful ratings, the reason, and the remedy."""

    rows: NDArray[np.bool_]
    problem: str
    remedy: str


def grouped(series: pl.Series) -> Doubt:
    """Numbers such as 1.000 beside 900, which can be a thousand, as many countries write it, or one."""
    import polars as pl

    rows = np.zeros(len(series), np.bool_)
    if series.dtype == pl.String:
        text = series.str.strip_chars()
        marked = text.str.contains(".", literal=True).fill_null(False)
        three = text.str.contains(r"^[1-9]\d{0,2}(\.\d{3})+$").fill_null(False)
        if marked.any() and not marked.all() and (three == marked).all():
            rows = three.to_numpy()
    return Doubt(
        rows,
        "has a rating whose point can separate thousands or decimals",
        "Write numbers without a mark for thousands: 1000, or 1.0.",
    )


def doubt(values: NDArray[np.float64], name: str) -> Doubt | None:
    """Ratings that would make the scale meaningless: huge ones, and ones far from all others.

    They usually mean "not rated" (-1, 99, 999), are typing errors, or come from another column.
    """
    called = "".join(c for c in name.lower() if c.isalnum())
    counts = any(word in called for word in _COUNTS)
    largest = _LARGEST_COUNT if counts else _LARGEST
    huge = np.abs(values) > largest
    if huge.any():
        return Doubt(
            huge,
            f"has a rating beyond {largest:,.0f}",
            "Correct the value, or say which column holds ratings.",
        )
    if called == "myrating" and (values == 0).any():
        return Doubt(
            values == 0,
            "has the rating 0, which Goodreads writes for books without a rating",
            "Remove these rows, or give columns without a rating.",
        )
    found = np.unique(values)
    if counts or len(found) < 4:
        return None
    odd = _lone_negative(found) or _far(found)
    if odd is None:
        return None
    low, high = found[0], found[-1]
    others = found[found < odd[0]] if odd[0] > 0 else found[found > odd[-1]]
    return Doubt(
        np.isin(values, odd),
        f"has a rating far from the others, which are {others[0]:g} to {others[-1]:g}",
        'If it means "not rated", remove these rows; if it is right, give the scale of ratings, for '
        f"example {either(f'scale=({low:g}, {high:g})', f'--set data.scale=[{low:g},{high:g}]')}.",
    )


def zeros(values: NDArray[np.float64]) -> int:
    """How many ratings are 0, if none is as frequent and the others are those of a scale from 1; else 0."""
    found, count = np.unique(values, return_counts=True)
    scale = len(found) > 3 and found[0] == 0 and found[1] >= 1 and found[-1] <= 10
    return int(count[0]) if scale and count[0] == count.max() else 0


def _lone_negative(found: NDArray[np.float64]) -> list[float] | None:
    """The only negative value, if the others reach 3 or more: no rating scale looks like this."""
    return [float(found[0])] if found[0] < 0 <= found[1] and found[-1] >= 3 else None


def _far(found: NDArray[np.float64]) -> list[float] | None:
    """The highest one to three values, if they are above 10 and above four times all others.

    The others must be few (at most 25), unless the highest consists of nines.
    """
    for many in (1, 2, 3):
        low, high = found[:-many], found[-many:]
        if len(low) < 3 or high[0] <= 10 or high[0] <= 4 * np.abs(low).max():
            continue
        nines = many == 1 and set(f"{high[0]:g}") == {"9"}
        if nines or len(low) <= 25:
            return [float(value) for value in high]
    return None
