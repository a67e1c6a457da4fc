"""Files inside zip archives. A path can lead into an archive: `ml-1m.zip/ml-1m/ratings.dat`.

An archive is recognized by its first bytes, whatever its name is.
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
from sottovoce.plural import listed

_STARTS = (b"PK\x03\x04", b"PK\x05\x06")  # the second is an empty archive
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
_TABLES = tuple(
    kind + end for kind in (".csv", ".tsv", ".dat", ".data", ".jsonl", ".parquet") for end in ("", ".gz")
)
_DOCUMENTS = {  # how the name of a member begins
    "xl/": "an Excel workbook",
    "word/": "a Word document",
    "ppt/": "a PowerPoint presentation",
    "Index/Document.iwa": "a document of Apple's Numbers or Pages",
    "content.xml": "an OpenDocument file",
}


def packed(path: Path) -> bool:
    """Whether a path is a zip archive: by its first bytes, or because its name ends in .zip."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(4) in _STARTS or path.suffix == ".zip"
    except OSError:
        return path.suffix == ".zip"


def inside(path: Path) -> tuple[Path, str] | None:
    """The archive that a path leads into and the name of the member; None for other paths."""
    for parent in path.parents:
        if packed(parent):
            return parent, path.relative_to(parent).as_posix()
    return None


def exists(path: Path) -> bool:
    """Whether the file exists, on disk or in an archive."""
    if path.is_file():
        return True
    place = inside(path)
    return place is not None and place[1] in names(place[0])


def names(archive: Path) -> list[str]:
    """The names of the files in an archive, without the metadata files that macOS adds."""
    with _opened(archive) as content:
        return [n for n in content.namelist() if not n.endswith("/") and not n.startswith("__MACOSX/")]


def member(archive: Path, name: str) -> Path | None:
    """The path of the file with this name, plain or gzipped, in any folder of the archive."""
    found = (n for end in ("", ".gz") for n in names(archive) if n.rsplit("/", 1)[-1] == name + end)
    return next((archive / n for n in found), None)


def only(path: Path) -> Path:
    """The path of the only file in an archive. A path that is no archive is returned unchanged."""
    if not packed(path):
        return path
    held = names(path)
    document = _document(held)
    if document:
        raise DataError(
            f"{path} is {document}, which cannot be read.", "Save the table as CSV and use that file."
        )
    if not held:
        raise DataError(f"{path} holds no files.", "Give a file with at least one row.")
    if len(held) > 1:
        example = next((name for name in held if name.lower().endswith(_TABLES)), held[0])
        raise DataError(
            f"{path} holds {len(held)} files: {listed(held, most=5)}.",
            f"Give the path of one of them, for example {path}/{example}. Training and test sets are read "
            "together if their names differ in one word only, such as train.csv and test.csv.",
        )
    return path / held[0]


def _document(held: Sequence[str]) -> str | None:
    """The kind of document, if an office program saved it. Such documents are zip archives too."""
    kinds = (kind for start, kind in _DOCUMENTS.items() if any(name.startswith(start) for name in held))
    return next(kinds, None) if len(held) > 1 else None


def read(archive: Path, name: str) -> bytes:
    """The content of a member."""
    with _opened(archive) as content:
        try:
            about = content.getinfo(name)
        except KeyError:
            raise DataError(f"{archive} holds no file {name}.", "Check the spelling of the name.") from None
        try:
            with content.open(about) as stream:
                return bounded.pieces(stream.read, f"{archive}/{name}", about.file_size)
        except _BROKEN:
            raise DataError(
                f"{archive}/{name} is damaged or encrypted.",
                "Download the archive again; if it has a password, unpack it first.",
            ) from None


def _opened(archive: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(archive)
    except OSError as error:
        raise DataError(f"{archive} cannot be read: {error.strerror}.", "Check its permissions.") from None
    except _BROKEN:
        raise DataError(f"{archive} is not a complete zip archive.", "Download it again.") from None
