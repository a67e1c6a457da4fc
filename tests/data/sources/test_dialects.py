"""Valid interactions in random dialects: the same come out, or an error, never others.

A search with more examples: SOTTOVOCE_EXAMPLES=20000 pytest tests/data/sources/test_dialects.py
"""

import datetime as dt
import gzip
import io
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.errors import SottovoceError

EXAMPLES = int(os.environ.get("SOTTOVOCE_EXAMPLES", "250"))
Row = tuple[str, str, float, int]
ENGLISH = ("userId", "movieId", "rating", "timestamp")
HEADERS: dict[str, Sequence[str] | None] = {
    "none": None,
    "English": ENGLISH,
    "capitals": ("USER ID", "Item-ID", "Book Rating", "Date Rated"),
    "German": ("Nutzer", "Film", "Bewertung", "Datum"),
    "French": ("utilisateur", "livre", "évaluation", "date"),
    "Spanish": ("Usuario", "Película", "puntuación", "fecha"),
    "Russian": ("Пользователь", "Фильм", "Оценка", "Дата"),
    "half known": ("user", "was", "wie gut", "wann"),
    "numbers": ("0", "1", "2", "3"),
    "unknown": ("wer", "was", "wie gut", "wann"),
}
DELIMITERS = [",", ";", "\t", "|", "::", " "]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"]
TIMES = {
    "seconds": "{0}",
    "decimals": "{0}.0",
    "milliseconds": "{0}000",
    "microseconds": "{0}000000",
    "nanoseconds": "{0}000000000",
    "ISO": "{1:%Y-%m-%dT%H:%M:%S}",
    "ISO with a blank": "{1:%Y-%m-%d %H:%M:%S}",
    "ISO in UTC": "{1:%Y-%m-%dT%H:%M:%SZ}",
    "ISO in a zone": "{2:%Y-%m-%dT%H:%M:%S}+05:30",
    "slashes, day first": "{1:%d/%m/%Y %H:%M:%S}",
    "slashes, month first": "{1:%m/%d/%Y %H:%M:%S}",
    "twelve hours": "{1:%m/%d/%Y %I:%M:%S %p}",
    "dots": "{1:%d.%m.%Y %H:%M:%S}",
    "words": "{1:%d %b %Y %H:%M:%S}",
    "Twitter": "{1:%a %b %d %H:%M:%S +0000 %Y}",
    "calendar number": "{1:%Y%m%d%H%M%S}",
    "date": "{1:%Y-%m-%d}",
    "date with slashes": "{1:%d/%m/%Y}",
    "date with dots": "{1:%d.%m.%Y}",
    "date as a number": "{1:%Y%m%d}",
    "date of a spreadsheet": "{3}",
}
PACKINGS = ["plain", "gz", "gz without suffix", "zip", "zip without suffix", "gz in zip"]


class Dialect(NamedTuple):
    """How a file is written."""

    form: str
    delimiter: str
    quoting: str
    encoding: str
    line_end: str
    header: str
    order: tuple[int, ...]
    blank: str
    time: str
    decimals: str
    spelling: str
    """Of every second id, if it is a number."""
    last_line_end: bool
    blank_lines: bool
    packing: str


