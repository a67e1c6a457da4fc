"""Give each id of a person or an item one spelling.

- Blanks around an id, kinds and numbers of blanks inside it, invisible characters and the two encodings
  of a letter (NFC and NFD) make no difference. Capital letters do.
- If all ids of a column are whole numbers, `1`, `1.0`, `+1` and `1e0` are the same id.
- Leading zeros are kept, because ids such as 0114709 have them on purpose.
- `1` beside `001`, `tt1` beside `tt01`, or `1` beside `1.0` in a column of text is refused: it could be
  one id or two.
- Numbers that were rounded before (by a spreadsheet, or as floating point) are refused, because
  different ids may have become one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import DataError

if TYPE_CHECKING:
    import polars as pl

Place = Callable[[int], str]
"""Describes the place of a row, for errors."""
Refuse = Callable[[NDArray[np.bool_], str, str], None]
"""Raises an error about the first marked row, with a problem and a remedy; does nothing without one."""

_CONTROLS = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
_SPACES = " \u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_UNSEEN = "\u00ad\u061c\u180e\ufeff\ufff9\ufffa\ufffb" + "".join(
    map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)))
)
EDGES = _CONTROLS + _SPACES + _UNSEEN
"""Characters that are removed from both ends of an id."""

_NO_WIDTH = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_GAP = re.compile(r"\s\s|[^\S ]")
_WHOLE = re.compile(r"[+-]?(\d{1,99})(\.0*)?")
_POWER = re.compile(r"[+-]?(\d{1,99})(?:\.(\d{0,99}))?[eE]\+?(\d{1,2})")
_QUOTED = re.compile(r"(?:b|=)?(['\"])(.+)\1|[‘’“”„‚«»‹›](.+)[‘’“”„‚«»‹›]|'(.+)")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")
_NUMBERED = re.compile(r"(\D*)(\d{1,99})(\.0*)?")
_PADDED = re.compile(r"[+-]?0\d")
_NOTHING = {"nan", "null", "none", "na", "n/a", "<na>", "nat", "\\n", "undefined", "?", "-", "."}
_MISSING = {"nan", "NaN", "None", "null", "NULL", "<NA>", "NaT", "N/A", "undefined"}
"""What programs write for a missing value."""
_EXACT = {"Float16": 2**11, "Float32": 2**24, "Float64": 2**53}
_SHORTENED = 6  # digits that a spreadsheet keeps of a long number
_LONG = 9  # powers of ten; spreadsheets write numbers of twelve digits so, and narrow columns of fewer
_ROUNDED = "may have been rounded: different ids may have become one"
_AS_TEXT = "Export the file again with ids as text or as whole numbers."
_ONE_WAY = "Write the same id always in the same way; if they are different ids, put a letter before one."


class UnclearError(Exception):
    """Ids with an unclear meaning: their positions, the problem and the remedy."""

    def __init__(self, at: Sequence[int], problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.at, self.problem, self.remedy = at, problem, remedy

    def refusal(self, what: str, ids: Sequence[str], place: Place) -> DataError:
        """The error to show. `place(n)` describes the place of `ids[n]`."""
        told = " and ".join(f"{place(n)} has the {what} {ids[n]!r}" for n in self.at)
        return DataError(f"{told}, {self.problem}.", self.remedy)


def clean(text: str) -> str:
    """An id without invisible characters at its ends, with single blanks inside, in NFC."""
    text = text.strip(EDGES)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_NO_WIDTH))
    return " ".join(text.split()) if _GAP.search(text) else text


def plain(text: str) -> str:
    """One id: a whole number in its plain spelling, other text unchanged."""
    number = _number(text)
    return text if number is None else str(number)


def unify(ids: Sequence[str]) -> list[int] | list[str]:
    """The spelling to use for distinct, clean ids: numbers if all are whole numbers, else text."""
    numbers = [_number(text) for text in ids]
    texts = [n for n, number in enumerate(numbers) if number is None]
    if texts and len(texts) < len(ids) and all(ids[n].lower() in _NOTHING for n in texts):
        raise UnclearError(
            texts[:1], "but all others are numbers: the id seems to be missing", "Remove these rows."
        )
    if gone := [n for n in texts if ids[n] in _MISSING and len(ids) > 1]:
        raise UnclearError(
            gone[:1],
            "which is what programs write for a missing value",
            "Remove these rows; if it is a real id, spell it differently.",
        )
    if not texts and ids:
        for n, text in enumerate(ids):
            if _rounded(text, numbers[n] or 0):
                raise UnclearError([n], f"which {_ROUNDED}", _AS_TEXT)
        if not any(map(_PADDED.match, ids)):
            found = [number or 0 for number in numbers]
            fit = min(found) >= -(2**63) and max(found) < 2**63
            return found if fit else list(map(str, found))
    _refuse_alike(ids)
    return list(ids)


def _number(text: str) -> int | None:
    """The whole number that a text means; None for other text."""
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        return -int(whole[1]) if text[0] == "-" else int(whole[1])
    power = _POWER.fullmatch(text)
    if power is None or len(decimals := (power[2] or "").rstrip("0")) > int(power[3]):
        return None
    number: int = int(power[1] + decimals) * 10 ** (int(power[3]) - len(decimals))
    return -number if text[0] == "-" else number


def _rounded(text: str, number: int) -> bool:
    """Whether floating point or a spreadsheet left too few digits of a number."""
    power = _POWER.fullmatch(text)
    if power is not None:
        digits = len(power[1]) + len(power[2] or "")
        implied = int(power[3]) - len((power[2] or "").rstrip("0"))
        written = "+" in text[1:] or "." in text  # as programs write it; 4e99 can be a name
        return implied > 0 and (digits >= _SHORTENED or (written and int(power[3]) >= _LONG))
    return "." in text and abs(number) > _EXACT["Float64"]


def _refuse_alike(ids: Sequence[str]) -> None:
    """Refuse ids that differ only in how a number is written, or in quotation marks."""
    seen: dict[tuple[str, int | None], int] = {}
    for n, text in enumerate(ids):
        first = seen.setdefault(_meant(text), n)
        if first != n:
            raise UnclearError([first, n], "which may be the same id", _ONE_WAY)


def _meant(text: str) -> tuple[str, int | None]:
    """An id without quotation marks, split into its text and the number at its end."""
    quoted = _QUOTED.fullmatch(text)
    inner = text if quoted is None else next(filter(None, quoted.groups()[1:])).strip(EDGES)
    if _THOUSANDS.fullmatch(inner):
        inner = inner.replace(",", "")
    numbered = _NUMBERED.fullmatch(inner)
    if numbered is None:
        return inner, None
    return numbered[1].removeprefix("+"), int(numbered[2])


def column(series: pl.Series, what: str, refuse: Refuse, place: Place) -> NDArray[Any]:
    """A column of ids: int64 if all are whole numbers, else text."""
    import polars as pl

    kind = series.dtype
    missing = f"has no {what}", f"Write the {what} in every row, or remove rows without one."
    wrong = "a truth value" if kind == pl.Boolean else "a time" if kind.is_temporal() else "a list"
    wrong = "neither a number nor text" if kind == pl.Object else wrong
    if kind == pl.Boolean or kind.is_temporal() or kind.is_nested() or kind == pl.Object:
        told = f"{place(0)} has {wrong} for its {what}, in column {series.name}."
        raise DataError(told, "Say which column holds the ids.")
    if kind.is_float():
        refuse(series.is_nan().fill_null(True).to_numpy(), *missing)
        limit = _EXACT[str(kind.base_type())]
        refuse((series.abs() > limit).to_numpy(), f"has a {what} that {_ROUNDED}", _AS_TEXT)
        whole = series.cast(pl.Int64, strict=False)
        series = whole if (whole.cast(pl.Float64) == series.cast(pl.Float64)).all() else series
    refuse(series.is_null().to_numpy(), *missing)
    if series.dtype.is_integer():
        narrow = series.cast(pl.Int64, strict=False)
        if narrow.null_count() == 0:
            return narrow.to_numpy()
    text = _decoded(series) if kind == pl.Binary else series.cast(pl.String)
    refuse(text.is_null().to_numpy(), f"has a {what} that is not UTF-8 text", "Decode the column before.")
    numbers = text.cast(pl.Int64, strict=False)
    if numbers.null_count() == 0 and (numbers.cast(pl.String) == text).all():
        return numbers.to_numpy()
    spelled = text.unique(maintain_order=True)
    cleaned = list(map(clean, spelled.to_list()))
    if "" in cleaned:
        empty = [s for s, c in zip(spelled.to_list(), cleaned, strict=True) if not c]
        refuse(text.is_in(empty).to_numpy(), *missing)
    distinct = list(dict.fromkeys(cleaned))
    try:
        found = unify(distinct)
    except UnclearError as error:
        at = {n: spelled[cleaned.index(distinct[n])] for n in error.at}
        raise error.refusal(what, distinct, lambda n: place(text.index_of(at[n]) or 0)) from None
    form = dict(zip(distinct, found, strict=True))
    wanted = [form[c] for c in cleaned]
    if wanted != spelled.to_list():
        text = text.replace_strict(spelled, pl.Series(wanted))
    return np.array(text.to_list(), np.str_) if text.dtype == pl.String else text.to_numpy()


def _decoded(series: pl.Series) -> pl.Series:
    """Bytes as text; null where they are not UTF-8."""
    import polars as pl

    known = {raw: raw.decode(errors="replace") for raw in series.unique().to_list()}
    return pl.Series(
        [None if "\ufffd" in known[raw] else known[raw] for raw in series.to_list()], dtype=pl.String
    )


class Given(NamedTuple):
    """Ids from one file, and a function that describes their places."""

    values: NDArray[Any]
    place: Place


def agree(given: Sequence[Given], what: str) -> list[NDArray[Any]]:
    """Ids from several files in one spelling: numbers if all are whole numbers, else text."""
    if all(one.values.dtype.kind in "iu" for one in given):
        return [one.values for one in given]
    parts = [factorise(one.values.ravel(), what, one.place) for one in given]
    distinct = list(dict.fromkeys(i for ids, _ in parts for i in ids.tolist()))

    def place(n: int) -> str:
        for one, (ids, at) in zip(given, parts, strict=True):
            if (hit := np.flatnonzero(ids == distinct[n])).size:
                return one.place(int(np.flatnonzero(at == hit[0])[0]))
        raise AssertionError(n)

    try:
        found = dict(zip(distinct, unify(distinct), strict=True))
    except UnclearError as error:
        raise error.refusal(what, distinct, place) from None
    whole = all(isinstance(form, int) for form in found.values())
    kind: Any = np.int64 if whole else np.str_
    forms = [np.array([found[i] for i in ids.tolist()], kind) for ids, _ in parts]
    return [
        form[at].reshape(one.values.shape) for one, form, (_, at) in zip(given, forms, parts, strict=True)
    ]


def factorise(array: NDArray[Any], what: str, place: Place) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """The distinct ids, sorted, as text, and for each row the position of its id.

    Ids are sorted as numbers if all are whole numbers, else as text.
    """
    if array.dtype.kind in "iu":
        whole, at = ranks(array)
        return whole.astype(np.str_), at
    spelled, at = np.unique(_texts(array, what, place), return_inverse=True)
    cleaned = list(map(clean, spelled.tolist()))

    def row(n: int) -> int:
        return int(np.flatnonzero(at == n)[0])

    if "" in cleaned:
        raise DataError(
            f"{place(row(cleaned.index('')))} has no {what}.",
            f"Write the {what} in every row, or remove rows without one.",
        )
    distinct = list(dict.fromkeys(cleaned))
    try:
        found = dict(zip(distinct, unify(distinct), strict=True))
    except UnclearError as error:
        raise error.refusal(what, distinct, lambda n: place(row(cleaned.index(distinct[n])))) from None
    ordered = sorted(set(found.values()))  # type: ignore[type-var]  # all numbers, or all text
    rank = {form: n for n, form in enumerate(ordered)}
    return np.array(ordered).astype(np.str_), np.array([rank[found[c]] for c in cleaned], np.int64)[at]


def _texts(array: NDArray[Any], what: str, place: Place) -> NDArray[np.str_]:
    """Ids as text. Missing values, rounded numbers and other types are refused."""
    bad = np.zeros(len(array), np.bool_)
    problem, remedy = f"has no {what}", f"Write the {what} in every row, or remove rows without one."
    if array.dtype.kind == "O":
        bad = np.array([one is None or one != one for one in array.tolist()], np.bool_)
    elif array.dtype.kind == "f":
        bad = np.isnan(array)
        if not bad.any():
            bad = np.abs(array) > _EXACT[f"Float{8 * array.dtype.itemsize}"]
            problem, remedy = f"has a {what} that {_ROUNDED}", _AS_TEXT
    elif array.dtype.kind not in "US":
        bad[:] = True
        problem, remedy = f"has a {what} that is neither a number nor text", "Give ids as numbers or text."
    if bad.any():
        raise DataError(f"{place(int(np.flatnonzero(bad)[0]))} {problem}.", remedy)
    if array.dtype.kind in "SO":
        array = np.array([one.decode() if isinstance(one, bytes) else str(one) for one in array.tolist()])
    return array.astype(np.str_)


def ranks(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct ids, sorted, and for each row the position of its id.

    Whole numbers in a small range are looked up in a table, which is faster than sorting.
    """
    if (
        array.dtype.kind not in "iu"
        or len(array) == 0
        or (span := int(array.max()) - (low := int(array.min())) + 1) > 4 * len(array) + 1000
    ):
        return np.unique(array, return_inverse=True)
    offset = array.astype(np.int64) - low
    seen = np.zeros(span, np.bool_)
    seen[offset] = True
    return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[offset]
