"""Progress on stderr for the person who waits: rounds, rate, time left, the main metric."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, Protocol

from sottovoce.printable import printable


class Progress(Protocol):
    """What a run tells while it works."""

    def say(self, text: str) -> None:
        """Tell something worth keeping."""

    def doing(self, text: str) -> contextlib.AbstractContextManager[None]:
        """Show what is being done while the block lasts."""

    def rounds(self, total: int, done: int) -> contextlib.AbstractContextManager["Rounds"]:
        """Show rounds going by while the block lasts."""


class Rounds(Protocol):
    """The bar of a run."""

    def update(self, done: int, note: str = "") -> None:
        """`done` rounds are over; `note` is the current value of the main metric."""


class Quiet:
    """Says nothing, for pipes, logs and notebooks that do not want it."""

    def say(self, text: str) -> None:
        pass

    @contextlib.contextmanager
    def doing(self, text: str) -> Iterator[None]:
        yield

    @contextlib.contextmanager
    def rounds(self, total: int, done: int) -> Iterator["Quiet"]:
        yield self

    def update(self, done: int, note: str = "") -> None:
        pass


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

    def update(self, done: int, note: str = "") -> None:
        task = self.bar.tasks[self.bar.task_ids.index(self.task)]
        rate = f"{task.speed:.3g}/s" if task.speed else task.fields["rate"]
        self.bar.update(self.task, completed=done, rate=rate, note=note or task.fields["note"])


def choose(wanted: bool | None) -> Progress:
    """Progress if wanted; by default if stderr is a terminal."""
    return Terminal() if (sys.stderr.isatty() if wanted is None else wanted) else Quiet()
