"""What the system says when something cannot be written, as a sentence."""

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
    """Write to `path` in this block; what goes wrong with that is said in a sentence."""
    try:
        yield
    except OSError as error:
        raise refusal(path, error) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to build, which becomes `path` when the block ends; if that fails, nothing is left of it."""
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
    """Make names in a directory durable, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def refusal(path: Path, error: OSError, what: str = "") -> SottovoceError:
    """The sentence: what cannot be written, why, and what to do."""
    # numpy says of a file that came out too short how much was written, and not why.
    short = error.errno is None and "requested and" in str(error)
    reason = os.strerror(errno.ENOSPC) if short else error.strerror or str(error)
    problem = f"{what or path} cannot be written{f' to {path}' if what else ''}: {reason}."
    if short or error.errno in FULL:
        return ResourceError(
            problem,
            "What was there before is kept. Free some space, and give the same command again; "
            "a run that had begun continues with --resume.",
        )
    return RunError(problem, "Choose another place with --out.")


def held(folder: Path) -> list[str]:
    """The names in a folder, in order; none if it is missing, is no folder or cannot be looked into."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []


def is_folder(path: Path) -> bool:
    """Whether this is a folder. Unlike `Path.is_dir`, it says no of a name that is too long."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Whether this is a file, likewise."""
    try:
        return path.is_file()
    except OSError:
        return False