dialects = st.builds(
    Dialect,
    form=st.sampled_from(["text"] * 6 + ["JSON lines", "Parquet", "frame"]),
    delimiter=st.sampled_from(DELIMITERS),
    quoting=st.sampled_from(["needed", "all", "text"]),
    encoding=st.sampled_from(ENCODINGS),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    header=st.sampled_from(list(HEADERS)),
    order=st.permutations(range(4)).map(tuple),
    blank=st.sampled_from(["", "", " ", "\u00a0", "  "]),
    time=st.sampled_from(list(TIMES)),
    decimals=st.sampled_from([".", ",", ".0"]),
    spelling=st.sampled_from(["plain", "plain", "decimal", "signed", "exponent", "spreadsheet"]),
    last_line_end=st.booleans(),
    blank_lines=st.booleans(),
    packing=st.sampled_from(PACKINGS),
)
numbers = st.integers(1, 3000).map(str)
long = st.integers(10**10, 10**18).map(str)
plain = st.text("abcxyzéßñ", min_size=1, max_size=6)
# A separator at the edge of an id, without quotation marks, cannot be told from one between fields.
words = st.text("ab éñ,;|:\"'.-", max_size=8).map(lambda text: one_line(f"a{text}b"))
broad = st.text("ab\nюж用#%&", min_size=1, max_size=5).map(str.strip).filter(bool)
ids = st.sampled_from([numbers, numbers, long, plain, words, broad]).flatmap(
    lambda kind: st.lists(kind, min_size=1, max_size=6)
)
SCALES = [(1, 2, 3, 4, 5), (0.5, 1.5, 2.5, 3.5, 5), (0, 1), (-1, 1), (0, 40, 65, 90, 100), (1, 3, 250, 17)]


def one_line(name: str) -> str:
    """An id as it comes out, with a blank for every line end and run of blanks."""
    return " ".join(name.split())


@st.composite
def interactions(draw: st.DrawFn) -> tuple[list[Row], tuple[bool, bool]]:
    """Rows, and whether they have ratings and times."""
    people, items = draw(ids), draw(ids)
    scale = draw(st.sampled_from(SCALES))
    pairs = draw(
        st.lists(
            st.tuples(st.sampled_from(people), st.sampled_from(items)),
            min_size=1,
            max_size=20,
            unique_by=lambda pair: (one_line(pair[0]), one_line(pair[1])),
        )
    )
    times = st.integers(86400 * 366 * 4, 86400 * 365 * 54)
    rows = [(who, what, draw(st.sampled_from(scale)), draw(times)) for who, what in pairs]
    return rows, (draw(st.booleans()), draw(st.booleans()))


def moment(seconds: int, form: str) -> str:
    known = dt.datetime.fromtimestamp(seconds, dt.UTC).replace(tzinfo=None)
    sheet = seconds // 86400 + 25569
    return TIMES[form].format(seconds, known, known + dt.timedelta(hours=5, minutes=30), sheet)


def number(value: float, decimals: str) -> str:
    short = f"{value:g}"
    if decimals == ".0":
        return short if "." in short else f"{short}.0"
    return short.replace(".", decimals)


def spelled(id: str, spelling: str) -> str:
    """A number in another spelling. Spreadsheets keep three digits of long ones: 7.66E+16."""
    if spelling == "exponent":
        digits = id.rstrip("0")
        return f"{digits}e{len(id) - len(digits)}"
    if spelling == "spreadsheet":
        return f"{int(id):.2E}" if len(id) > 11 else id
    return {"decimal": "{}.0", "signed": "+{}"}[spelling].format(id)


def columns(rows: Sequence[Row], kept: Sequence[int], d: Dialect) -> list[list[str]]:
    """The fields of each row, as text."""
    fields = [
        [who, what, number(rating, d.decimals), moment(time, d.time)] for who, what, rating, time in rows
    ]
    for n, row in enumerate(fields):
        for at in (0, 1):
            if row[at].isdecimal() and d.spelling != "plain" and n % 2:
                row[at] = spelled(row[at], d.spelling)
    return [[row[at] for at in kept] for row in fields]


def written(rows: Sequence[Row], kept: Sequence[int], d: Dialect) -> str | None:
    """The text of a file, or None if this dialect has no way to write these rows."""
    names = HEADERS[d.header]
    if d.header == "numbers":
        names = dict(zip(kept, HEADERS["numbers"] or (), strict=False))
    table = ([[names[at] for at in kept]] if names else []) + columns(rows, kept, d)
    lines = []
    for n, row in enumerate(table):
        fields = []
        for at, field in zip(kept, row, strict=True):
            special = any(mark in field for mark in (d.delimiter, '"', "\n", "\r")) or field[:1] in "#%"
            # Which quotation marks group is not agreed on where a field does not begin with one.
            special = special or (d.delimiter == "::" and (field[0] == ":" or field[-1] == ":"))
            quoted = special or d.quoting == "all" or (d.quoting == "text" and at < 2)
            if quoted:
                field = '"' + field.replace('"', '""') + '"'
            blank = d.blank if d.delimiter != " " and (n + at) % 2 else ""
            fields.append(blank + field + blank)
        lines += [d.delimiter.join(fields), *[d.blank.replace("\u00a0", "")] * (d.blank_lines and n % 2)]
    return d.line_end.join(lines) + d.line_end * d.last_line_end


