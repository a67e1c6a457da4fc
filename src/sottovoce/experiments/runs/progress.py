"""Progress on stderr: rounds, rate, time left and the main metric.

In a terminal this is a bar. If stderr is a file or a pipe, it is a plain line for every evaluation, and
one every ten seconds in between.
"""

import contextlib
import re
import sys
import time
from collections.abc import Iterator
from typing import Any, Protocol

from sottovoce.experiments.runs.machine import duration
from sottovoce.printable import printable

_OFTEN, _SELDOM = 1.0, 10.0  # seconds from one line to the next, after an evaluation and otherwise
_LINE = re.compile(r"^round ([\d,]+) of ([\d,]+)\b", re.MULTILINE)


class Progress(Protocol):
    """Where a run reports what it does."""

    def say(self, text: str) -> None:
        """Print a line that stays."""

    def doing(self, text: str) -> contextlib.AbstractContextManager[None]:
        """Show what is being done while the block lasts."""

    def rounds(self, total: int, done: int) -> contextlib.AbstractContextManager["Rounds"]:
        """Show rounds going by while the block lasts."""


class Rounds(Protocol):
    """The bar of a run."""

    def update(self, done: int, note: str = "", evaluated: bool = False) -> None:
        """`done` rounds are over; `note` is the last value of the main metric, `evaluated` if it is new."""


class Quiet:
    """Shows nothing."""

    def say(self, text: str) -> None:
        pass

    @contextlib.contextmanager
    def doing(self, text: str) -> Iterator[None]:
        yield

    @contextlib.contextmanager
    def rounds(self, total: int, done: int) -> Iterator["Quiet"]:
        yield self

    def update(self, done: int, note: str = "", evaluated: bool = False) -> None:
        pass


class Lines:
    """Writes plain lines to stderr."""

    def say(self, text: str) -> None:
        # A run goes on if nobody reads its progress any more.
        with contextlib.suppress(OSError, ValueError):
            if sys.stderr is not None:
                print(printable(text), file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def doing(self, text: str) -> Iterator[None]:
        self.say(f"{text} …")
        yield

    @contextlib.contextmanager
    def rounds(self, total: int, done: int) -> Iterator["_Counted"]:
        yield _Counted(self, total, done)


class _Counted:
    """The rounds of a run in lines."""

    def __init__(self, lines: Lines, total: int, done: int) -> None:
        self.lines, self.total, self.first = lines, total, done
        self.began = self.said = time.monotonic()

    def update(self, done: int, note: str = "", evaluated: bool = False) -> None:
        now = time.monotonic()
        if done < self.total and now - self.said < (_OFTEN if evaluated else _SELDOM):
            return
        self.said = now
        rate = (done - self.first) / max(now - self.began, 1e-9)
        told = [f"round {done:,} of {self.total:,}", f"{rate:.3g}/s"]
        if 0 < done < self.total and rate:
            told.append(f"{duration((self.total - done) / rate)} left")
        self.lines.say(" · ".join([*told, *([note] if note else [])]))


def latest(text: str) -> tuple[int, int] | None:
    """The round, and the number of rounds, in the last such line of a log."""
    found = _LINE.findall(text)
    return None if not found else (int(found[-1][0].replace(",", "")), int(found[-1][1].replace(",", "")))


class Terminal:
    """Draws with rich on stderr."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(stderr=True, highlight=False)

    def say(self, text: str) -> None:
        self.console.print(printable(text), markup=False)

    @contextlib.contextmanager
    def doing(self, text: str) -> Iterator[None]:
        from rich.markup import escape

        with self.console.status(escape(printable(text))):
            yield

    @contextlib.contextmanager
    def rounds(self, total: int, done: int) -> Iterator["_Bar"]:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("Training"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("rounds · {task.fields[rate]} ·"),
            TimeRemainingColumn(),
            TextColumn("left · {task.fields[note]}", markup=False),
        )
        with Bar(*columns, console=self.console) as bar:
            yield _Bar(bar, bar.add_task("", total=total, completed=done, rate="… /s", note=""))


class _Bar:
    def __init__(self, bar: Any, task: Any) -> None:
        self.bar = bar
        self.task = task

    def update(self, done: int, note: str = "", evaluated: bool = False) -> None:
        task = self.bar.tasks[self.bar.task_ids.index(self.task)]
        rate = f"{task.speed:.3g}/s" if task.speed else task.fields["rate"]
        self.bar.update(self.task, completed=done, rate=rate, note=note or task.fields["note"])


def choose(wanted: bool | None) -> Progress:
    """A bar in a terminal; elsewhere lines if progress is wanted, otherwise nothing."""
    if wanted is False:
        return Quiet()
    if on_terminal():
        return Terminal()
    return Lines() if wanted else Quiet()


def on_terminal() -> bool:
    """Whether somebody sees what is drawn on stderr."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it was closed
        return False
