"""Files inside zip archives, named by paths that lead through them: `ml-1m.zip/ml-1m/ratings.dat`.

An archive is known by its first bytes, so its name does not matter.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from sottovoce.data import bounded
from sottovoce.errors import DataError

_STARTS = (b"PK\x03\x04", b"PK\x05\x06")  # the latter of an empty archive
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    IndexError,
    OSError,
)
_DOCUMENTS = {  # by the beginning of a member's name
    "xl/": "an Excel workbook",
    "word/": "a Word document",
    "ppt/": "a PowerPoint presentation",
    "Index/Document.iwa": "a document of Apple's Numbers or Pages",
    "content.xml": "an OpenDocument file",
}


def packed(path: Path) -> bool:
    """Whether a path is a zip archive, by its first bytes, or at least is called so."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(4) in _STARTS or path.suffix == ".zip"
    except OSError:
        return path.suffix == ".zip"


def inside(path: Path) -> tuple[Path, str] | None:
    """The archive that a path leads through and the name of the member; None for other paths."""
    for parent in path.parents:
        if packed(parent):
            return parent, path.relative_to(parent).as_posix()
    return None


def exists(path: Path) -> bool:
    """Whether there is such a file, on its own or in an archive."""
    if path.is_file():
        return True
    place = inside(path)
    return place is not None and place[1] in names(place[0])


def names(archive: Path) -> list[str]:
    """The files in an archive, without the shadows that macOS leaves in some."""
    with _opened(archive) as content:
        return [n for n in content.namelist() if not n.endswith("/") and not n.startswith("__MACOSX/")]


def member(archive: Path, name: str) -> Path | None:
    """The path of the file of that name, plain or compressed, in whatever folder of the archive."""
    found = (n for end in ("", ".gz") for n in names(archive) if n.rsplit("/", 1)[-1] == name + end)
    return next((archive / n for n in found), None)


def only(path: Path) -> Path:
    """The single file of an archive; any other path is returned as it is."""
    if not packed(path):
        return path
    held = names(path)
    document = _document(held)
    if document:
        raise DataError(f"{path} is {document}, which is not read.", "Save the table as CSV, and give that.")
    if len(held) != 1:
        example = f"{path}/{held[0]}" if held else f"{path}/ratings.csv"
        raise DataError(
            f"{path} holds {len(held)} files.", f"Name the one to read with its path, for example {example}."
        )
    return path / held[0]


def _document(held: Sequence[str]) -> str | None:
    """What an office program saved, which is a zip archive too."""
    kinds = (kind for start, kind in _DOCUMENTS.items() if any(name.startswith(start) for name in held))
    return next(kinds, None) if len(held) > 1 else None


def read(archive: Path, name: str) -> bytes:
    """The content of a member."""
    with _opened(archive) as content:
        try:
            about = content.getinfo(name)
        except KeyError:
            raise DataError(f"{archive} holds no file {name}.", "Check the name.") from None
        try:
            with content.open(about) as stream:
                return bounded.pieces(stream.read, f"{archive}/{name}", about.file_size)
        except _BROKEN:
            raise DataError(
                f"{archive}/{name} is damaged or encrypted.", "Fetch the archive again."
            ) from None


def _opened(archive: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(archive)
    except OSError as error:
        raise DataError(f"{archive} cannot be read: {error.strerror}.", "Check its permissions.") from None
    except _BROKEN:
        raise DataError(f"{archive} is not a complete zip archive.", "Fetch it again.") from None
