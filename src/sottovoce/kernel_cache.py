"""Where compiled code is kept, and which source files it depends on.

Numba does not notice that a helper in another file was edited, so the cache directory carries a hash
of every source file that takes part in compiled code. What involves components of other packages or
of a person's own files is kept apart, under a hash of those as well: editing one's own model compiles
that model anew, and nothing else.
"""

import fcntl
import functools
import hashlib
import inspect
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

_package = Path(__file__).parent
_complaints: list[str] = []  # what was said about the cache, once
_outside: set[type] = set()  # components that code outside this package implements
_outside_sources: set[tuple[str, str]] = set()  # that code: its module, and a hash of its file


def is_outside(function: Callable[..., Any]) -> bool:
    """Whether a function stands in a file outside this package."""
    return is_outside_file(inspect.getfile(function))


def is_outside_file(name: str) -> bool:
    """Whether this is not a file of this package."""
    return _package.resolve() not in Path(name).resolve().parents


def takes_part(function: Callable[..., Any], component: Any = None) -> None:
    """Remember a function that is compiled, and the component it is a part of, if they are from outside."""
    if is_outside(function):
        path = Path(inspect.getfile(function))
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        _outside_sources.add((function.__module__, content))
        if isinstance(component, type):
            _outside.add(component)


def involves_outside(value: Any) -> bool:
    """Whether a component, one of its `parts`, or one in a tuple, is implemented outside this package."""
    if not _outside:
        return False
    kinds = type(value), *getattr(type(value), "parts", ())
    if any(not _outside.isdisjoint(kind.__mro__) for kind in kinds):
        return True
    return isinstance(value, tuple) and any(map(involves_outside, value))


def outside_fingerprint() -> str:
    """A hash of all code outside this package; empty if some of it is in no file, and cannot be kept."""
    if not all(content for _, content in _outside_sources):
        return ""
    return hashlib.sha256(repr(sorted(_outside_sources)).encode()).hexdigest()[:16]


@functools.cache
def _fingerprint() -> str:
    """A hash of every source here that may take part in compiled code, and of the compiler's versions."""
    digest = hashlib.sha256(f"{sys.version}{version('numba')}{version('numpy')}".encode())
    others = {_package / name for name in ("experiments", "app", "cli")}
    for path in sorted(path for path in _package.rglob("*.py") if others.isdisjoint(path.parents)):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_directory(outside: str = "") -> Path | None:
    """Where compiled code is kept, or None (said once) where nothing is writable.

    `outside` is the fingerprint of the code outside this package that takes part.
    """
    main = _writable(_fingerprint())
    return _writable(f"{main.name}-{outside}") if main and outside else main


def user_cache() -> Path:
    """The folder for what can be made or fetched again: `$SOTTOVOCE_CACHE`, or the user's cache.

    A user without a home directory, as in many containers, has one among temporary files.
    """
    if given := os.environ.get("SOTTOVOCE_CACHE"):
        return Path(given)
    try:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        root = Path(tempfile.gettempdir()) / f"cache-{os.getuid()}"
    return root / "sottovoce"


@functools.cache
def _writable(name: str) -> Path | None:
    place = user_cache() / "kernels" / name
    try:
        place.mkdir(parents=True, exist_ok=True)
        probe = place / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
        _forget_old(place)
    except OSError as error:
        not_kept(error)
        return None
    return place


def not_kept(error: Exception) -> None:
    """Say once that compiled code is not kept, and why."""
    reason = getattr(error, "strerror", None) or str(error)
    if not _complaints:
        _complaints.append(
            f"note: compiled code cannot be kept in {user_cache() / 'kernels'} ({reason}), so it is compiled "
            "anew at every start. Set SOTTOVOCE_CACHE to a directory that is writable and has space."
        )
        with suppress(OSError, ValueError):  # nobody may be listening
            print(*_complaints, file=sys.stderr)


@contextmanager
def alone_in(place: Path) -> Iterator[None]:
    """Wait until no other process is in this block for the same directory, which is made if need be."""
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w") as file:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _forget_old(current: Path, days: float = 30) -> None:
    """Remove compiled code of other versions that nobody has used for a month."""
    import shutil

    os.utime(current)
    for other in current.parent.iterdir():
        with suppress(FileNotFoundError):  # another process may be doing the same
            if other != current and other.is_dir() and other.stat().st_mtime < time.time() - days * 86400:
                shutil.rmtree(other, ignore_errors=True)
