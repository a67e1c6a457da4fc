"""Which columns of a table hold the person, the item, the rating and the time.

Guessed from the names of the columns or, without a header, from their order and first values; or
given. Either way a `Layout` says it in words, so that it can be shown.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sottovoce.data.table import QUOTED, Table
from sottovoce.errors import DataError
from sottovoce.registry import nearest

ROLES = ("user", "item", "rating", "time")
SYNONYMS = {
    "user": "user userid uid username person personid member memberid reviewer reviewerid customer",
    "item": "item itemid iid movie movieid film book bookid isbn product productid asin sku article "
    "articleid artist artistid track trackid song songid business businessid venue venueid location poi",
    "rating": "rating ratings stars score overall value weight plays playcount count feedback preference",
    "time": "timestamp time date datetime unixtime unixreviewtime reviewtime utc ratedat createdat",
}
SEPARATORS = {"\t": "tab", "::": "'::'", ",": "comma", ";": "semicolon", "|": "'|'", " ": "space"}
_LONG_AGO = 1e8  # as seconds since 1970: the year 1973; larger numbers are times, smaller ones ratings


class Layout(NamedTuple):
    """The place of each column that is used, counted from 0; None where there is none."""

    user: int
    item: int
    rating: int | None
    time: int | None
    names: tuple[str, ...]
    guessed: bool

    def __str__(self) -> str:
        columns = ((role, getattr(self, role)) for role in ROLES)
        used = ", ".join(f"{role} = {self.names[at]}" for role, at in columns if at is not None)
        rest = [name for at, name in enumerate(self.names) if at not in self[:4]]
        ignored = f"; not used: {', '.join(rest)}" if rest else ""
        return f"columns {'guessed' if self.guessed else 'as given'}: {used}{ignored}"


def separator_of(where: str, text: str) -> str:
    """What separates the fields: what splits all of the first lines alike, or else the first line."""
    lines = [line.rstrip("\r") for line in text.split("\n")[:20] if line.strip()]
    present = [mark for mark in SEPARATORS if mark in lines[0]]
    if not present:
        raise DataError(
            f"{where}, line 1 has a single field.",
            f"Separate fields by one of: {', '.join(SEPARATORS.values())}.",
        )
    alike = [mark for mark in present if len({len(_fields(line, mark)) for line in lines}) == 1]
    return (alike or present)[0]


def _fields(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator)) if separator in QUOTED else line.split(separator)


def has_header(rows: Sequence[Sequence[str | None]]) -> bool:
    """Whether the first row names the columns: it has a known name, or is text above numbers."""
    first = rows[0]
    if _by_name([name or "" for name in first]):
        return True
    if len(rows) < 2 or any(_number(value) is not None for value in first):
        return False
    return any(_number(value) is not None for value in rows[1])


def guess(table: Table, header: bool) -> Layout:
    """The layout by the names of the columns, or by their order if there is no header."""
    names = tuple(table.frame.columns)
    found = _by_name(names) if header else _by_order(table)
    missing = [role for role in ("user", "item") if role not in found]
    if missing:
        raise DataError(
            f"{table.where} has no column that is clearly the {' or the '.join(missing)}; "
            f"its columns are: {', '.join(names)}.",
            "Name them: --columns user=…,item=… with run, columns = {user = '…', item = '…'} elsewhere.",
        )
    return Layout(found["user"], found["item"], found.get("rating"), found.get("time"), names, True)


def given(table: Table, columns: Mapping[str, str | int]) -> Layout:
    """The layout that a person gave: for each role the name of a column, or its number from 1."""
    names = tuple(table.frame.columns)
    for role in columns:
        if role not in ROLES:
            raise DataError(f"{role!r} is not something a column can hold.", nearest(role, list(ROLES)))
    for role in ("user", "item"):
        if role not in columns:
            raise DataError(
                f"The columns given do not say which is the {role}.", "Give user and item at least."
            )
    at = {role: _find(table.where, names, column) for role, column in columns.items()}
    return Layout(at["user"], at["item"], at.get("rating"), at.get("time"), names, False)


def _find(where: str, names: tuple[str, ...], column: str | int) -> int:
    if column in names:
        return names.index(str(column))
    if str(column).isdecimal() and 1 <= int(column) <= len(names):
        return int(column) - 1
    raise DataError(f"{where} has no column {column!r}.", nearest(str(column), list(names)))


def _plain(name: str) -> str:
    """Letters and digits only; a type as in RecBole's `user_id:token` is left out."""
    return "".join(c for c in name.split(":")[0].lower() if c.isalnum())


def _by_name(names: Sequence[str]) -> dict[str, int]:
    """For each role the column whose name comes first among the synonyms."""
    plain = [_plain(name) for name in names]
    found: dict[str, int] = {}
    for role, words in SYNONYMS.items():
        known = [word for word in words.split() if word in plain]
        if known:
            found[role] = plain.index(known[0])
    return found


def _by_order(table: Table) -> dict[str, int]:
    """User, item, then a rating and a time, told apart by their size."""
    found = {"user": 0, "item": 1} if table.frame.width > 1 else {}
    for at, value in enumerate(table.frame.row(0)[2:4], start=2):
        number = _number(value)
        if number is None:
            continue
        role = "time" if number > _LONG_AGO else "rating"
        found.setdefault(role, at)
    return found


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