def pack(folder: Path, name: str, content: bytes, packing: str) -> Path:
    suffix = {"gz": ".gz", "zip": ".zip"}.get(packing, "")
    path = folder / (name + suffix)
    if packing.startswith("gz"):
        content = gzip.compress(content, mtime=0)
    if "zip" in packing:
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as packed:
            packed.writestr(name + (".gz" if packing == "gz in zip" else ""), content)
        content = inner.getvalue()
    path.write_bytes(content)
    return path


def facts(data: Interactions) -> list[Row]:
    who = np.repeat(data.users, np.diff(data.indptr)).tolist()
    what = data.catalog.ids[data.item].tolist()
    return sorted(zip(who, what, data.value.tolist(), data.time.tolist(), strict=True))


def source(rows: Sequence[Row], kept: Sequence[int], d: Dialect, folder: Path) -> tuple[Any, dict[str, Any]]:
    """What to load, and with which settings."""
    names = HEADERS[d.header] or ENGLISH
    if d.form == "text":
        text = written(rows, kept, d)
        content = text.encode(d.encoding, errors="strict")
        return pack(folder, "own.csv", content, d.packing), (
            {"encoding": "latin-1"} if d.encoding == "latin-1" else {}
        )
    fields = [dict(zip((names[at] for at in kept), row, strict=True)) for row in columns(rows, kept, d)]
    if d.form == "JSON lines":
        lines = d.line_end.join(json.dumps(row, ensure_ascii=d.last_line_end) for row in fields)
        return pack(folder, "own.jsonl", lines.encode("utf-8"), d.packing), {}
    frame = pl.DataFrame(fields)
    if d.form == "frame":
        return frame, {}
    out = io.BytesIO()
    frame.write_parquet(out)
    return pack(folder, "own.parquet", out.getvalue(), d.packing), {}


def clear(rows: Sequence[Row], d: Dialect) -> bool:
    """Whether nothing is doubtful, so that an error would be wrong."""
    return (
        d.header not in ("none", "half known", "numbers", "unknown")
        and d.spelling == "plain"
        and "slashes" not in d.time
        and d.time != "twelve hours"
        and all(rating in SCALES[0] + SCALES[1] for *_, rating, _ in rows)
        and not any("\n" in name for who, what, *_ in rows for name in (who, what))
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dialects")


@settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES <= 250,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(interactions(), dialects)
def test_the_same_interactions_come_out_or_an_error(
    folder: Path, drawn: tuple[list[Row], tuple[bool, bool]], d: Dialect
) -> None:
    rows, (rated, timed) = drawn
    names = HEADERS[d.header]
    named = names and d.header != "numbers"
    order = d.order if named or d.form != "text" else range(4)
    kept = [at for at in order if at < 2 or (at == 2 and rated) or (at == 3 and timed)]
    days = d.time.startswith("date")
    try:
        content, options = source(rows, kept, d, folder)
    except UnicodeEncodeError:
        event("this encoding lacks a letter")
        return
    try:
        found = load(content, **options)
    except SottovoceError as error:
        if clear(rows, d):
            raise
        event(f"refused: {error.problem.split(' ', 1)[1][:40]}")
        return
    event("read")
    wanted = [
        (
            one_line(who),
            one_line(what),
            rating if rated else 1.0,
            (time // 86400 * 86400 if days else time) if timed else 0,
        )
        for who, what, rating, time in rows
    ]
    assert facts(found) == sorted(wanted)
