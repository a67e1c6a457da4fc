"""Progress over many runs: how many are over, which round the others are in, and the time left for all."""

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sottovoce.experiments.machine import duration
from sottovoce.experiments.progress import on_terminal

if TYPE_CHECKING:
    from sottovoce.experiments.sweep import Point, Tell

EVERY = 10.0  # seconds between lines where there is no terminal


class Clock:
    """The time left, from how fast runs went by so far; those that were there already count for nothing."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.first: float | None = None
        self.began = 0.0

    def left(self, done: float) -> float | None:
        """Seconds until all runs are over, if something can be said; `done` counts parts of runs too."""
        if self.first is None:
            self.first, self.began = done, time.monotonic()
        gained = done - self.first
        return (time.monotonic() - self.began) * (self.total - done) / gained if gained > 0 else None


def share(running: "Sequence[Point]") -> float:
    """How much of the runs under way is over, together."""
    return sum(round / rounds for round, rounds in filter(None, (point.reached for point in running)))


def said(point: "Point") -> str:
    """A run under way, and its round."""
    reached = point.reached
    return f"{point.label} {'preparing' if reached is None else '{:,}/{:,}'.format(*reached)}"


@contextlib.contextmanager
def progress(total: int, wanted: bool | None = True) -> "Iterator[Tell]":
    """A bar if stderr is a terminal; else, if wanted, lines when a run is over and every ten seconds.

    Failures are told anywhere.
    """
    if wanted is not False and on_terminal():
        with _bar(total) as tell:
            yield tell
    else:
        yield _lines(total) if wanted else _failures


def _failures(done: int, note: str, running: "Sequence[Point]") -> None:
    if note:
        _echo(note)


def _lines(total: int) -> "Tell":
    clock, last, before = Clock(total), time.monotonic(), -1

    def tell(done: int, note: str, running: "Sequence[Point]") -> None:
        nonlocal last, before
        if note:
            _echo(note)
        left, now = clock.left(done + share(running)), time.monotonic()
        if done == before and now - last < EVERY:
            return
        last, before = now, done
        told = [f"{done} of {total} runs", *([f"{duration(left)} left"] if left and done < total else [])]
        _echo(" · ".join([*told, *map(said, running)]))

    return tell


def _echo(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # runs do not end because nobody reads about them
        if sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bar(total: int) -> "Iterator[Tell]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.table import Column

    screen = Console(stderr=True, highlight=False, markup=False, emoji=False)
    counted = TextColumn("{task.fields[done]}/{task.total} runs · {task.fields[left]} left")
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
