"""Find times of several kinds in one column of numbers, such as years among steps, or 9999999999.

A column of times is of one kind. Numbers of another kind are recognized by a gap: steps, and seconds from
some beginning on, fill their range, while years, days of a spreadsheet and calendar numbers stand together,
far from all other numbers. Where the numbers go on without a gap, they are taken as one kind.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import dates
from sottovoce.data.dates import Refusal

_YEAR = 365 * 86400
_SOME = 20 * _YEAR  # seconds since 1970, in 1989: larger ones are hardly counted from another beginning
_PLAUSIBLE = (10**8, 4_102_444_800)  # seconds since 1970 in the years 1973 to 2099
_OLDEST = -2_200_000_000  # the year 1900
_FAR = 8  # a group is apart if the gap around it is this many times as wide
_FEW = 3  # rows; fewer years can be steps by chance
_ENOUGH = 50  # rows; so many do not stand apart by chance, however many others there are
_STRAY = 0.1  # share of other numbers within a group
_WRITTEN = (2**31 - 1, -(2**31), 2**32 - 1, -62_135_596_800, 253_402_300_799)
"""Numbers that programs write for a missing time: the largest and smallest, and the years 1 and 9999."""
_NINES = [10**digits - 1 for digits in range(6, 19)]
_NEGATIVE = [-1, *(1 - 10**digits for digits in range(1, 6))]
_RANGES = {
    "a calendar number such as 20120403": (19_700_101, 20_401_231),
    "a calendar number such as 201204031807": (197_001_010_000, 204_012_312_359),
    "a calendar number such as 20120403180730": (19_700_101_000_000, 20_401_231_235_959),
    "a month such as 201204": (197_001, 204_012),
    "a day of a spreadsheet": (32_874, 51_136),
    "a year": (1970, 2040),
}
SAME = "Write all times in the same way."
GAP = "Write the time in these rows, or remove them."
NONE = "seems to have no time, although other rows have one"


def odd(values: NDArray[np.int64]) -> Refusal | None:
    """The rows with a time of another kind than most; None if all are of one kind."""
    if len(values) < 2 or values.min() == values.max():
        return None
    for kind, (low, high) in _RANGES.items():
        found = _grouped(values, kind, low, high)
        if found is not None:
            return found
    return _missing(values) or _early(values)


def _grouped(values: NDArray[np.int64], kind: str, low: int, high: int) -> Refusal | None:
    """The smaller part, if some values are of this kind and stand far from all others."""
    mask = (values >= low) & (values <= high)
    if not mask.any():
        return None
    calendar = "calendar" in kind
    if calendar:
        mask[mask] = dates.calendar(values[mask], len(str(low)))[1]
    elif "month" in kind:
        mask &= (values % 100 >= 1) & (values % 100 <= 12)
    many = int(np.count_nonzero(mask))
    least = 1 if calendar else max(_FEW, min(_ENOUGH, len(values) // 50))
    if not least <= many < len(values):
        return None
    first, last = int(values[mask].min()), int(values[mask].max())
    away = max(_FAR * (last - first), first // (10 if kind == "a year" else 2))
    if not _apart(values[~mask], first, last, max(1, int(_STRAY * many)), away):
        return None
    if 2 * many >= len(values):
        return Refusal(~mask, f"has a time of another kind: most others are each {kind}", SAME)
    return Refusal(mask, f"has a time of another kind: it seems to be {kind}, the others do not", SAME)


def _apart(rest: NDArray[np.int64], first: int, last: int, strays: int, away: int) -> bool:
    """Whether the other values are further than `away` from `first` to `last`, but for a few strays."""
    beyond = np.maximum(first - rest, rest - last)
    near = np.count_nonzero(beyond <= away)
    return bool(near <= strays and near < len(rest))


def _missing(values: NDArray[np.int64]) -> Refusal | None:
    """Rows with a number that stands for a missing time: nines, or a single negative one."""
    low, high = int(values.min()), int(values.max())
    lowest, highest = values == low, values == high
    if high in _NINES and 10 * int(values[~highest].max()) < high:
        return Refusal(highest, NONE, GAP)
    if low in _NEGATIVE and int(values[~lowest].min()) >= (1 if low == -1 else 0):
        return Refusal(lowest, NONE, GAP)
    return None


def _early(values: NDArray[np.int64]) -> Refusal | None:
    """Small numbers beside seconds since 1970, with hardly any number in between."""
    size = np.abs(values)
    small, large = size < _YEAR, size >= _SOME
    least = int(np.count_nonzero(small))
    if not least or not large.any() or len(values) - least - np.count_nonzero(large) >= least:
        return None
    if 2 * least > len(values):
        problem = "has a time of another kind: it seems to be in seconds since 1970, the others are small"
        return Refusal(large, problem, SAME)
    problem = "has a time of another kind: in seconds since 1970, as the others, it is in 1970"
    return Refusal(small, problem, SAME)


def far(seconds: NDArray[np.int64]) -> Refusal | None:
    """Rows centuries away from all others, as programs write them for a missing time; None without any.

    `seconds` are counted from 1970.
    """
    usual = (seconds >= _PLAUSIBLE[0]) & (seconds < _PLAUSIBLE[1]) & (seconds != _WRITTEN[0])
    if usual.all() or 2 * np.count_nonzero(usual) < len(seconds):
        return None
    written = np.isin(seconds, _WRITTEN)
    if written.any():
        return Refusal(written, NONE, GAP)
    first, last = int(seconds[usual].min()), int(seconds[usual].max())
    above, below = seconds >= _PLAUSIBLE[1], seconds < _OLDEST
    for rows, away in ((above, seconds - last), (below, first - seconds)):
        # Times that go on, with gaps no longer than all others span, are of one kind.
        if rows.any() and int(away[rows].min()) > last - first:
            year = seconds[rows][:1].astype("datetime64[s]").astype("datetime64[Y]")[0]
            problem = f"has a time in the year {year}, far from all others"
            return Refusal(rows, problem, f"If it stands for a missing time: {GAP[0].lower()}{GAP[1:]}")
    return None
