"""Read dates and times of day as people and programs write them.

Supported are 2012-04-03, 2012/04/03, 03.04.2012, 03/04/2012, 3 April 2012, April 3, 2012 and similar
forms, with or without a time of day and a time zone, and the format of Twitter. Whether 03/04/2012 is in
March or in April is decided by the whole column: a number above 12 must be a day. With dots the day
comes first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import either

if TYPE_CHECKING:
    import polars as pl

_TWITTER = "%a %b %d %H:%M:%S %z %Y"  # Tue Apr 03 18:07:30 +0000 2012, also used by Foursquare
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_CLOCK = (
    r"(?:(?:\s*[t,]\s*|\s+)(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?(?:\s*(?P<zone>z|utc|gmt|[+-]\d{2}(?::?\d{2})?))?)?"
)
_FORMS = tuple(
    rf"^{_WEEKDAY}{form}{_CLOCK}$"
    for form in (
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        r"(?P<one>\d{1,2})(?P<mark>[-/.])(?P<two>\d{1,2})[-/.](?P<year>\d{4})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?[ -](?P<name>{_NAME})[ ,-]+(?P<year>\d{{4}})",
        rf"(?P<name>{_NAME}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?[, ]+(?P<year>\d{{4}})",
    )
)
_PARTS = [
    "year",
    "month",
    "day",
    "one",
    "mark",
    "two",
    "name",
    "hour",
    "minute",
    "second",
    "part",
    "half",
    "zone",
]
_LOOKS = re.compile(
    "|".join(
        [
            *(re.sub(r"\?P<\w+>", "?:", form) for form in _FORMS),
            rf"^{_WEEKDAY}{_NAME} \d\d [\d:]+ [+]0000 \d{{4}}$",
        ]
    )
)
_DIGITS = {8: 1, 12: 10**4, 14: 10**6}  # digits of a calendar number: what to divide by to get the date
_SAMPLE = 1000


class Refusal(NamedTuple):
    """Rows whose time cannot be read, the reason, and the remedy."""

    rows: NDArray[np.bool_]
    problem: str
    remedy: str


def unknown(rows: NDArray[np.bool_]) -> Refusal:
    """The refusal of rows that do not hold a time."""
    return Refusal(
        rows,
        "has a time that is neither seconds since 1970 nor a date in a supported form",
        f"Write it like 2012-04-03 18:07:30, or give {either('columns=', '--columns')} without a time.",
    )


def looks(value: str) -> bool:
    """Whether a text has the form of a date."""
    return _LOOKS.match(value.strip().lower()) is not None


def read(series: pl.Series, day_first: bool | None = None) -> tuple[pl.Series, str] | Refusal:
    """A column of text as polars datetimes, with a note on how it was read; or a refusal."""
    import polars as pl

    first = next((value for value in series if value), "")
    form = _TWITTER if first[:1].isalpha() else None
    if form or first[4:5] == "-":
        try:
            quick = series.str.to_datetime(form, strict=False, time_zone="UTC", time_unit="us")
            if quick.null_count() == 0:
                return quick, ""
        except pl.exceptions.PolarsError:
            pass
    return _by_parts(series.fill_null("").str.to_lowercase(), day_first)


def _by_parts(text: pl.Series, day_first: bool | None) -> tuple[pl.Series, str] | Refusal:
    """Split each date into its parts, and put them together in one form."""
    import polars as pl

    parts = {name: pl.Series([None] * len(text), dtype=pl.String) for name in _PARTS}
    for form in _FORMS:
        found = text.str.extract_groups(form).struct.unnest()
        for name in found.columns:
            parts[name] = parts[name].fill_null(found[name])
    if parts["year"].null_count():
        return unknown(parts["year"].is_null().to_numpy())
    zoneless = parts["zone"].is_null()
    if zoneless.any() and not zoneless.all():
        problem = "has a time without a time zone, although other rows have one"
        return Refusal(zoneless.to_numpy(), problem, "Write all times with a time zone, or all without.")
    order = _order(parts, day_first)
    if isinstance(order, Refusal):
        return order
    one, two = (parts["one"], parts["two"]) if order[0] else (parts["two"], parts["one"])
    numbers = [str(n + 1) for n in range(12)]
    named = parts["name"].str.slice(0, 3).replace_strict(list(_MONTHS), numbers, default=None)
    date = [parts["year"], parts["month"].fill_null(two).fill_null(named), parts["day"].fill_null(one)]
    hour = parts["hour"].fill_null("0").cast(pl.Int64)
    half = parts["half"].fill_null("")
    wrong = (half != "") & ~hour.is_between(1, 12)
    hour = (hour % 12 + (half == "p").cast(pl.Int64) * 12).zip_with(half != "", hour)
    clock = [hour.cast(pl.String), parts["minute"].fill_null("0"), parts["second"].fill_null("0")]
    written = _joined(date, "-") + " " + _joined(clock, ":")
    moment = written.str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False, time_unit="us")
    if (bad := moment.is_null() | wrong).any():
        return unknown(bad.to_numpy())
    part = parts["part"].fill_null("0").str.pad_end(9, "0").cast(pl.Int64) // 1000
    ticks = moment.to_physical() + part - _offset(parts["zone"]) * 10**6
    return ticks.cast(pl.Datetime("us")), order[1]


def _joined(parts: list[pl.Series], mark: str) -> pl.Series:
    first, *rest = (part.str.zfill(2) for part in parts)
    for part in rest:
        first = first + mark + part
    return first


def _offset(zone: pl.Series) -> pl.Series:
    """How many seconds a time zone is ahead of UTC."""
    import polars as pl

    digits = zone.str.replace_all(r"\D", "").str.pad_end(4, "0")
    hours, minutes = (digits.str.slice(at, 2).cast(pl.Int64, strict=False).fill_null(0) for at in (0, 2))
    west = zone.str.starts_with("-").fill_null(False).cast(pl.Int64)
    return (hours * 3600 + minutes * 60) * (1 - 2 * west)


def _order(parts: dict[str, pl.Series], day_first: bool | None) -> tuple[bool, str] | Refusal:
    """Whether the day comes before the month, and a note on how that was decided."""
    import polars as pl

    one, two = (parts[name].cast(pl.Int64).fill_null(0).to_numpy() for name in ("one", "two"))
    if day_first is not None or not one.any():
        return day_first is not False, ""
    days, months = one > 12, two > 12
    if days.any() and months.any():
        rare = months if months.sum() <= days.sum() else days
        problem = "has day and month in another order than other rows"
        return Refusal(rare, problem, "Write all dates in the same way, for example 2012-04-03.")
    if days.any() or months.any():
        which = "day" if days.any() else "month"
        return bool(
            days.any()
        ), f"dates with the {which} first: {int((days | months).sum()):,} of them can only be read so"
    if (parts["mark"].fill_null(".") == ".").all():
        return True, "dates with the day first, as usual with dots"
    if (one == two).all():
        return True, ""
    choice = either("day_first=True or day_first=False", "--set data.day_first=true or false")
    return Refusal(
        one != two,
        "has a date in which day and month could be exchanged, and no date of this column decides it",
        f"Set {choice}, or write dates like 2012-04-03.",
    )


def calendar(
    values: NDArray[np.int64], digits: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Seconds since 1970 from numbers such as 20120403 or 20120403180730, and a mask of valid ones.

    All valid numbers have the same number of digits: `digits`, or as many as the median.
    """
    middle = digits or len(str(int(np.median(values[:: len(values) // _SAMPLE + 1]))))
    scale = _DIGITS.get(middle)
    if scale is None:
        return values, np.zeros(len(values), np.bool_)
    fit = (values >= 10 ** (middle - 1)) & (values < 10**middle)
    kept = np.where(fit, values, 19700101 * scale)
    day, clock = kept // scale, kept % scale
    if scale == 10**4:
        clock = clock * 100
    year, month, day_of = day // 10_000, day // 100 % 100, day % 100
    hour, minute, second = clock // 10_000, clock // 100 % 100, clock % 100
    fit &= (year >= 1900) & (year <= 2100) & (month >= 1) & (month <= 12) & (day_of >= 1) & (hour < 24)
    fit &= (minute < 60) & (second < 60)
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day_of - 1)
    fit &= days.astype("datetime64[M]") == months
    return days.astype(np.int64) * 86400 + hour * 3600 + minute * 60 + second, fit
