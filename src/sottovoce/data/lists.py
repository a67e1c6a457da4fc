"""Refuse lists of items, people or places that would be read as interactions, such as MovieLens' movies.csv.

Only guesses are looked at: if columns are given, they hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from sottovoce.data import looks, words
from sottovoce.data.table import Table
from sottovoce.errors import DataError, either

_KINDS = {
    "items": words.ABOUT_ITEMS,
    "people": words.ABOUT_PEOPLE,
    "places": words.ABOUT_PLACES,
    "friends": words.ABOUT_FRIENDS,
}
_COUNTED = 10  # rows; in shorter tables everybody can occur once by chance
_GIVE = (
    "Give the file that says who did what with which item, such as ratings.csv, or name the columns: "
    + either('columns={"user": …, "item": …}.', "--columns user=…,item=….")
)


def describing(name: str) -> str | None:
    """What a column with this name describes: items, people, places or friends; None for other names."""
    whole = words.plain(name)
    return next((kind for kind, known in _KINDS.items() if whole in known.split()), None)


def refuse_names(table: Table, found: Mapping[str, int]) -> None:
    """Refuse a table without a user or an item, whose other columns describe items, people or places."""
    names = table.frame.columns
    told = {at: kind for at, name in enumerate(names) if (kind := describing(name))}
    open_ = len(set(range(len(names))) - set(found.values()) - told.keys())
    lacks = next((role for role in ("user", "item") if role not in found), None)
    if told and lacks and (lacks == "user" or not open_):
        at, kind = next(iter(told.items()))
        why = f"it has a column {names[at]}, and none with a name for the {lacks}"
        raise _refusal(table, kind, why)


def refuse_values(table: Table, at: Mapping[str, int], named: bool) -> None:
    """Refuse guessed columns that hold coordinates, or a person in one row each.

    `named`: whether names say which columns hold user and item. Rows with a rating and a time are events.
    """
    import polars as pl

    for role in ("user", "item"):
        series = table.frame.to_series(at[role])
        if looks.fractions(series):
            raise _refusal(table, "places", f"the column {series.name}, guessed as {role}, holds decimals")
    user, rows = table.frame.to_series(at["user"]), table.frame.height
    events = named or {"rating", "time"} <= at.keys()
    if events or rows < _COUNTED or user.dtype.is_nested() or user.dtype == pl.Object:
        return
    if user.n_unique() == rows:
        problem = f"no value of the column {user.name}, guessed as user, occurs in two of its {rows:,} rows"
        raise _refusal(table, "items or people", problem)


def _refusal(table: Table, kind: str, why: str) -> DataError:
    return DataError(f"{table.where} looks like a list of {kind}, not like interactions: {why}.", _GIVE)
