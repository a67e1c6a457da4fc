"""Read and unpack files without running out of memory.

A small archive can unpack to a huge file. Everything is therefore unpacked in pieces, and refused beyond
a limit: `MOST`, or a quarter of the free memory, because columns need more room than the text.
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
_SHARE = 4  # columns of text take about four times the space of the file
_PIECE = 1 << 22
_LAYERS = 3  # gzip within gzip


def room() -> int:
    """The limit, in bytes."""
    return min(MOST, available_memory() // _SHARE)


def whole(path: Path) -> bytes:
    """The content of a file. Pipes and devices are refused, because reading them may never end."""
    kind = path.stat().st_mode
    if stat.S_ISDIR(kind):
        raise DataError(f"{path} is a folder.", "Give the path of a file in it.")
    if not stat.S_ISREG(kind):
        raise DataError(
            f"{path} is a pipe or a device, not a file.", "Save its content in a file and use that."
        )
    with path.open("rb") as stream:
        return pieces(stream.read, str(path), path.stat().st_size)


def unpack(raw: bytes, where: str) -> bytes:
    """The content, unpacked if it is gzipped. The first bytes decide, not the name."""
    for _ in range(_LAYERS):
        if not raw.startswith(GZIP):
            return raw
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
                raw = pieces(stream.read, where)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise DataError(
                f"{where} is not a complete gzip file.", "Download or compress it again."
            ) from None
    if raw.startswith(GZIP):
        raise DataError(f"{where} is compressed more than {_LAYERS} times.", "Unpack it first.")
    return raw


def pieces(read: Callable[[int], bytes], where: str, declared: int = 0) -> bytes:
    """All bytes that `read` returns; an error if they, or the `declared` size, exceed the limit."""
    most, held, size = room(), [], 0
    while declared <= most and (piece := read(_PIECE)):
        held.append(piece)
        size += len(piece)
        if size > most:
            break
    if max(size, declared) > most:
        raise DataError(
            f"{where} holds more than {most / 1e9:.3g} GB. The limit is a quarter of the free memory, and "
            f"never more than {MOST / 1e9:.3g} GB.",
            "Unpack it and look at its content, use fewer rows, or use a machine with more memory.",
        )
    return held[0] if len(held) == 1 else b"".join(held)
