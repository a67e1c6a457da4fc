"""Files inside zip archives, named by paths that lead through them: `ml-1m.zip/ml-1m/ratings.dat`."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from sottovoce.errors import DataError


def inside(path: Path) -> tuple[Path, str] | None:
    """The archive that a path leads through and the name of the member; None for other paths."""
    for parent in path.parents:
        if parent.suffix == ".zip" and parent.is_file():
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
    if path.suffix != ".zip" or not path.is_file():
        return path
    held = names(path)
    if len(held) != 1:
        example = f"{path}/{held[0]}" if held else f"{path}/ratings.csv"
        raise DataError(
            f"{path} holds {len(held)} files.", f"Name the one to read with its path, for example {example}."
        )
    return path / held[0]


def read(archive: Path, name: str) -> bytes:
    """The content of a member."""
    with _opened(archive) as content:
        try:
            return content.read(name)
        except KeyError:
            raise DataError(f"{archive} holds no file {name}.", "Check the name.") from None
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
            raise DataError(
                f"{archive}/{name} is damaged or encrypted.", "Fetch the archive again."
            ) from None


def _opened(archive: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(archive)
    except zipfile.BadZipFile:
        raise DataError(f"{archive} is not a complete zip archive.", "Fetch it again.") from None
    except OSError as error:
        raise DataError(f"{archive} cannot be read: {error.strerror}.", "Check its permissions.") from None
