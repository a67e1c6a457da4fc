"""Refuse lines of a table that are no interactions: a repeated header, a total, a line of dashes.

Read as interactions, they would become people and items.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.data import words
from sottovoce.data.table import Table
from sottovoce.errors import DataError

if TYPE_CHECKING:
    import polars as pl

_TOTAL = """
total totals grandtotal subtotal all overall sum average avg mean count rows records lines eof end
endoffile summe gesamt gesamtsumme insgesamt anzahl mittelwert durchschnitt ende somme totaux moyenne fin
suma totale somma media totaal som gemiddelde aantal totalt summa razem yhteensa toplam celkem
итого всего сумма 总计 合计 總計 合計 합계
"""
_TYPES = """
int integer int32 int64 bigint long float double decimal number numeric str string text varchar char object
"""
_WRAPPED = r"^[(\[{<]"
_INDEXED = r"^\d+:[\d.+-]+$"
_COUNT = r"^\W*\d+ (?:rows?|records?|lines?|results?|entries|zeilen|lignes|filas|righe|rijen)\b"
_NOTE = rf"(?i){_COUNT}|^\W*(?:rows?|records?|lines?|total)\s*[:=]|^--|^\(.*\brows?\b.*\)$"
_DRAWN = r"^[-=+*_~:.…─]{2,}$"
_LINES = re.compile(r"[-=+|:\s\u2500-\u257f]*(?:--|==|[\u2500-\u257f]{2})[-=+|:\s\u2500-\u257f]*")
_TAIL = 5  # rows; a table ends with no more notes than this
_TOP = 4
_WHOLE = r"^[+-]?\d+(?:\.0*)?$"
_REMOVE = "Remove it, so that the file holds only interactions."


def refuse_drawing(where: str, lines: Sequence[str]) -> None:
    """Refuse a table drawn with lines of dashes, as database shells print it. `lines` are the first ones."""
    for line in lines[:_TOP]:
        if _LINES.fullmatch(line):
            raise DataError(
                f"{where} is a table drawn for reading, with the line {line.strip()[:40]!r}.",
                "Export it as CSV, for example with \\copy in psql, .mode csv in sqlite3, or mysql --batch.",
            )


def refuse(table: Table, user: int, item: int) -> None:
    """Refuse rows that are no interactions. `user` and `item` are the columns that hold these."""
    import polars as pl

    pair = [table.frame.to_series(at) for at in (user, item)]
    if any(series.dtype != pl.String for series in pair):
        return
    ids = [series.str.strip_chars(" \t\u00a0\"'") for series in pair]
    names = [table.frame.columns[at] for at in (user, item)]
    said = "repeats the header" if not names[0].startswith("#") else "is a header"
    _refuse(table, pair, _headers(ids, names), f"{said}, below rows", _REMOVE)
    types = [series.str.to_lowercase().is_in(_TYPES.split()) for series in ids]
    _refuse(table, pair, types[0] & types[1], "names the types of the columns, below the header", _REMOVE)
    _refuse_other_forms(table, pair)
    drawn = [series.str.contains(_DRAWN) for series in ids]
    _refuse(table, pair, drawn[0] & drawn[1], "is a line of dashes or dots, not an interaction", _REMOVE)
    for series in ids:
        _refuse(table, pair, _notes(series), "looks like a total or a note, not like an interaction", _REMOVE)


def _refuse_other_forms(table: Table, pair: Sequence[pl.Series]) -> None:
    """Refuse rows in brackets, and rows of a label and numbered features, which are other formats."""
    remedy = "Write a table with one interaction per line, such as user,item,rating."
    first, second = (series.str.strip_chars() for series in pair)
    if first.str.contains(_WRAPPED).all() and not first.str.contains(r"[)\]}>]$").any():
        raise DataError(f"{table.place(0)}, like all others, is in brackets: {first[0]}.", remedy)
    if second.str.contains(_INDEXED).all() and first.str.contains(_WHOLE).all():
        raise DataError(f"{table.where} looks like features in the format of LIBSVM: {second[0]}.", remedy)


def _refuse(table: Table, pair: Sequence[pl.Series], rows: pl.Series, problem: str, remedy: str) -> None:
    at = rows.fill_null(False).arg_true()
    if len(at):
        held = " and ".join(repr(str(series[int(at[0])])) for series in pair)
        more = f" It is the first of {len(at)} such rows." if len(at) > 1 else ""
        raise DataError(f"{table.place(int(at[0]))} {problem}: it holds {held}.{more}", remedy)


def _headers(ids: Sequence[pl.Series], names: Sequence[str]) -> pl.Series:
    """The rows that hold the names of their columns, or two names that tables use for such columns."""
    known = [*words.known("user"), *words.known("item")]
    known = [word + end for word in known for end in ("", "id")]
    low = [series.str.to_lowercase() for series in ids]
    same = [series == name.strip().lower() for series, name in zip(low, names, strict=True)]
    usual = [series.str.replace_all(r"[\W_]", "").is_in(known) for series in low]
    return (same[0] & same[1]) | (usual[0] & usual[1] & (low[0] != low[1]))


def _notes(ids: pl.Series) -> pl.Series:
    """The last rows, if their id is a word for a total, a note, or the only word among whole numbers."""
    import polars as pl

    whole = ids.str.contains(_WHOLE).to_numpy()
    others = np.flatnonzero(whole)
    last = int(others[-1]) + 1 if len(others) else 0
    begin = max(1, len(ids) - _TAIL)
    tail = ids.slice(begin)
    odd = tail.str.to_lowercase().str.replace_all(r"[\W_]", "").is_in(_TOTAL.split())
    odd |= tail.str.contains(_NOTE)
    if last > 1 and begin <= last and whole[:last].all():
        odd |= tail.str.contains(r"^[^\d]*\p{L}[^\d]*$")
    once = ~tail.is_in(ids.slice(0, begin).unique().implode())
    return pl.repeat(False, begin, eager=True).append(odd & once).rename("")
