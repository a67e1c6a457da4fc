"""`sottovoce doctor`: does everything work, and where does Sottovoce look for data and caches?"""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import NamedTuple

import click

from sottovoce import files
from sottovoce.cli.screen import say
from sottovoce.plural import listed

GOOD, NOTE, BAD = "ok", "note", "BROKEN"
Finding = tuple[str, str]
EXTRAS = {
    "pandas": ("pandas", ""),
    "torch": ("torch", ""),
    "paillier": ("gmpy2", ", for sums encrypted with Paillier"),
    "ckks": ("tenseal", ", for sums encrypted with CKKS"),
}
"""What each extra installs, and what for."""


class Check(NamedTuple):
    """One check and its outcome."""

    about: str
    state: str
    """`ok`, `note` or `BROKEN`."""
    sentence: str


@click.command("doctor")
@click.option("--data-dir", type=click.Path(), help="Also look for data sets here, as `run` would.")
@click.pass_context
def command(context: click.Context, data_dir: str | None) -> None:
    """Check Python, packages, threads, the kernel cache, data and memory.

    Exits with 1 when something is broken.
    """
    broken = False
    for about, state, sentence in _checks(data_dir):
        broken |= state == BAD
        say(f"{about:<9} {state:<6} {sentence}")
    say("Something is broken: see above." if broken else "All is well.")
    context.exit(int(broken))


def doctor(data_dir: str | None = None) -> list[Check]:
    """What `sottovoce doctor` prints: Python, packages, threads, the kernel cache, data and memory."""
    return list(_checks(data_dir))


def _checks(data_dir: str | None) -> Iterator[Check]:
    looks: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        ("python", _python),
        ("packages", _packages),
        ("kernels", _kernels),
        ("data", lambda: _data(data_dir)),
        ("memory", _memory),
    ]
    for about, look in looks:
        try:
            for state, sentence in look():
                yield Check(about, state, sentence)
        except Exception as error:
            # Report any error, and continue with the next check.
            yield Check(about, BAD, f"{type(error).__name__}: {error}")


def _python() -> Iterator[Finding]:
    from sottovoce import __version__

    good = (3, 11) <= sys.version_info[:2] <= (3, 13)
    wanted = "" if good else "; Sottovoce needs 3.11, 3.12 or 3.13"
    yield (
        GOOD if good else BAD,
        f"{platform.python_version()} on {platform.system()} {platform.machine()}{wanted}",
    )
    yield GOOD, f"sottovoce {__version__}"


def _packages() -> Iterator[Finding]:
    try:
        wanted = requires("sottovoce") or []
    except PackageNotFoundError:
        yield NOTE, "Sottovoce runs from its source without being installed; versions are not checked"
        return
    found, missing = [], []
    for requirement in wanted:
        if "extra ==" in requirement:
            continue
        name = requirement.partition(";")[0].split(">")[0].split("<")[0].strip()
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    yield GOOD, ", ".join(found)
    if missing:
        yield BAD, f"missing: {', '.join(missing)}; install Sottovoce again with pip"
    for extra, (package, purpose) in EXTRAS.items():
        try:
            yield GOOD, f"{package} {version(package)} (optional{purpose})"
        except PackageNotFoundError:
            told = f"optional{purpose}: pip install 'sottovoce[{extra}]'"
            yield GOOD, f"{package} is not installed ({told})"


def _kernels() -> Iterator[Finding]:
    import numpy as np

    from sottovoce import kernels
    from sottovoce.cli.probe import squares

    place = kernels.cache_directory()
    if place is None:
        yield (
            NOTE,
            "no writable cache, so kernels are compiled at every start; set SOTTOVOCE_CACHE",
        )
    else:
        yield GOOD, f"cache in {place}, writable"
    out = np.zeros(1000, np.int64)
    for batch, form in ((1, "serial"), (len(out), "parallel")):
        start = time.perf_counter()
        out[:] = 0
        squares(out, batch=batch)
        took = time.perf_counter() - start
        if not np.array_equal(out, np.arange(len(out)) ** 2):
            yield BAD, f"the {form} test kernel gave a wrong result; please report this with your CPU's name"
            return
        yield GOOD, f"the {form} test kernel is right, ready after {took:.2f} s"
    if kernels.threads() == 1:
        yield GOOD, f"1 thread on {os.cpu_count()} processors"
    elif layer := kernels.threading_layer():
        yield GOOD, f"{kernels.threads()} threads on {os.cpu_count()} processors, threading layer {layer}"
    else:
        yield BAD, "the parallel test kernel ran in a single thread; please report this"


def _data(data_dir: str | None) -> Iterator[Finding]:
    from pathlib import Path

    from sottovoce.data.find import places

    for label, place in places(Path(data_dir) if data_dir else None):
        if files.is_folder(place):
            held = listed([name for name in files.held(place) if files.is_folder(place / name)], 20)
            held = held or "no data sets"
            yield GOOD, f"{label} {place}: {held}"
        elif label == "cache":
            yield GOOD, f"{label} {place}: nothing fetched yet"
        else:
            yield BAD, f"{label} {place} is not a directory"


def _memory() -> Iterator[Finding]:
    names = os.sysconf_names
    if not {"SC_PAGE_SIZE", "SC_PHYS_PAGES", "SC_AVPHYS_PAGES"} <= names.keys():
        yield NOTE, "this system does not tell how much memory there is"
        return
    page = os.sysconf("SC_PAGE_SIZE")
    total, free = (page * os.sysconf(name) / 1e9 for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES"))
    yield GOOD, f"{total:.1f} GB, of which {free:.1f} GB are unused"
