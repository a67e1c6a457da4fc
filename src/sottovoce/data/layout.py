"""Find the columns of a table that hold the person, the item, the rating, the time and the title.

The columns are given by the user, or guessed: from their names, then from their values; without a header,
from their order and values. A `Layout` describes the result, so that it can be shown. An unclear table is
refused, with examples of the values in its columns.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sottovoce.data import lists, looks, words
from sottovoce.data.table import Table
from sottovoce.errors import DataError, either
from sottovoce.registry import nearest

ROLES = ("user", "item", "rating", "time", "title")
SEPARATORS = {"\t": "tab", "::": "'::'", ",": "comma", ";": "semicolon", "|": "'|'", " ": "space"}
_DECIMAL = re.compile(r"\s*[+-]?\d+,\d+\s*")
_FEW = 5  # columns; in wider tables, a column that looks like a rating or a time is often something else
_COUNTED = 10  # rows; in shorter tables, ids may be 1, 2, 3 by chance
_NAME = "Name the columns: " + either(
    'columns={"user": …, "item": …, "rating": …, "time": …}.', "--columns user=…,item=…,rating=…,time=…."
)
_HEADER = f"Set {either('header=True or header=False', '--set data.header=true or false')}."
_INDEX = "index"  # our name for a column of row numbers without a name


class Layout(NamedTuple):
    """The position of each column that is used, from 0; None for a column that does not exist."""

    user: int
    item: int
    rating: int | None
    time: int | None
    title: int | None
    names: tuple[str, ...]
    guessed: bool

    def __str__(self) -> str:
        columns = ((role, getattr(self, role)) for role in ROLES)
        used = ", ".join(f"{role} = {self.names[at]}" for role, at in columns if at is not None)
        rest = [name for at, name in enumerate(self.names) if at not in self[:5]]
        ignored = f"; not used: {', '.join(rest)}" if rest else ""
        return f"columns {'guessed' if self.guessed else 'as given'}: {used}{ignored}"


def separator_of(where: str, lines: Sequence[str]) -> str:
    """The separator of the fields: one that splits all of the first lines into equally many fields."""
    present = [mark for mark in SEPARATORS if mark in lines[0]]
    if not present:
        raise DataError(
            f"{where}, line 1 has only one field.",
            f"Separate the fields by one of: {', '.join(SEPARATORS.values())}.",
        )
    rows = {mark: records(lines, mark) for mark in present}
    alike = [mark for mark in present if len({len(row) for row in rows[mark]}) == 1]
    if "\t" in alike:  # unquoted fields do not hold tabs
        return "\t"
    most = max((len(rows[mark][0]) for mark in alike if mark != "::"), default=0)
    if "::" in alike and len(rows["::"][0]) > most:
        return "::"
    others = {mark: [other for other in alike if other not in (mark, " ")] for mark in alike}
    named = [
        mark
        for mark in alike
        if names_columns(names := rows[mark][0])
        and not any(o in name for o in others[mark] for name in names)
    ]
    if len(named) == 1:
        return named[0]
    if "," in alike and any(mark in alike and _decimal_commas(rows[mark]) for mark in (";", "|")):
        alike.remove(",")
    if any(mark != " " and _explained_blanks(rows[mark]) for mark in alike):
        alike = [mark for mark in alike if mark != " "]
    if len(alike) > 1:
        choices = " or by ".join(SEPARATORS[mark] for mark in alike)
        raise DataError(
            f"The fields of {where} could be separated by {choices}.",
            f"Set the separator, for example {either('separator=', '--set data.separator=')}'{alike[0]}'.",
        )
    return (alike or present)[0]


def _decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all commas are decimal commas, in fields after the first two."""
    parts = [(at, field) for row in rows for at, field in enumerate(row) if "," in field]
    return all(at > 1 and _DECIMAL.fullmatch(field) for at, field in parts)


def _explained_blanks(rows: Sequence[Sequence[str]]) -> bool:
    """Whether blanks are only around fields, and within dates with a time of day."""
    return all(" " not in (f := field.strip()) or looks.like_value(f) for row in rows for field in row)


