"""Where data sets are: folders on this machine, the user's cache, their homes on the network.

The order: `data_dir`, `$SOTTOVOCE_DATA`, the cache, then whatever ways a source has to fetch its
data into the cache. What could not be found says what was tried.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

from sottovoce.data import archive
from sottovoce.errors import DataError, either
from sottovoce.kernel_cache import user_cache

COMMON = ("ratings.csv", "ratings.dat")
"""Files of several data sets, and of other people."""

Progress = Callable[[int, int], None]
"""Called with the bytes received so far and the bytes expected (0 if the server does not say)."""


class Fetch(NamedTuple):
    """A way to get a data set: what to call it, and a function that fills a folder or raises DataError."""

    label: str
    fill: Callable[[Path], None]


def cache() -> Path:
    """The folder in the user's cache that keeps what was fetched."""
    return user_cache() / "data"


def places(data_dir: Path | None) -> list[tuple[str, Path]]:
    """The folders to look in, in order, each with the name it is known by."""
    if data_dir is not None and (why := trouble(data_dir)):
        raise DataError(
            f"The data directory {data_dir} {why}.", f"Check {either('data_dir=', '--data-dir')}."
        )
    found = [("directory", data_dir)] if data_dir is not None else []
    if os.environ.get("SOTTOVOCE_DATA"):
        found.append(("$SOTTOVOCE_DATA", Path(os.environ["SOTTOVOCE_DATA"]).expanduser()))
    return [*found, ("cache", cache())]


def trouble(folder: Path) -> str | None:
    """What keeps a folder from being read, in words; None if nothing does."""
    try:
        if not folder.exists():
            return "does not exist"
        if not folder.is_dir():
            return "is not a folder"
        next(folder.iterdir(), None)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None


