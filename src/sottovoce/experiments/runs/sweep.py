"""Sweeps: one recipe with every combination of some settings, under several seeds.

Each combination and seed is a run: a process of its own runs `sottovoce run` in the directory
`<out>/<settings>/seed-<n>`. Complete runs are kept and interrupted ones resumed, so a sweep that was
stopped continues when it is started again. If a run fails, its output stays in `seed-<n>.log` and the
other runs go on. These runs draw no report of their own: `sottovoce report` draws one on request.
"""

import contextlib
import hashlib
import itertools
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce import files
from sottovoce.errors import DIVERGED, RecipeError, RunError
from sottovoce.experiments.recipe import overrides
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import directory, fitting, progress, references
from sottovoce.experiments.runs.directory import RunDirectory

_PAUSE = 0.05  # seconds between looks at the processes
_TELL = 1.0  # seconds between looks at how far they are
_TAIL = 4096  # bytes of a log, enough for its last lines


class Point(NamedTuple):
    """One run of a sweep."""

    settings: tuple[str, ...]
    """Changes to the recipe, such as `model.factors=8`."""
    seed: int
    place: RunDirectory

    @property
    def log(self) -> Path:
        """Where its process writes its output."""
        return self.place.path.with_name(f"{self.place.path.name}.log")

    @property
    def reached(self) -> tuple[int, int] | None:
        """The round that its process has reached, and the number of rounds, as its log says."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
                return progress.latest(file.read().decode("utf-8", "replace"))
        except OSError:
            return None

    @property
    def label(self) -> str:
        """Its name in lines of progress: the last two parts of its directory."""
        return f"{self.place.path.parent.name} {self.place.path.name}"

    @property
    def name(self) -> str:
        """Its settings and its seed."""
        return " ".join([*self.settings, f"seed={self.seed}"])


class Failure(NamedTuple):
    """A run that failed."""

    point: Point
    reason: str


Tell = Callable[[int, str, Sequence[Point]], None]
"""Called every second with the number of finished runs, a note about the last one, and the runs under way."""


def grid(texts: Iterable[str]) -> list[list[str]]:
    """The changes of each `--grid` option."""
    axes: dict[str, list[str]] = {}
    for text in texts:
        key = text.partition("=")[0].strip()
        if key == "run.seed":
            raise RecipeError(f"--grid {text} sets seeds.", "Give seeds with --seeds.")
        if key in axes:
            raise RecipeError(f"--grid names {key} twice.", f"Give all values at once: --grid {key}=…,….")
        axes[key] = axis(text)
    return list(axes.values())


def axis(text: str) -> list[str]:
    """`model.factors=8,16` as the changes `["model.factors=8", "model.factors=16"]`.

    Values are separated by commas outside quotes and brackets, and written as for --set.
    """
    key, equals, values = text.partition("=")
    if not equals or not values.strip():
        raise RecipeError(
            f"--grid {text} is not of the form section.key=value,value.", "For example model.factors=8,16."
        )
    changes = [f"{key.strip()}={value.strip()}" for value in _separated(values)]
    for change in changes:
        overrides.parse(change)
    return list(dict.fromkeys(changes))


def _separated(text: str) -> Iterator[str]:
    """The parts of `text` between commas, except commas inside quotes, brackets or braces."""
    part, depth, quote = "", 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and depth == 0:
            yield part
            part = ""
            continue
        part += letter
    yield part


def points(
    recipe: Path, changes: Sequence[str], axes: Iterable[Sequence[str]], seeds: Iterable[int], out: Path
) -> list[Point]:
    """Every combination with every seed; each is checked, also against the recipe in its directory."""
    found = []
    for settings in itertools.product(*axes):
        for seed in seeds:
            point = Point(settings, seed, RunDirectory(out / _folder(settings) / f"seed-{seed}"))
            found.append(checked(point, recipe, changes))
    return found


def checked(point: Point, recipe: Path, changes: Sequence[str]) -> Point:
    """The point, if its recipe can be run and its directory holds no run of another recipe."""
    wanted = Recipe.read(recipe, [*changes, *point.settings, f"run.seed={point.seed}"])
    built = wanted.components()
    if not point.place.complete:
        references.require(built.references)
    _same(point, wanted)
    return point


def _folder(settings: Sequence[str]) -> str:
    """A name for a directory, with a hash if the plain name would not be unique."""
    plain = "_".join(settings) or "recipe"
    name = re.sub(r"[^A-Za-z0-9._=+-]+", "-", plain)[:100]
    return name if name == plain else f"{name}-{hashlib.sha256(plain.encode()).hexdigest()[:8]}"


def _same(point: Point, wanted: Recipe) -> None:
    """Refuse to mix runs of two recipes. Keys that an earlier version did not know have their defaults."""
    path = point.place.path / directory.RECIPE
    if not files.is_file(path):
        return
    begun = Recipe.read(path)
    if wanted.split.open and begun.split.name == "predefined":
        wanted = wanted.divided()
    if not fitting.same(wanted, begun):
        raise RunError(
            f"{point.place.path} was begun with another recipe.",
            "Choose another directory with --out, or delete it.",
        )


def execute(
    todo: Sequence[Point],
    recipe: Path,
    changes: Sequence[str],
    jobs: int,
    data_dir: Path | None = None,
    tell: Tell = lambda done, note, running: None,
) -> list[Failure]:
    """Run all points that are not complete, `jobs` at a time, and return those that failed."""
    waiting = [point for point in todo if not point.place.complete]
    done, failures = len(todo) - len(waiting), []
    tell(done, "", ())
    threads = max(1, cores() // jobs)
    running: dict[Point, subprocess.Popen[bytes]] = {}
    compiled, told = False, time.monotonic()
    with _stopping(running):
        while waiting or running:
            # A sweep that was killed may have left processes that still run; wait for them.
            room = (jobs if compiled else 1) - len(running)
            for point in [p for p in waiting if not p.place.busy][:room]:
                waiting.remove(point)
                running[point] = _start(point, recipe, changes, threads, data_dir)
                tell(done, "", list(running))
            time.sleep(_PAUSE)
            if time.monotonic() - told > _TELL:
                tell(done, "", list(running))
                told = time.monotonic()
            # The first run is alone until it has compiled the kernels that the others find in the cache.
            compiled = compiled or any(point.place.events() for point in running)
            for point, process in list(running.items()):
                if process.poll() is None:
                    continue
                del running[point]
                done, compiled = done + 1, True
                if point.place.complete and process.returncode in (0, DIVERGED):
                    point.log.unlink(missing_ok=True)
                    tell(done, "", list(running))
                else:
                    failures.append(Failure(point, _reason(point, process.returncode)))
                    tell(done, f"{point.name} failed: {failures[-1].reason}", list(running))
    return failures


def _start(
    point: Point, recipe: Path, changes: Sequence[str], threads: int, data_dir: Path | None
) -> "subprocess.Popen[bytes]":
    settings = [part for change in (*changes, *point.settings) for part in ("--set", change)]
    command = [
        sys.executable,
        "-m",
        "sottovoce",
        "run",
        str(recipe),
        *settings,
        "--resume",
        "--json",
        "--no-report",
    ]
    command += ["--seed", str(point.seed), "--threads", str(threads), "--out", str(point.place.path)]
    command += ["--data-dir", str(data_dir)] if data_dir else []
    RunDirectory(point.log.parent).make()
    with files.writing(point.log), point.log.open("wb") as log:
        # In a group of its own, so that Ctrl-C reaches it once, from here.
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, process_group=0
        )


@contextlib.contextmanager
def _stopping(running: "dict[Point, subprocess.Popen[bytes]]") -> Iterator[None]:
    """If the block ends early, let the running processes save their state and stop."""
    try:
        yield
    except BaseException:
        for process in running.values():
            with contextlib.suppress(ProcessLookupError):
                process.terminate()  # not Ctrl-C, which is ignored in the background of a script
        for process in running.values():
            process.wait()
        raise


def _reason(point: Point, code: int) -> str:
    """The last error that a process wrote."""
    try:
        lines = point.log.read_text("utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    if code < 0:
        return f"ended by signal {-code}" + (f" after: {lines[-1]}" if lines else "")
    said = [line for line in lines if line.startswith("error: ")] or lines
    return said[-1].removeprefix("error: ") if said else f"exit code {code}"


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def seeds(text: str) -> list[int]:
    """`5` as the seeds 1 to 5, `1,7,9` as the seeds 1, 7 and 9."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() for part in parts) or text.strip() == "0":
        raise RecipeError(
            f"--seeds {text} is neither a number of seeds nor a list.", "Write 5, or a list such as 1,7,9."
        )
    numbers = [int(part) for part in parts]
    return list(dict.fromkeys(numbers)) if "," in text else list(range(1, numbers[0] + 1))


def settings_of(point: Point) -> dict[str, Any]:
    """The settings of a point by key."""
    return {".".join(path): value for path, value in map(overrides.parse, point.settings)}
