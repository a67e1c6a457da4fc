"""The bytes of files, and of what is packed in them: never more than fits into memory.

A small archive can hold any number of zeros. So everything is unpacked in pieces, and refused at the
limit: `MOST`, or the part of the free memory that leaves room for the columns made from it.
"""

from __future__ import annotations

import gzip
import io
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

from sottovoce.data.available import available_memory
from sottovoce.errors import DataError

MOST = 16 * 2**30
GZIP = b"\x1f\x8b\x08"
_SHARE = 4  # columns of text and what finds them take about four times the space of the text
_PIECE = 1 << 22
_LAYERS = 3  # of gzip in gzip


def room() -> int:
    """How many bytes of a file can be read."""
    return min(MOST, available_memory() // _SHARE)


def whole(path: Path) -> bytes:
    """The content of a file; what is no ordinary file is refused, since reading it may never end."""
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise DataError(f"{path} is a folder.", "Name a file in it.")
    if not stat.S_ISREG(kind):
        raise DataError(
            f"{path} is a pipe or a device, not a file.", "Save its content in a file, and name that."
        )
    with path.open("rb") as stream:
        return pieces(stream.read, str(path), path.stat().st_size)


def unpack(raw: bytes, where: str) -> bytes:
    """What is compressed with gzip, whatever it is called."""
    for _ in range(_LAYERS):
        if not raw.startswith(GZIP):
            return raw
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
                raw = pieces(stream.read, where)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise DataError(f"{where} is not a complete gzip file.", "Fetch or compress it again.") from None
    if raw.startswith(GZIP):
        raise DataError(f"{where} is compressed more than {_LAYERS} times.", "Unpack it first.")
    return raw


def pieces(read: Callable[[int], bytes], where: str, declared: int = 0) -> bytes:
    """All that `read` gives, or an error if it is, or is declared to be, more than there is room for."""
    most, held, size = room(), [], 0
    while declared <= most and (piece := read(_PIECE)):
        held.append(piece)
        size += len(piece)
        if size > most:
            break
    if max(size, declared) > most:
        raise DataError(
            f"{where} holds more than {most / 1e9:.3g} GB, which is the most that is read here: a quarter of "
            f"the memory that is free, and never more than {MOST / 1e9:.3g} GB.",
            "Unpack it and look at it, take fewer rows, or use a machine with more memory.",
        )
    return held[0] if len(held) == 1 else b"".join(held)
