"""Read fields in quotation marks.

Polars reads regular ones fast: a mark at the beginning and at the end of a field, doubled marks inside.
The others are read here: blanks outside the marks, marks in the middle of a field (they are ordinary
characters), and separators of several characters.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import DataError

_MARK = ord('"')


def regular(text: NDArray[np.uint8], separator: int) -> bool:
    """Whether each mark opens a field, closes a field, or is doubled."""
    marks = np.flatnonzero(text == _MARK)
    if len(marks) % 2:
        return False
    edge = np.zeros(256, np.bool_)
    edge[[separator, ord("\n"), ord("\r"), _MARK]] = True
    opening, closing = marks[::2], marks[1::2]
    before, after = opening[opening > 0] - 1, closing[closing < len(text) - 1] + 1
    return bool(edge[text[before]].all() and edge[text[after]].all())


def rows(path: Path, text: str, separator: str, line: int = 1) -> tuple[list[list[str]], list[int]]:
    """The fields of each row, and the line at which each row begins. `line` is the first line's number.

    A field that goes on after its closing mark is refused.
    """
    mark = re.escape(separator)
    blank = "[" + "".join(c for c in " \t\u00a0" if c != separator) + "]*"
    field = re.compile(
        rf'{blank}"(?P<quoted>[^"]*(?:""[^"]*)*)"{blank}(?={mark}|[\r\n]|\Z)'
        rf"|(?P<plain>(?:(?!{mark})[^\r\n])*)"
    )
    end = re.compile(rf"{mark}|\r\n|\r|\n")
    found: list[list[str]] = [[]]
    lines, at = [line], 0
    while True:
        match = field.match(text, at)
        assert match is not None  # a plain field may be empty
        if match["quoted"] is not None:
            found[-1].append(match["quoted"].replace('""', '"'))
            line += match["quoted"].count("\n")
        else:
            if match["plain"].lstrip(" \t\u00a0").startswith('"'):
                raise DataError(
                    f"{path}, line {line}: a quotation mark is never closed, or not at the end of a field.",
                    "Close it or remove it; write a mark inside a field twice.",
                )
            found[-1].append(match["plain"])
        stop = end.match(text, match.end())
        if stop is None:
            return found, lines
        at = stop.end()
        if stop[0] != separator:
            line += 1
            found.append([])
            lines.append(line)
