"""A reproduction: a TOML file that says what a paper's table or figure needs, and what it claims.

    base     the recipe that all runs start from; [set] changes it for all of them
    [paper]  authors, year, title, and which part of it is reproduced; or
    [own]    what is shown by results of our own, which no paper has
    [axes]   settings that differ: every combination of one label from each axis is a run

        [axes.epochs]
        "1 epoch" = { "model.epochs" = 1 }
        "10 epochs" = { "model.epochs" = 10 }

    [[also]] settings of runs that have all of some labels, such as "MovieLens 1M, federated"
    shared   runs lie beside the reproduction, where other reproductions that need them find them
    [levels] what is measured beside every run, such as "item means" = "popularity"
    [quick]  the reduced version: only these labels, these changes
    apart    labels that are run only if `--only` names them; "large, slow" means runs with both
    first_seed  the first of the seeds; the default is 1
    fewer    labels that are run under fewer seeds, such as { "as large as MovieLens 10M" = 1 }
    x        the x axis of curves: "rounds" (the default), "hours" of virtual time, "messages" per node, or
             "megabytes" per person
    along    an axis whose labels are numbers: curves go along it, a point for each run
    [[rows]] figures, with what the paper printed and how far off ours may be
    [[claims]] statements, each with checks

Rows and checks name runs by labels: "gossip, 10 epochs" leaves the other axes open, and stands for
one run per combination of those. `panels` are the axes that make a picture of their own.
"""

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe import shipped, toml
from sottovoce.experiments.reproduce.labels import Labelled
from sottovoce.experiments.reproduce.labels import Labels as Labels
from sottovoce.experiments.reproduce.sections import Also, Check, Claim, Hours, Rows
from sottovoce.registry import is_file, names, nearest

BASELINES = ("popularity", "random")
"""What is measured beside every run."""
_FORMS = ("order", "not_behind", "within", "of", "times", "function")


