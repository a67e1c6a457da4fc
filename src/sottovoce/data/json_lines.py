"""Read JSON lines: one object per line, whose keys are the columns. Numbers keep their spelling."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sottovoce.data.table import Table
from sottovoce.data.text import lines
from sottovoce.errors import DataError

ENDS = (".json", ".jsonl", ".ndjson")
_FORM = 'Write an object per line, such as {"user": 1, "item": 2, "rating": 5}.'


class Found(NamedTuple):
    """The table, and the columns that cannot be used because they hold lists or objects."""

    table: Table
    nested: Mapping[str, int]
    """The name of each such column, with the first row that holds a list or an object."""


def is_json(name: str, raw: bytes) -> bool:
    """Whether the content is JSON: by the name of its file, or by its first line."""
    start = raw[:65536].lstrip(b" \t\r\n")
    if start[:1] not in (b"{", b"["):
        return False
    if name.lower().endswith(ENDS):
        return True
    try:
        json.loads(lines(start.decode(errors="replace"))[0])
    except (ValueError, RecursionError):
        return False
    return True


def read(path: Path, raw: bytes) -> Found:
    """The rows of a file. If a line lacks a key, the field is empty."""
    import polars as pl

    objects, at = [], []
    for number, line in enumerate(lines(raw.decode()), 1):
        if line.strip():
            objects.append(_object(path, line, number))
            at.append(number)
    nested: dict[str, int] = {}
    columns: dict[str, list[str | None]] = {key: [] for one in objects for key in one}
    for row, one in enumerate(objects):
        for key, values in columns.items():
            value = one.get(key)
            if isinstance(value, list | dict):
                nested.setdefault(key, row)
                value = "…"
            values.append(value if value is None or isinstance(value, str) else str(value).lower())
    frame = pl.DataFrame(columns, dict.fromkeys(columns, pl.String))
    if not columns:
        raise DataError(f"{path} holds objects without keys.", _FORM)
    return Found(Table(str(path), frame, np.array(at, np.int64)), nested)


def _object(path: Path, line: str, number: int) -> dict[str, Any]:
    where = f"{path}, line {number}"
    try:
        # Numbers keep their spelling, so that long ids lose no digit.
        found = json.loads(line, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_once)
    except RecursionError:
        raise DataError(f"{where} holds too many lists within lists.", _FORM) from None
    except _TwiceError as error:
        raise DataError(f"{where} has the key {error.args[0]!r} twice.", "Remove one of them.") from None
    except ValueError:
        whole = line.lstrip()[:1] == "[" or number == 1
        what = "is a JSON document, not JSON lines" if whole else "is not a JSON object"
        raise DataError(f"{where} {what}.", _FORM) from None
    if not isinstance(found, dict):
        whole = isinstance(found, list) and any(isinstance(one, dict) for one in found)
        kind = "is a JSON document, not JSON lines" if whole else "is not a JSON object"
        raise DataError(f"{where} {kind}.", _FORM)
    return found


class _TwiceError(Exception):
    """An object has the same key twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _TwiceError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found
