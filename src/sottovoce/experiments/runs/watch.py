"""Progress of many runs: how many are finished, the rounds of the others, and the time left for all."""

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sottovoce.experiments.runs.machine import duration
from sottovoce.experiments.runs.progress import on_terminal

if TYPE_CHECKING:
    from sottovoce.experiments.runs.sweep import Point, Tell

EVERY = 10.0  # seconds between lines where there is no terminal


class Clock:
    """The time left, estimated from the speed so far; runs that were complete at the start do not count."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.first: float | None = None
        self.began = 0.0

    def left(self, done: float) -> float | None:
        """Seconds until all runs are finished, or None if unknown; `done` includes parts of runs."""
        if self.first is None:
            self.first, self.began = done, time.monotonic()
        gained = done - self.first
        return (time.monotonic() - self.began) * (self.total - done) / gained if gained > 0 else None


def share(running: "Sequence[Point]") -> float:
    """The sum of the finished parts of the runs under way."""
    return sum(round / rounds for round, rounds in filter(None, (point.reached for point in running)))


def said(point: "Point") -> str:
    """A run under way, and its round."""
    reached = point.reached
    return f"{point.label} {'preparing' if reached is None else '{:,}/{:,}'.format(*reached)}"


@contextlib.contextmanager
def progress(total: int, wanted: bool | None = True, what: str = "runs") -> "Iterator[Tell]":
    """A bar if stderr is a terminal; elsewhere, if wanted, a line for every run and every ten seconds.

    Failures are always shown.
    """
    if wanted is not False and on_terminal():
        with _bar(total, what) as tell:
            yield tell
    else:
        yield _lines(total, what) if wanted else _failures


def _failures(done: int, note: str, running: "Sequence[Point]") -> None:
    if note:
        _echo(note)


def _lines(total: int, what: str) -> "Tell":
    clock, last, before = Clock(total), time.monotonic(), -1

    def tell(done: int, note: str, running: "Sequence[Point]") -> None:
        nonlocal last, before
        if note:
            _echo(note)
        left, now = clock.left(done + share(running)), time.monotonic()
        if done == before and now - last < EVERY:
            return
        last, before = now, done
        told = [f"{done} of {total} {what}", *([f"{duration(left)} left"] if left and done < total else [])]
        _echo(" · ".join([*told, *map(said, running)]))

    return tell


def _echo(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # runs go on if nobody reads their progress
        if sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bar(total: int, what: str) -> "Iterator[Tell]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    screen = Console(stderr=True, highlight=False, markup=False, emoji=False)
    counted = TextColumn(f"{{task.fields[done]}}/{{task.total}} {what} · {{task.fields[left]}} left")
    now = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True))
    clock = Clock(total)
    with Progress(BarColumn(20), counted, now, console=screen, expand=True) as bar:
        task = bar.add_task("", total=total, done=0, left="…")

        def tell(done: int, note: str, running: "Sequence[Point]") -> None:
            reached = done + share(running)
            left = clock.left(reached)
            names = ", ".join(map(said, running))
            bar.update(
                task,
                completed=reached,
                done=done,
                left="…" if left is None else duration(left),
                description=f"· {names}" if names else "",
            )
            if note:
                screen.print(note)

        yield tell
