"""Read columns of times as seconds since 1970.

Numbers can be seconds, milli-, micro- or nanoseconds (their size decides), calendar numbers such as
20120403, days of a spreadsheet, or years. Numbers that are too small for all of these are steps. Dates are
read by `sottovoce.data.dates`. A column that could be read in two ways is refused, because a wrong order
of interactions gives wrong results that look right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import dates, decimals, mixture
from sottovoce.data.dates import Refusal

if TYPE_CHECKING:
    import polars as pl

UNITS = ("seconds", "milliseconds", "microseconds", "nanoseconds")
_FIRST = 10**8  # as seconds: the year 1973
_LAST = 10**11  # as seconds: the year 5138; as milliseconds 1973, and so on
_EPOCH = 25569  # 1970-01-01 as a day of a spreadsheet
_DAYS = (_EPOCH, 73050)  # up to the year 2099
_YEARS = (1900, 2100)
_MOST = 0.9  # share of a column; steps 1, 2, 3 … are rarely that often within `_DAYS` or `_YEARS`
_SPREADSHEET = "days of a spreadsheet"
STEPS = "times are too small for seconds since 1970: they count as steps, only their order matters"


class Times(NamedTuple):
    """A column of times. If some could not be read, `wrong` says which and why."""

    seconds: NDArray[np.int64]
    rest: NDArray[np.int64] | None
    """Nanoseconds after the full second; None if there are none. They sort times within a second."""
    note: str
    """How the column was understood, if users should know it."""
    wrong: Refusal | None = None

    @property
    def order(self) -> NDArray[np.int64]:
        """The order of the rows by time, to the nanosecond. Rows with equal times keep their order."""
        return np.lexsort((np.zeros_like(self.seconds) if self.rest is None else self.rest, self.seconds))


def read(series: pl.Series, day_first: bool | None = None) -> Times:
    """The times of a column. `day_first`: whether 03/04/2012 is in April; None to find out."""
    import polars as pl

    kind = series.dtype
    if kind in (pl.Datetime, pl.Date):
        return _moments(series if kind == pl.Datetime else series.cast(pl.Datetime("us")), "")
    other = kind.is_nested() or kind.is_temporal() or kind in (pl.Boolean, pl.Object)
    whole = _none(series) if other else series.cast(pl.Int64, strict=False)
    if whole.null_count() == 0 and not kind.is_float():
        return _numbers(whole.to_numpy())
    if kind == pl.String:
        series = series.str.strip_chars()
        short = series.str.contains(r"^\d(\.\d{0,7})?[eE]\+?(09|1[0-9]|9)$").fill_null(False)
        if short.any():
            problem = "has a time that a spreadsheet shortened to its first digits"
            return _refused(
                series, Refusal(short.to_numpy(), problem, "Export the file again from its source.")
            )
        first = next((value for value in series if value), None)
        if first is not None and not _is_number(first):
            return _dates(series, day_first)
    values = decimals.floats(series)[0].fill_nan(None)
    bad = (values.is_null() | values.is_infinite() | (values.abs() > 9e18)).to_numpy()
    if bad.any():
        return _refused(series, dates.unknown(bad))
    number = values.to_numpy()
    if (number % 1 != 0).any() and (number > 10_000).all() and (number < 100_000).all():
        moments = np.round((number - _EPOCH) * 86400 * 1e3).astype(np.int64)
        return _split(moments, 1000, f"times are {_SPREADSHEET}")
    if (number % 1 == 0).all():
        return _numbers(number.astype(np.int64))
    return _numbers(np.floor(number).astype(np.int64), number % 1)


def _is_number(value: str) -> bool:
    try:
        float(value.replace(",", "."))
    except ValueError:
        return False
    return True


def _none(series: pl.Series) -> pl.Series:
    import polars as pl

    return pl.Series([None] * len(series), dtype=pl.Int64)


def _refused(series: pl.Series, why: Refusal) -> Times:
    return Times(np.zeros(len(series), np.int64), None, "", why)


def _dates(series: pl.Series, day_first: bool | None) -> Times:
    found = dates.read(series, day_first)
    if isinstance(found, Refusal):
        return _refused(series, found)
    return _moments(*found)


def _moments(series: pl.Series, note: str) -> Times:
    """Times from a column of polars datetimes, with their precision."""
    unknown = series.is_null()
    if unknown.any():
        return _refused(series, dates.unknown(unknown.to_numpy()))
    unit = {"ms": 1000, "us": 10**6, "ns": 10**9}[series.dtype.time_unit]  # type: ignore[attr-defined]
    found = _split(series.to_physical().to_numpy(), unit, note)
    empty = found.seconds == 0  # 1970-01-01, written for a date that is missing
    if empty.any() and not empty.all() and (found.seconds[~empty] > _FIRST).all():
        return _refused(series, Refusal(empty, mixture.NONE, mixture.GAP))
    lone = mixture.far(found.seconds)
    return found if lone is None else _refused(series, lone)


def _split(ticks: NDArray[np.int64], unit: int, note: str) -> Times:
    """Whole seconds and the remainder, from times in units of 1/`unit` seconds."""
    rest = ticks % unit
    return Times(ticks // unit, rest * (10**9 // unit) if rest.any() else None, note)


def _numbers(values: NDArray[np.int64], fraction: NDArray[np.float64] | None = None) -> Times:
    """Times from numbers. Their size gives the unit; a mixture of units is refused."""
    if len(values) == 0:
        return Times(values, None, "")
    low, high = int(values.min()), int(values.max())
    missing = (values == 0) | (values == -1)
    days = _days(values)
    if missing.any() and not missing.all() and (days is not None or (values[~missing] > _FIRST).all()):
        return Times(values, None, "", Refusal(missing, mixture.NONE, mixture.GAP))
    if days is not None:
        return days
    odd = mixture.odd(values)
    if odd is not None:
        return Times(values, None, "", odd)
    if low > -_LAST and high < _LAST:
        rest = None if fraction is None else np.floor(fraction * 1e9).astype(np.int64)
        note = STEPS if low >= 0 and high < _FIRST else ""
        return Times(values, rest, note, mixture.far(values))
    size = np.searchsorted([_LAST * 1000**n for n in range(3)], np.abs(values), side="right")
    units = np.unique(size[values != 0])
    if len(units) > 1:
        usual = int(np.argmax(np.bincount(size[values != 0])))
        other = int(next(unit for unit in units if unit != usual))
        problem = f"seems to have a time in {UNITS[other]}, although other rows are in {UNITS[usual]}"
        remedy = "Write all times in the same unit."
        return Times(values, None, "", Refusal((size != usual) & (values != 0), problem, remedy))
    unit = int(units[0])
    lone = mixture.far(values // 1000**unit)
    if lone is not None:
        return Times(values, None, "", lone)
    return _split(values, 1000**unit, f"times in {UNITS[unit]}, judging by their size")


def _days(values: NDArray[np.int64]) -> Times | None:
    """Times from calendar numbers, spreadsheet days or years, if most are of one kind; else None.

    A column that mixes such a kind with other numbers is refused.
    """
    seconds, calendar = dates.calendar(values)
    sheet = (values >= _DAYS[0]) & (values <= _DAYS[1])
    years = (values >= _YEARS[0]) & (values <= _YEARS[1])
    if 2 * np.count_nonzero(calendar) >= len(values):
        what, fit = "calendar numbers such as 20120403", calendar
    elif np.mean(sheet) >= _MOST:
        what, fit, seconds = _SPREADSHEET, sheet, (values - _EPOCH) * 86400
    elif np.mean(years) >= _MOST:
        since = np.where(years, values - 1970, 0).astype("datetime64[Y]")
        what, fit, seconds = "years", years, since.astype("datetime64[s]").astype(np.int64)
    else:
        return None
    if fit.all():
        return Times(seconds, None, f"times are {what}")
    problem = f"has a time of another kind: the others are {what}"
    return Times(values, None, "", Refusal(~fit, problem, mixture.SAME))
