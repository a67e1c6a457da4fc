"""Find data sets: in folders of this machine, in the user's cache, or by downloading them.

The order is `data_dir`, `$SOTTOVOCE_DATA`, the cache, and then each way that the source has to download its
data into the cache. If nothing is found, the error lists what was tried.
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
"""File names that several data sets, and many users, use."""

Progress = Callable[[int, int], None]
"""Called with the bytes received so far and the bytes expected (0 if unknown)."""


class Fetch(NamedTuple):
    """A way to get a data set: a label, and a function that fills a folder or raises DataError."""

    label: str
    fill: Callable[[Path], None]


def cache() -> Path:
    """The folder in the user's cache for downloaded data sets."""
    return user_cache() / "data"


def places(data_dir: Path | None) -> list[tuple[str, Path]]:
    """The folders to look in, in order, each with a label."""
    if data_dir is not None and (why := trouble(data_dir)):
        raise DataError(
            f"The data directory {data_dir} {why}.",
            f"Give an existing folder with {either('data_dir=', '--data-dir')}.",
        )
    found = [("directory", data_dir)] if data_dir is not None else []
    if os.environ.get("SOTTOVOCE_DATA"):
        found.append(("$SOTTOVOCE_DATA", Path(os.environ["SOTTOVOCE_DATA"]).expanduser()))
    return [*found, ("cache", cache())]


def trouble(folder: Path) -> str | None:
    """Why a folder, or an archive in place of one, cannot be read; None if it can."""
    try:
        if not folder.exists():
            return "does not exist"
        if not folder.is_dir():
            return None if archive.packed(folder) else "is not a folder"
        next(folder.iterdir(), None)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None


def reachable(path: Path) -> Path:
    """The path with `~` expanded. Refused if it, or a folder above it, cannot be read."""
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
    """The content of a folder, sorted."""
    return sorted(reachable(folder).iterdir())


def file(path: str, data_dir: Path | None) -> Path:
    """The path itself if it exists, else the first data folder that holds it."""
    choices = [Path(path)]
    if not reachable(choices[0]).is_absolute():
        choices += [folder / path for _, folder in places(data_dir) if not trouble(folder)]
    for choice in map(reachable, choices):
        if choice.exists() or archive.exists(choice):
            return choice
    if "://" in path:
        raise DataError(
            f"{path} is a web address, not a file.", "Download it, and give the path of the file."
        )
    tried = ", ".join(str(choice) for choice in choices)
    raise DataError(f"The file {path} does not exist. Looked for: {tried}.", "Check the path.")


def beside(path: Path, *names: str) -> Path | None:
    """The first file with one of these names, plain or gzipped, in the same folder or archive; or None."""
    choices = (path.with_name(name + end) for name in names for end in ("", ".gz"))
    return next((choice for choice in choices if archive.exists(choice)), None)


def locate(
    name: str, files: Sequence[str], data_dir: Path | None, folders: Sequence[str] = ()
) -> tuple[Path, str] | None:
    """The path of the first of `files` that is found, and a description of its place; None if none is."""
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
    """The path of the first of `files` that is found or downloaded, and a description of its place.

    Files are looked for in folders called `name` or one of `folders`, and in zip archives there.
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
        f"{home}Put {files[0]} into a folder called {name}, and give the folder above it with "
        f"{either('data_dir=', '--data-dir')} or $SOTTOVOCE_DATA, or use the data set 'synthetic', which "
        "needs no files.",
    )


def look(root: Path, names: Sequence[str], files: Sequence[str], *, bare: bool = False) -> Path | None:
    """The first of `files`, plain, gzipped or in an archive, in a folder with one of `names` or in `root`.

    Files with a common name, such as ratings.csv, count in `root` itself only if `bare`. If `root` is an
    archive, only its own files count.
    """
    if archive.packed(root):
        return next((path for f in files if (path := archive.member(root, f))), None)
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
    """Whether the file exists; False if we may not look."""
    try:
        return path.is_file()
    except OSError:
        return False


def home(url: str, checksum: str, limit: int = 1_000_000_000, name: str = "") -> Fetch:
    """Download one file from its home page; it is stored as `name`, or under its own name."""

    def fill(folder: Path) -> None:
        store(folder, {name or url.rsplit("/", 1)[-1]: download(url, checksum, limit=limit)})

    return Fetch(f"download from {url}", fill)


def download(
    url: str, checksum: str, *, limit: int, progress: Progress | None = None, timeout: float = 10
) -> bytes:
    """Download `url`, at most `limit` bytes, and verify its checksum.

    Without `progress`, a progress bar is shown if this is a terminal.
    """
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
    """The wheel of a package, downloaded by pip from the package index that this machine uses."""
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
    """Members of a zip archive. `wanted` maps each new name to the name of a member."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as content:
            return {name: content.read(member) for name, member in wanted.items()}
    except KeyError as error:
        raise DataError(f"The archive lacks a file: {error.args[0]}.", "Try again later.") from None
    except zipfile.BadZipFile:
        raise DataError("The downloaded file is not a zip archive.", "Try again later.") from None


def verify(what: str, content: bytes, checksum: str) -> None:
    """Refuse content with another checksum: SHA-256, or MD5 if the publisher gives only that."""
    kind = "MD5" if len(checksum) == 32 else "SHA-256"
    found = (hashlib.md5 if kind == "MD5" else hashlib.sha256)(content, usedforsecurity=False).hexdigest()
    if found != checksum:
        raise DataError(
            f"{what} has the {kind} {found[:12]}…, but {checksum[:12]}… is expected.",
            "It is damaged or was changed; download it again.",
        )


def store(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files. Each is written completely or not at all; the data set counts once the last is there."""
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
        raise DataError(
            f"{folder} cannot be written: {error.strerror}.", "Set SOTTOVOCE_CACHE to a folder that can."
        ) from None