class Reproduction(Labelled):
    """The file as a whole."""

    base: str
    metric: str
    panels: list[str] = []
    people: list[str] = []
    """Figures whose distribution over people is drawn, one picture in every panel: metrics, or what nodes
    did, such as "rounds to converge" (`figures.NODES`)."""
    x: Literal["rounds", "hours", "messages", "megabytes"] = "rounds"
    """The x axis of curves: rounds, hours of virtual time, messages per node, or megabytes per person."""
    along: str | None = None
    """An axis whose labels are numbers. Curves go along it, with a point for each run, read at its end."""
    across: str | None = None
    """With `along`: the metric on the x axis, in place of the numbers."""
    frontier: bool = False
    """With `across`: draw the points that no other exceeds in both metrics (the Pareto frontier)."""
    hours: Annotated[float, Field(gt=0)] | None = None
    """How many hours a round stands for in runs without a clock, such as central training."""
    first_seed: Annotated[int, Field(ge=0)] = 1
    """Seeds are this one and those that follow: others than those that something was chosen with."""
    fewer: dict[str, Annotated[int, Field(ge=1)]] = {}
    """Labels whose runs take long, and under how many seeds they are run at most."""
    shared: bool = False
    """Runs lie in a directory `runs` beside this reproduction's, where others find them; see shared.py."""
    audit: bool = False
    """Audit every run, and show who sees what. The runs need privacy.observe."""
    disclosures: bool = False
    """Show what leaves a device in each run, as its components declare it."""
    kept: bool = False
    """Keep the figures of runs beside the page. Figures of single people are never kept."""
    also: list[Also] = []
    levels: dict[str, str] = {}
    lines: list[str] | None = None
    """Levels that are drawn beside the curves; by default all."""
    rows: list[Rows] = []
    claims: list[Claim] = []

    @property
    def recipe(self) -> Path:
        """The file of the base recipe: beside this file, or a shipped one."""
        beside = self._path.parent / self.base
        return beside if beside.is_file() else shipped.find(self.base)

    def under(self, run: Labels, seeds: Sequence[int]) -> Sequence[int]:
        """The seeds of a run: all of `seeds`, or the first few."""
        return seeds[: min((count for label, count in self.fewer.items() if label in run), default=None)]

    def changes(self, run: Labels) -> list[str]:
        """The changes of a run to the base recipe and [set]."""
        chosen = [self.axes[axis][label] for axis, label in zip(self.axes, run, strict=True)]
        chosen += [more.set for more in self.also if self.stands_for(more.of, [run])]
        return settings({key: value for table in chosen for key, value in table.items()})

    def panel(self, run: Labels) -> tuple[str, str]:
        """The title of the picture that a run is drawn in, and the name of its curve."""
        inside = [axis in self.panels for axis in self.axes]
        rest = [axis not in self.panels and axis != self.along for axis in self.axes]
        name = ", ".join(itertools.compress(run, rest)) or "mean over seeds"
        return ", ".join(itertools.compress(run, inside)), name

    @property
    def beside(self) -> Collection[str]:
        """The names of levels."""
        return self.levels

    def _check(self) -> None:
        """Refuse labels with two meanings or none, and checks without a form."""
        super()._check()
        for axis in itertools.chain(self.panels, *(rows.per or () for rows in self.rows)):
            if axis not in self.axes:
                raise RecipeError(
                    f"{self._where}: there is no axis {axis!r}.", nearest(axis, list(self.axes))
                )
        self._check_along()
        checks = [check for claim in self.claims for check in claim.checks]
        for check in checks:
            self._check_form(check)
        beside = [*BASELINES, *names("reference")]
        for level in (level for level in self.levels.values() if not is_file(level)):
            if level not in beside:
                raise RecipeError(f"{self._where}: levels has {level!r}.", nearest(level, beside))
        for line in self.lines or ():
            if line not in self.levels:
                raise RecipeError(f"{self._where}: lines has {line!r}.", nearest(line, list(self.levels)))
        for text in (*self.fewer, *(more.of for more in self.also)):
            self._fixed(text)
        if self.kept and self.people:
            raise RecipeError(
                f"{self._where}: kept = true keeps no figures of single people, but people = … needs them.",
                "Leave out either kept or people.",
            )
        self._check_hours()
        for text in (label for read in [*self.rows, *checks] for label in read.only):
            self.named(text)
        for rows in self.rows:
            self._check_printed(rows.paper, rows.of, rows.only)

    def _check_along(self) -> None:
        lacking = "along" if self.across and not self.along else "across"
        if (self.across and not self.along) or (self.frontier and not self.across):
            asking = "across" if lacking == "along" else "frontier"
            raise RecipeError(f"{self._where}: {asking} needs {lacking}.", f"Add {lacking} = …")
        if self.along is None:
            return
        if self.along not in self.axes:
            raise RecipeError(
                f"{self._where}: there is no axis {self.along!r}.", nearest(self.along, list(self.axes))
            )
        for label in self.axes[self.along]:
            if place(label) is None:
                raise RecipeError(
                    f"{self._where}: curves go along {self.along!r}, but {label!r} does not end in a number.",
                    "Let its labels end in numbers.",
                )

    def _check_hours(self) -> None:
        reads = [*self.rows, *(check for claim in self.claims for check in claim.checks)]
        if self.x != "hours" and (self.hours or any(isinstance(read.at, Hours) for read in reads)):
            raise RecipeError(f"{self._where}: hours are read from curves over rounds.", 'Add x = "hours".')

    def _check_form(self, check: Check) -> None:
        forms = [form for form in _FORMS if getattr(check, form) is not None]
        limited = check.least is not None or check.most is not None
        wrong = (check.within is None) != (check.by is None) or limited != bool(check.of or check.times)
        if len(forms) != 1 or wrong:
            told = " and ".join([*forms, *(["limits"] if limited else [])])
            raise RecipeError(
                f"{self._where}: a check has {told or 'no form'}.",
                "Give it one of order = [best, next, …], not_behind = [one, other], within = [one, other] "
                "with by = …, of = labels or times = [one, other], both with least = … or most = …, "
                "function = name.",
            )
        self.refuse_mixed(check.texts)


def place(label: str) -> float | None:
    """The number that a label such as "π = 0.4" ends in; None if there is none."""
    found = re.search(r"-?\d+(\.\d+)?$", label)
    return None if found is None else float(found.group())


def settings(table: Mapping[str, Any]) -> list[str]:
    """`{"model.factors": 8}` as changes to a recipe."""
    return [f"{key}={toml.value(value)}" for key, value in table.items()]