def reachable(path: Path) -> Path:
    """The path, with the home folder for `~`; refused if it, or a folder on the way, cannot be looked at."""
    try:
        path = path.expanduser()
        if path.exists() and path.is_dir():
            next(path.iterdir(), None)
    except OSError as error:
        raise DataError(
            f"{str(path)[:200]} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from None
    except RuntimeError:
        raise DataError(f"There is no home folder for {path}.", "Write the path in full.") from None
    return path


def listed(folder: Path) -> list[Path]:
    """What a folder holds, in order."""
    return sorted(reachable(folder).iterdir())


def file(path: str, data_dir: Path | None) -> Path:
    """The path itself if it exists, else the first place that holds it."""
    choices = [Path(path)]
    if not reachable(choices[0]).is_absolute():
        choices += [folder / path for _, folder in places(data_dir) if not trouble(folder)]
    for choice in map(reachable, choices):
        if choice.exists() or archive.exists(choice):
            return choice
    tried = ", ".join(str(choice) for choice in choices)
    raise DataError(f"The file {path} does not exist. Looked for: {tried}.", "Check the path.")


def beside(path: Path, name: str) -> Path | None:
    """The file of that name, plain or compressed, in the same folder, which may be in an archive."""
    return next((p for p in (path.with_name(name), path.with_name(f"{name}.gz")) if archive.exists(p)), None)


def locate(
    name: str, files: Sequence[str], data_dir: Path | None, folders: Sequence[str] = ()
) -> tuple[Path, str] | None:
    """The path of the first of `files` that a place holds, and in words where; None if none does."""
    for label, root in places(data_dir):
        if trouble(root):
            continue
        found = look(root, (name, *folders), files, bare=label == "directory")
        if found:
            return found, f"{label} {found.parent}"
    return None


def obtain(
    name: str,
    files: Sequence[str],
    data_dir: Path | None,
    ways: Sequence[Fetch],
    *,
    folders: Sequence[str] = (),
    home: str = "",
) -> tuple[Path, str]:
    """The path of the first of `files` that a place holds or a way fetches, and in words where it was.

    They may be in a folder called `name` or as one of `folders`, and there in a zip archive.
    """
    held = locate(name, files, data_dir, folders)
    if held:
        return held
    why = [(label, root, trouble(root)) for label, root in places(data_dir)]
    tried = [
        f"{label} {root}" + (f" (which {said})" if said and label != "cache" else "")
        for label, root, said in why
    ]
    for way in ways:
        try:
            way.fill(cache() / name)
        except DataError as error:
            tried.append(f"{way.label} ({error.problem.rstrip('.')})")
            continue
        found = look(cache(), (name,), files)
        if found:
            return found, f"{way.label}, kept in {found.parent}"
    raise DataError(
        f"The data set {name} was not found. Tried: {'; '.join(tried)}.",
        f"{home}Put {files[0]} into a folder {name} and name the folder above it with "
        f"{either('data_dir=', '--data-dir')} or $SOTTOVOCE_DATA, or use the data set 'synthetic', which "
        "needs no files.",
    )


def look(root: Path, names: Sequence[str], files: Sequence[str], *, bare: bool = False) -> Path | None:
    """A file, plain, compressed or archived, in a folder of the data set's names or in `root` itself.

    What has a common name is taken for the data set in `root` itself only if `bare`.
    """
    for folder in (*(root / name for name in names), root):
        wanted = [f for f in files if bare or folder != root or f not in COMMON]
        choices = (folder / (f + end) for f in wanted for end in ("", ".gz"))
        found = next((choice for choice in choices if _there(choice)), None)
        if found:
            return found
        archives = [folder / f"{n}.zip" for n in names] if folder == root else sorted(folder.glob("*.zip"))
        held = (archive.member(packed, f) for packed in archives if _there(packed) for f in files)
        found = next((path for path in held if path), None)
        if found:
            return found
    return None


def _there(path: Path) -> bool:
    """Whether there is such a file, as far as one may know."""
    try:
        return path.is_file()
    except OSError:
        return False


def home(url: str, checksum: str, limit: int = 1_000_000_000, name: str = "") -> Fetch:
    """The way to a file at its home, kept under `name`, or under its own name."""

    def fill(folder: Path) -> None:
        store(folder, {name or url.rsplit("/", 1)[-1]: download(url, checksum, limit=limit)})

    return Fetch(f"download from {url}", fill)


def download(
    url: str, checksum: str, *, limit: int, progress: Progress | None = None, timeout: float = 10
) -> bytes:
    """What is at `url`, at most `limit` bytes, checked. Without `progress`, a bar if this is a terminal."""
    parts, size = [], 0
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer, _shown(url, progress) as show:
            expected = int(answer.headers.get("Content-Length") or 0)
            while part := answer.read(1 << 16):
                parts.append(part)
                size += len(part)
                if size > limit:
                    raise DataError(f"{url} sends more than the {limit} bytes expected.", "Try again later.")
                show(size, expected)
    except urllib.error.HTTPError as error:
        raise DataError(f"{url} answers {error.code} {error.reason}.", "Try again later.") from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{url} cannot be reached: {reason}.", "Check the network connection.") from None
    if size < expected:
        raise DataError(f"{url} broke off after {size} of {expected} bytes.", "Try again.")
    content = b"".join(parts)
    verify(url, content, checksum)
    return content


@contextmanager
def _shown(url: str, progress: Progress | None) -> Iterator[Progress]:
    if progress is not None:
        yield progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    look = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*look, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(f"Fetching {url.rsplit('/', 1)[-1]}", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


def wheel(requirement: str, timeout: float = 120) -> bytes:
    """The wheel of a package, fetched with pip from whatever package index this machine uses."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", requirement, "--no-deps", "--only-binary=:all:"]
        command += ["--quiet", "--no-input", "--disable-pip-version-check", "--retries=1", "--timeout=10"]
        command += ["--dest", folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise DataError(
                f"pip took more than {timeout:g} seconds for {requirement}.", "Try again later."
            ) from None
        found = list(Path(folder).glob("*.whl"))
        if done.returncode or not found:
            said = (done.stderr.strip().splitlines() or ["it left no wheel"])[-1].removeprefix("ERROR: ")
            raise DataError(f"pip could not fetch {requirement}: {said}.", "Check the package index.")
        return found[0].read_bytes()


def members(packed: bytes, wanted: Mapping[str, str]) -> dict[str, bytes]:
    """Files of a zip archive: for each new name the content of the member that `wanted` gives."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as content:
            return {name: content.read(member) for name, member in wanted.items()}
    except KeyError as error:
        raise DataError(f"The archive lacks a file: {error.args[0]}.", "Try again later.") from None
    except zipfile.BadZipFile:
        raise DataError("What was fetched is not a zip archive.", "Try again later.") from None


def verify(what: str, content: bytes, checksum: str) -> None:
    """Refuse content that is not the one known by this SHA-256, or MD5 where its home gives no other."""
    kind = "MD5" if len(checksum) == 32 else "SHA-256"
    found = (hashlib.md5 if kind == "MD5" else hashlib.sha256)(content, usedforsecurity=False).hexdigest()
    if found != checksum:
        raise DataError(
            f"{what} has the {kind} {found[:12]}… and not {checksum[:12]}….",
            "It is damaged or was changed: try again.",
        )


def store(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files so that each is there completely or not at all; the last one makes the set complete."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            temporary = folder / f".{name}-{os.getpid()}"
            try:
                temporary.write_bytes(content)
                temporary.replace(folder / name)
            finally:
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{folder} cannot be written: {error.strerror}.", "Set SOTTOVOCE_CACHE.") from None
