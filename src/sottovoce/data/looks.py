"""Guess what a column holds from its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import dates, decimals, words

if TYPE_CHECKING:
    import polars as pl

_SAMPLE = 1000
_LONG_AGO = 1e8  # seconds since 1970, in 1973: larger numbers are times, smaller ones ratings
_LARGEST = 9e18
_RECENT = (631_152_000, 2_208_988_800)  # seconds since 1970 in the years 1990 to 2039
_COUNTED = 10  # values; fewer may all differ by chance


def number(value: object) -> float | None:
    """A value as a number, with a decimal point or a decimal comma; None if it is none."""
    try:
        return float(str(value).strip().replace(",", ".", 1))
    except ValueError:
        return None


def like_value(value: object) -> bool:
    """Whether a value is a number or a date. A header holds neither."""
    return number(value) is not None or dates.looks(str(value))


def kind(series: pl.Series) -> str:
    """`time`, `rating`, `id` for everything else, or `none` for an empty column."""
    sample = _sample(series)
    if len(sample) == 0:
        return "none"
    if series.dtype.is_temporal() or _all_times(sample):
        return "time"
    values = decimals.floats(sample)[0]
    if values.null_count() or not values.is_finite().all():
        return "id"
    found = np.unique(values.to_numpy())
    few = 3 <= len(found) <= 21 and found[0] >= 0 and found[-1] <= 10
    return "rating" if few and (found * 4 % 1 == 0).all() else "id"


def order(series: pl.Series) -> str | None:
    """What a column after user and item holds, without a header: `time`, `rating`, or None."""
    sample = _sample(series)
    if len(sample) == 0:
        return None
    if series.dtype.is_temporal() or _all_times(sample):
        return "time"
    return "rating" if number(sample[0]) is not None else None


def may_be(series: pl.Series, role: str, name: str) -> bool:
    """Whether the values fit the role. Only names that often mean something else are checked."""
    if role not in ("rating", "time", "title") or words.plain(name) not in words.WEAK.split():
        return True
    sample = _sample(series)
    if len(sample) == 0:
        return False
    if role == "time":
        return series.dtype.is_temporal() or _all_times(sample)
    numeric = number(sample[0]) is not None
    return numeric if role == "rating" else not numeric


def never_small(series: pl.Series) -> bool:
    """Whether a column holds only times or only text, so that 0 or 1 cannot be one of its values."""
    sample = _sample(series)
    return len(sample) > 0 and (_all_times(sample) or all(number(value) is None for value in sample))


def dated(series: pl.Series) -> bool:
    """Whether a column holds dates or calendar numbers. Ids do not look like these."""
    sample = _sample(series)
    if len(sample) == 0 or not _all_times(sample):
        return False
    values = decimals.floats(sample)[0]
    return values.null_count() > 0 or bool(_calendar(values.to_numpy()))


def clocked(series: pl.Series) -> bool:
    """Whether a column could hold times since 1990 in any unit, most of them different."""
    values = decimals.floats(_sample(series))[0]
    if len(values) < _COUNTED or values.null_count() or 2 * values.n_unique() <= len(values):
        return False
    number = values.to_numpy()
    low, high = number.min(), number.max()
    return any(low / 1000**unit >= _RECENT[0] and high / 1000**unit < _RECENT[1] for unit in range(4))


def asins(series: pl.Series) -> bool:
    """Whether a column holds Amazon's numbers of products: B00… or the ISBN of a book."""
    return _all_match(series, r"^(B[0-9A-Z]{9}|[0-9]{9}[0-9X])$")


def reviewers(series: pl.Series) -> bool:
    """Whether a column holds Amazon's names of reviewers."""
    return _all_match(series, r"^A[0-9A-Z]{9,20}$")


def _all_match(series: pl.Series, pattern: str) -> bool:
    import polars as pl

    return series.dtype == pl.String and bool(_sample(series).str.contains(pattern).all())


def gaps(series: pl.Series) -> bool:
    """Whether some rows are empty."""
    import polars as pl

    text = series.dtype == pl.String
    return bool(series.null_count() or (text and (series.str.strip_chars() == "").any()))


def numeric(series: pl.Series) -> bool:
    """Whether a column holds only numbers."""
    sample = _sample(series)
    return len(sample) > 0 and decimals.floats(sample)[0].null_count() == 0


def fractions(series: pl.Series) -> bool:
    """Whether a column holds numbers, most of them with decimals, as ids never are."""
    import polars as pl

    if series.dtype != pl.String and not series.dtype.is_numeric():
        return False
    values = decimals.floats(_sample(series))[0]
    if not len(values) or values.null_count() or not values.is_finite().all():
        return False
    return bool(2 * np.count_nonzero(values.to_numpy() % 1) > len(values))


def counts(series: pl.Series) -> bool:
    """Whether a column holds only row numbers, from 0 or 1."""
    import polars as pl

    values = series.cast(pl.Int64, strict=False)
    if values.null_count():
        return False
    from_zero = values.to_numpy() - np.arange(len(values))
    return bool((from_zero == 0).all() or (from_zero == 1).all())


def _sample(series: pl.Series) -> pl.Series:
    """The first non-empty values."""
    import polars as pl

    if series.dtype == pl.String:
        series = series.head(4 * _SAMPLE).str.strip_chars()
        series = series.filter(series != "")
    return series.drop_nulls().head(_SAMPLE)


def _all_times(sample: pl.Series) -> bool:
    """Whether all values are dates, or numbers that are too large for anything but times."""
    import polars as pl

    if sample.dtype == pl.String and number(sample[0]) is None:
        return all(dates.looks(value) for value in sample)
    values = decimals.floats(sample)[0]
    if values.null_count() or not values.is_finite().all():
        return False
    whole = values.to_numpy()
    if (whole > _LONG_AGO).all():
        return True
    return _calendar(whole)


def _calendar(whole: NDArray[np.float64]) -> bool:
    """Whether at least half of the values are calendar numbers such as 20120403."""
    if (whole % 1 != 0).any() or (np.abs(whole) > _LARGEST).any():
        return False
    return bool(2 * np.count_nonzero(dates.calendar(whole.astype(np.int64))[1]) >= len(whole))
