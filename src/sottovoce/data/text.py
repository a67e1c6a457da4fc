"""Read text files: encodings, byte order marks, line ends, and lines before the table."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import DataError, either

_MARKS = (  # UTF-32 before UTF-16, because their marks begin in the same way
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE = re.compile(r"\r\n|\r|\n")
_COMMENT = ("#", "%")
_SEPARATOR = re.compile(r"sep=([^\r\n])\s*?(?:\r\n|\r|\n)", re.IGNORECASE)  # a line that Excel understands
_HEAD = 65536


def decode(path: Path, raw: bytes, encoding: str = "utf-8") -> bytes:
    """The content as UTF-8, without a byte order mark and without empty lines at the end.

    A byte order mark overrides `encoding`. UTF-16 without a mark is recognized by its zero bytes. An
    empty file is refused.
    """
    mark, named = next(((m, e) for m, e in _MARKS if raw.startswith(m)), (b"", encoding))
    raw = raw[len(mark) :]
    if not mark and encoding == "utf-8" and b"\0" in raw[:4096]:
        named = _without_mark(raw)
    try:
        if named == "utf-8":
            _ = raw.isascii() or raw.decode(named)
        else:
            raw = raw.decode(named).encode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}, line {_line(raw, error.start)} is not {named} text: byte 0x{raw[error.start]:02x}.",
            f"Set the right encoding (often {either('encoding=', '--set data.encoding=')}latin-1), "
            "or convert the file to UTF-8.",
        ) from None
    except (LookupError, ValueError):
        raise DataError(
            f"There is no text encoding {encoding!r}.", "Use another one, for example utf-8 or latin-1."
        ) from None
    zero = raw.find(b"\0")
    if zero >= 0:
        raise DataError(
            f"{path}, line {_line(raw, zero)} holds a zero byte, so it is damaged or not text.",
            f"Download or export the file again; if it is UTF-16, set "
            f"{either('encoding=', '--set data.encoding=')}utf-16.",
        )
    raw = raw.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n\x1a")  # DOS marks the end of text by 0x1a
    if not raw.strip():
        raise DataError(f"{path} is empty.", "Give a file with at least one row.")
    return raw


def _without_mark(raw: bytes) -> str:
    """UTF-16 if zero bytes are only at even or only at odd positions, and beside all line ends."""
    zero = np.frombuffer(raw[:4096], np.uint8) == 0
    for name, first, ends in (("utf-16-le", 0, (b"\n\0", b"\r\0")), ("utf-16-be", 1, (b"\0\n", b"\0\r"))):
        if not zero[first::2].any() and all(
            raw[:4096].count(e) == raw[:4096].count(e.strip(b"\0")) for e in ends
        ):
            return name
    return "utf-8"


def _line(raw: bytes, at: int) -> int:
    """The line number of a byte, for any kind of line end."""
    before = raw[:at]
    return max(before.count(b"\n"), before.count(b"\r")) + 1


def lines(text: str) -> list[str]:
    """The lines of a text, for any kind of line end."""
    return _LINE.split(text)


def one_line_end(raw: bytes, quoted: bool) -> bytes:
    """The same text with `\\n` at the end of each line. Text in quotation marks is unchanged."""
    if b"\r" not in raw:
        return raw
    if not (quoted and b'"' in raw):
        return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = np.frombuffer(raw, np.uint8).copy()
    returns = (text == ord("\r")) & ~np.logical_xor.accumulate(text == ord('"'))
    text[returns] = ord("\n")
    doubled = np.zeros(len(text), np.bool_)
    doubled[:-1] = returns[:-1] & (np.frombuffer(raw, np.uint8)[1:] == ord("\n"))
    return text[~doubled].tobytes()


def without_blank_lines(raw: bytes, separator: str, quoted: bool) -> tuple[bytes, NDArray[np.int64] | None]:
    """The same text without blank lines, and the line of each row; None if there are no blank lines."""
    blanks = b" " if separator == "\t" else b" \t"
    # Searching for two characters is many times faster than the regular expression.
    if raw[:1] not in (b"\n", b" ", b"\t") and not any(b"\n" + c in raw for c in (b"\n", b" ", b"\t")):
        return raw, None
    if re.search(rb"(?:\A|\n)[%b]*(?:\n|\Z)" % blanks, raw) is None:
        return raw, None
    text = np.frombuffer(raw, np.uint8)
    ends = text == ord("\n")
    inside = np.logical_xor.accumulate(text == ord('"')) if quoted else np.zeros(len(text), np.bool_)
    stops = np.append(np.flatnonzero(ends & ~inside), len(text))
    starts = np.concatenate(([0], stops[:-1] + 1))
    signs = np.flatnonzero(~np.isin(text, np.frombuffer(blanks, np.uint8)))
    filled = np.searchsorted(signs, stops) > np.searchsorted(signs, starts)
    edges = np.zeros(len(text) + 2, np.int8)
    edges[starts[~filled]] += 1
    edges[stops[~filled] + 1] -= 1
    kept = text[np.cumsum(edges, dtype=np.int8)[: len(text)] == 0].tobytes()
    lines = np.searchsorted(np.flatnonzero(ends), starts[filled]).astype(np.int64) + 1
    return kept if filled[-1] else kept.removesuffix(b"\n"), lines


def single_blanks(raw: bytes) -> bytes:
    """Aligned columns with one blank between fields, and none around a line."""
    return re.sub(rb" +(?=[\r\n]|\Z)|(?:(?<=[\r\n])|\A) +", b"", re.sub(rb" {2,}", b" ", raw))


class Preamble(NamedTuple):
    """The lines before the table, and the rest of the text."""

    separator: str | None
    comments: tuple[str, ...]
    lines: int
    rest: bytes


def preamble(raw: bytes) -> Preamble:
    """Split off comments in the first lines, marked by # or %, and a line such as `sep=;` before them.

    If all lines begin like comments, they are rows.
    """
    start = raw[:_HEAD].decode(errors="replace")
    named = _SEPARATOR.match(start)
    at = first = named.end() if named else 0
    comments = []
    while start.startswith(_COMMENT, at) and (end := _LINE.search(start, at)):
        comments.append(start[at : end.start()].lstrip("#% \t"))
        at = end.end()
    if start.startswith(_COMMENT, at):  # every line that was looked at begins like a comment
        at, comments = first, []
    separator = named[1] if named else None
    return Preamble(separator, tuple(comments), len(comments) + bool(named), raw[len(start[:at].encode()) :])


def later_comment(raw: bytes) -> int | None:
    """The number of the first line that begins like a comment below a first line that does not; or None."""
    if raw.startswith((b"#", b"%")):
        return None
    found = [raw.find(end + mark) for end in (b"\n", b"\r") for mark in (b"#", b"%")]
    there = [at for at in found if at >= 0]
    return _line(raw, min(there) + 1) if there else None