def records(lines: Sequence[str], separator: str) -> list[list[str]]:
    """The fields of some lines. A quoted field can go on in the next line."""
    if len(separator) == 1 and any('"' in line for line in lines):
        try:
            return list(
                csv.reader([f"{line}\n" for line in lines], delimiter=separator, skipinitialspace=True)
            )
        except csv.Error:  # a field of more than 131,072 characters
            pass
    return [line.split(separator) for line in lines]


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it has known names, or it is text above numbers or dates."""
    first = [value.strip('" \t\u00a0') for value in rows[0]]
    known = len(_named(first))
    if known > 1:
        return True
    if any(looks.like_value(value) for value in first):
        return False
    return known == 1 or any(looks.like_value(value.strip('"')) for row in rows[1:] for value in row)


def numbers_columns(first: Sequence[str]) -> bool:
    """Whether a line numbers the columns from 0 or 1, perhaps after the unnamed index of pandas."""
    values = [value.strip('" \t\u00a0') for value in first]
    numbered = values[1:] if values[0] == "" else values
    count = len(numbered)
    return count > 1 and any(numbered == [str(n + start) for n in range(count)] for start in (0, 1))


def below_numbers(table: Table, sure: bool, remedy: str = _HEADER) -> Table:
    """The rows below a line that numbers the columns. Unless `sure`, refused if it could be a row."""
    first, frame = table.frame.row(0), table.frame.slice(1)
    if frame.height == 0 and sure:
        raise DataError(f"{table.where} has a header and nothing else.", "Give a file with at least one row.")
    indexed = not (first[0] or "").strip()
    if not (sure or indexed or any(looks.never_small(series) for series in frame)):
        raise DataError(
            f"{table.place(0)} could number the columns, or be an ordinary row: {', '.join(first)}.", remedy
        )
    if indexed:
        frame = frame.rename({frame.columns[0]: _INDEX})
    return Table(table.where, frame, None if table.lines is None else table.lines[1:], table.notes)


def refuse_unclear_header(table: Table) -> None:
    """Refuse a first row of text that could name the columns, or be a row with ids that never repeat."""
    first = table.frame.row(0)
    if not any(first):
        raise DataError(f"{table.place(0)} holds nothing but separators.", "Remove it.")
    if any(looks.like_value(value) for value in first):
        return
    pairs = [(series, value) for series, value in zip(table.frame, first, strict=True) if value]
    if any((series.slice(1) == value).any() for series, value in pairs):
        return
    raise DataError(
        f"{table.place(0)} could name the columns, or be an ordinary row: {', '.join(map(str, first))}.",
        _HEADER,
    )


def names_columns(names: Sequence[str]) -> bool:
    """Whether a line names a user column and an item column."""
    return all(words.by_name(names, role) for role in ("user", "item"))


def _named(names: Sequence[str]) -> set[int]:
    """The columns with a known name."""
    return {at for role in ROLES for at in words.by_name(names, role)}


def guess(table: Table, header: bool) -> Layout:
    """The layout, from the names and values of the columns; without a header, from their order."""
    names = tuple(table.frame.columns)
    found = _by_name(table) if header else _by_order(table)
    if header and "user" not in found:
        _refuse_export(table, names, found)
    if header:
        lists.refuse_names(table, found)
    sure = "user" in found and "item" in found and header
    if header and len(names) <= _FEW:
        _by_content(table, found)
    if header and "item" not in found and "title" in found:
        found["item"] = found.pop("title")
    missing = [role for role in ("user", "item") if role not in found]
    if missing:
        raise _unclear(table, f"has no column that is clearly the {' or the '.join(missing)}")
    lists.refuse_values(table, found, sure)
    return _layout(found, names, True)


def _layout(at: Mapping[str, int], names: tuple[str, ...], guessed: bool) -> Layout:
    rating, time, title = (at.get(role) for role in ("rating", "time", "title"))
    return Layout(at["user"], at["item"], rating, time, title, names, guessed)


def _examples(table: Table) -> str:
    """The columns, each with a few of its values."""
    shown = []
    for series in table.frame.get_columns()[:20]:
        values = dict.fromkeys(str(value)[:20] for value in series.head(20) if value not in (None, ""))
        shown.append(f"{series.name} ({', '.join(list(values)[:3]) or 'nothing'})")
    return ", ".join(shown) + (", …" if table.frame.width > 20 else "")


def _refuse_export(table: Table, names: Sequence[str], found: Mapping[str, int]) -> None:
    """Refuse the history of a single person, with an explanation."""
    site = words.exported(names)
    others = [at for at in range(len(names)) if at not in found.values()]
    alone = site is None and ("title" in found or "item" in found) and not others
    if site is None and not alone:
        return
    what = (
        f"the history of one person, exported from {site}" if site else "probably the history of one person"
    )
    raise DataError(
        f"{table.where} is {what}: it has no column with the user.",
        "A network learns from many people: put the histories of several people into one file, and add a "
        "column called user.",
    )


def given(table: Table, columns: Mapping[str, str | int]) -> Layout:
    """The layout that the user gave: for each role the name of a column, or its number from 1."""
    names = tuple(table.frame.columns)
    for role in columns:
        if role not in ROLES:
            raise DataError(f"{role!r} is not a role of a column.", nearest(role, list(ROLES)))
    for role in ("user", "item"):
        if role not in columns:
            raise DataError(
                f"The columns given do not say which is the {role}.", "Give at least user and item."
            )
    at = {role: _find(table.where, names, column) for role, column in columns.items()}
    for role, place in at.items():
        twice = next(
            (r for r, p in at.items() if p == place and r != role and "title" not in (r, role)), None
        )
        if twice:
            raise DataError(
                f"The column {names[place]!r} is given as {role} and as {twice}.",
                "Give a different column for each.",
            )
    return _layout(at, names, False)


def _find(where: str, names: tuple[str, ...], column: str | int) -> int:
    if column in names:
        return names.index(str(column))
    if str(column).isdecimal() and 1 <= int(column) <= len(names):
        if str(column) in names and names[int(column) - 1] != str(column):
            raise DataError(
                f"{where} has a column called {str(column)!r}, and column number {column} is called "
                f"{names[int(column) - 1]!r}.",
                f"If you mean the name, write {str(column)!r} in quotation marks; else the other one.",
            )
        return int(column) - 1
    raise DataError(f"{where} has no column {column!r}.", nearest(str(column), list(names)))


def _by_name(table: Table) -> dict[str, int]:
    """For each role the column with the most likely name whose values do not contradict it."""
    names = table.frame.columns
    found: dict[str, int] = {}
    for role in ROLES:
        choices = [at for at in words.by_name(names, role) if at not in found.values()]
        choices = [at for at in choices if looks.may_be(table.frame.to_series(at), role, names[at])]
        if role == "time":  # a column without gaps first, because some exports leave gaps
            choices.sort(key=lambda at: looks.gaps(table.frame.to_series(at)))
        if choices:
            found[role] = choices[0]
        if role in ("user", "item") and len(choices) > 1:
            _refuse_row_ids(table, role, choices)
    return found


def _refuse_row_ids(table: Table, role: str, choices: Sequence[int]) -> None:
    """Refuse a column without repeated values (perhaps row numbers), if another column could be meant."""
    columns = [table.frame.to_series(at) for at in choices]
    rows = table.frame.height
    repeats = [series for series in columns[1:] if 2 * series.n_unique() <= rows]
    if rows >= _COUNTED and columns[0].n_unique() == rows and repeats:
        names = f"{columns[0].name}, in which no value repeats, and {repeats[0].name}"
        raise _unclear(table, f"has several columns that could be the {role}: {names}")


def _by_content(table: Table, found: dict[str, int]) -> None:
    """Add roles of columns with unknown names, if their values are clear."""
    kinds = {
        at: looks.kind(series)
        for at, series in enumerate(table.frame.get_columns())
        if at not in found.values()
        and not lists.describing(series.name)
        and not (at == 0 and looks.counts(series))
    }
    for role in ("time", "rating"):
        alike = [at for at, kind in kinds.items() if kind == role]
        if role in found or not alike:
            continue
        if len(alike) > 1:
            several = " and ".join(table.frame.columns[at] for at in alike)
            raise _unclear(table, f"has several columns that could be the {role}: {several}")
        found[role] = alike[0]
        del kinds[alike[0]]
    ids = [at for at, kind in kinds.items() if kind == "id"]
    missing = [role for role in ("user", "item") if role not in found]
    # A first row of text above other text may be an ordinary row in which one id is a known column name.
    header = len(found) > 1 or any(looks.numeric(series) for series in table.frame.get_columns())
    if header and len(missing) == 1 and len(ids) == 1 and not (missing == ["item"] and "title" in found):
        found[missing[0]] = ids[0]


def _by_order(table: Table) -> dict[str, int]:
    """Columns by order: perhaps an index, then user and item, then a rating and a time by their values."""
    frame = table.frame
    start = int(frame.columns[0] == _INDEX)
    if frame.width < start + 2:
        return {}
    if start and frame.to_series(0).n_unique() < frame.height:
        raise _unclear(table, "has a column without a name that does not hold row numbers")
    if not start and frame.width > 2 and frame.height >= _COUNTED and looks.counts(frame.to_series(0)):
        raise _unclear(table, "has no header, and its first column seems to hold row numbers")
    found = {"user": start, "item": start + 1}
    if looks.asins(frame.to_series(start)) and looks.reviewers(frame.to_series(start + 1)):
        found = {"user": start + 1, "item": start}  # Amazon's ratings of 2018
    for at in range(start + 2, frame.width):
        kind = looks.order(frame.to_series(at))
        if kind == "time" or (kind == "rating" and at < start + 4):
            found.setdefault(kind, at)
    for role in ("user", "item"):
        series = frame.to_series(found[role])
        if looks.dated(series) or (frame.width > 2 and "time" not in found and looks.clocked(series)):
            raise _unclear(table, f"has no header, and seems to have times where the {role} is expected")
    return found


def _unclear(table: Table, problem: str) -> DataError:
    return DataError(f"{table.where} {problem}; its columns are: {_examples(table)}.", _NAME)
