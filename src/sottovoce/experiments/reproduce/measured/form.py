"""A reproduction by measuring: a TOML file that names a function, and what the paper says about its figures.

    measure    the function, such as "fedncf_table_6.phases"; `papers` has it
    [figures]  what it returns, each with its unit: "ms", "s", "MiB", "share", "×" or "" for plain numbers
    [axes]     settings that differ: every combination of one label from each axis is a cell of the table

        [axes.data]
        "MovieLens 100K" = { items = 1682, people = 20 }

    [set]      settings of all cells
    seeds      how often each cell is measured; the function gets the number of the repetition as its seed
    [quick]    the reduced version: only these labels, these changes
    [[rows]]   figures, with what the paper printed and how far off ours may be
    [[claims]] statements, each with checks

A cell calls the function with its settings as arguments.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce.labels import Labelled, Labels
from sottovoce.experiments.reproduce.sections import Strict
from sottovoce.registry import nearest

Unit = Literal["ms", "s", "MiB", "share", "×", ""]


class Read(Strict):
    """Which figure to read."""

    figure: str
    only: list[str] = []
    """Labels to which the axes that are left open are restricted."""


class Rows(Read):
    """A row for each cell that `of` stands for, unless the function returns no such figure there."""

    of: list[str] = [""]
    """Labels; by default all cells."""
    paper: dict[str, float] = {}
    """What the paper printed, by labels."""
    tolerance: Annotated[float, Field(ge=0)] | None = None
    """How far our median may be from the paper's number, in the unit of the figure."""
    factor: Annotated[float, Field(gt=0)] | None = None
    """How many times the paper's number our median may be at most."""


class Check(Read):
    """A check of one of these forms, for every combination of the axes that its labels leave open."""

    of: str | None = None
    """Labels of cells whose figure is at least `least` and at most `most`."""
    times: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Labels of two cells: the first figure divided by the second is from `least` to `most`."""
    rising: Annotated[list[str], Field(min_length=2)] | None = None
    """Labels of cells: each figure is smaller than the next."""
    least: float | None = None
    most: float | None = None


class Claim(Strict):
    """A statement. It holds if all its checks hold over the whole interval of repetitions."""

    claim: str
    source: str | None = None
    """Where the paper makes the statement; without a source it is our own."""
    checks: Annotated[list[Check], Field(min_length=1)]


class Measurements(Labelled):
    """The file as a whole."""

    measure: str
    seeds: Annotated[int, Field(ge=1)] = 5
    figures: Annotated[dict[str, Unit], Field(min_length=1)]
    rows: list[Rows] = []
    claims: list[Claim] = []

    def settings(self, cell: Labels, quick: bool = False) -> dict[str, Any]:
        """The arguments of the function for a cell."""
        chosen = [self.axes[axis][label] for axis, label in zip(self.axes, cell, strict=True)]
        tables = [self.set, *chosen, self.quick.set if quick else {}]
        return {key: value for table in tables for key, value in table.items()}

    def _check(self) -> None:
        """Refuse figures that the function does not return, and checks without a form."""
        super()._check()
        checks = [check for claim in self.claims for check in claim.checks]
        for read in [*self.rows, *checks]:
            if read.figure not in self.figures:
                raise RecipeError(
                    f"{self._where}: {read.figure!r} is not one of its figures.",
                    nearest(read.figure, list(self.figures)),
                )
            for text in read.only:
                self.named(text)
        for rows in self.rows:
            if rows.tolerance is not None and rows.factor is not None:
                raise RecipeError(
                    f"{self._where}: rows of {rows.figure!r} have both a tolerance and a factor.",
                    "Leave out one of them.",
                )
            self._check_printed(rows.paper, rows.of, rows.only)
        for check in checks:
            self._check_form(check)

    def _check_form(self, check: Check) -> None:
        forms = [form for form in ("of", "times", "rising") if getattr(check, form) is not None]
        limited = check.least is not None or check.most is not None
        if len(forms) != 1 or limited == (check.rising is not None):
            told = " and ".join([*forms, *(["limits"] if limited else [])])
            raise RecipeError(
                f"{self._where}: a check has {told or 'no form'}.",
                "Give it one of of = labels, times = [one, other], each with least = … or most = …, "
                "or rising = [smallest, next, …].",
            )
        texts: Sequence[str] = [check.of] if check.of is not None else check.times or check.rising or ()
        self.refuse_mixed(texts)
