"""Files: replaced entirely or not at all, and errors of the system as sentences."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from sottovoce.errors import ResourceError, RunError, SottovoceError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""No space on the device, none left of a quota, or a limit on the size of files."""


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the system while writing to `path` into a sentence."""
    try:
        yield
    except OSError as error:
        raise refusal(path, error) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write, which replaces `path` when the block ends; on an error it is removed."""
    building = path.with_name(f".{path.name}.tmp")
    with writing(path):
        try:
            yield building
            with building.open("rb+") as file:
                os.fsync(file.fileno())
            building.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                building.unlink(missing_ok=True)
            raise
    flush_directory(path.parent)


def flush_directory(path: Path) -> None:
    """Make the names in a directory durable, if the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def refusal(path: Path, error: OSError, what: str = "") -> SottovoceError:
    """What cannot be written, why, and what to do."""
    # NumPy reports how much of a file was written, but not why the rest was not.
    short = error.errno is None and "requested and" in str(error)
    reason = os.strerror(errno.ENOSPC) if short else error.strerror or str(error)
    problem = f"{what or path} cannot be written{f' to {path}' if what else ''}: {reason}."
    if short or error.errno in FULL:
        return ResourceError(
            problem,
            "Earlier files are kept. Free some space, and give the same command again; "
            "a run that had begun continues with --resume.",
        )
    return RunError(problem, "Choose another place with --out.")


def exists(path: Path) -> bool:
    """Whether there is something here. Unlike `Path.exists`, a folder that we may not enter is no error."""
    try:
        return path.exists()
    except OSError:
        return False


def hidden(path: Path) -> str | None:
    """Why we may not look whether something is here; None if we may."""
    try:
        path.stat()
    except PermissionError as error:
        return error.strerror
    except OSError:
        pass
    return None


def may_write(folder: Path) -> bool:
    """Whether files can be made in a folder, as far as the system tells before one is made."""
    return os.access(folder, os.W_OK | os.X_OK)


def held(folder: Path) -> list[str]:
    """The names in a folder, in order; none if it is missing, is not a folder or cannot be read."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []


def is_folder(path: Path) -> bool:
    """Whether this is a folder. Unlike `Path.is_dir`, a name that is too long is no error."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Whether this is a file. A name that is too long is no error."""
    try:
        return path.is_file()
    except OSError:
        return False
