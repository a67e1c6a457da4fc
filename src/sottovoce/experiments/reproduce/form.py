"""A reproduction: a TOML file that says what a paper's table or figure needs, and what it claims.

    base     the recipe that all runs begin with; [set] changes it for all of them
    [paper]  authors, year, title, and what of it this reproduces
    [axes]   settings that differ: every combination of one label from each axis is a run

        [axes.epochs]
        "1 epoch" = { "model.epochs" = 1 }
        "10 epochs" = { "model.epochs" = 10 }

    [[also]] settings of runs that have all of some labels, such as "MovieLens 1M, federated"
    shared   runs lie beside the reproduction, where others that need the same ones find them
    [levels] what is measured beside every run, such as "item means" = "popularity"
    [quick]  the reduced version: only these labels, these changes
    apart    labels that are run only if they are asked for; "large, slow" are runs that have both
    fewer    labels that are run under fewer seeds, such as { "as large as MovieLens 10M" = 1 }
    x        "hours" or "messages" if curves go over virtual time or messages per node, and not over rounds
    [[rows]] figures, with what the paper printed and how far off ours may be
    [[claims]] statements, each with checks

Rows and checks name runs by labels: "gossip, 10 epochs" leaves the other axes open, and stands for
one run per combination of those. `panels` are the axes that make a picture of their own.
"""

import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from sottovoce.errors import RecipeError
from sottovoce.experiments import recipes, toml
from sottovoce.experiments.reproduce import refusal
from sottovoce.registry import is_file, names, nearest

BASELINES = ("popularity", "random")
"""What is measured beside every run, asked or not."""

Labels = tuple[str, ...]
"""A run: one label of every axis, in their order."""


class Strict(BaseModel):
    """Fixed keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Paper(Strict):
    """Where the claims come from."""

    authors: str
    year: int
    title: str
    shows: str
    """What of the paper this is about, for example "Figure 3"."""


class Reaches(Strict):
    """The first evaluated round in which a metric is as good as a value, or as a level."""

    reaches: float | str


class Hours(Strict):
    """The last evaluation until so many hours have passed; in files whose curves go over hours."""

    hours: Annotated[float, Field(ge=0)]


Tail = Literal["cdf 0.1", "cdf 0.01", "cdf 0.001", "worst 10%"]
At = Literal["final", "best", "mean"] | Tail | int | Hours | Reaches
"""Where a metric is read: after the last round, at its best, as the mean over the curve, in the tail
of the people served worst, after a round, after some hours, or as the round or the hour in which it
reaches something."""


class Read(Strict):
    """Which number of a run is meant."""

    metric: str | None = None
    """By default that of the whole file."""
    at: At = "final"
    only: list[str] = []
    """Labels to which axes that were left open are restricted."""


class Rows(Read):
    """Figures, a row for each run that `of` stands for."""

    of: list[str] = [""]
    """Labels; by default all runs."""
    per: list[str] | None = None
    """Axes on which rows differ, by default all; of runs that are alike there, the first is shown."""
    paper: dict[str, float] = {}
    """What the paper printed, by labels."""
    tolerance: Annotated[float, Field(ge=0)] | None = None
    """How far off ours may be, in the unit of the metric."""


class Check(Read):
    """One of these forms, for every combination of the axes that its labels leave open."""

    order: Annotated[list[str], Field(min_length=2)] | None = None
    """Best first, each better than the next."""
    within: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Two that differ by at most `by`."""
    by: Annotated[float, Field(ge=0)] | None = None
    function: str | None = None
    """The name of a function in papers/, such as "hegedus.gap_shrinks"."""


class Claim(Strict):
    """A statement that holds if all its checks do, beyond what may be chance over seeds."""

    claim: str
    source: str | None = None
    """Where the paper makes it; without one, the statement is ours."""
    checks: Annotated[list[Check], Field(min_length=1)]


class Also(Strict):
    """Settings that depend on several axes at once."""

    of: str
    """Labels, all of which a run has."""
    set: dict[str, Any]


class Quick(Strict):
    """The reduced version."""

    only: list[str] = []
    set: dict[str, Any] = {}
    seeds: Annotated[int, Field(ge=1)] = 1


class Named(NamedTuple):
    """What labels such as "gossip, 10 epochs" fix; with a level, the figure beside those runs."""

    fixed: dict[str, str]
    level: str | None


class Reproduction(Strict):
    """All of the file."""

    base: str
    metric: str
    panels: list[str] = []
    people: list[str] = []
    """What is also drawn as a distribution over people, a picture of each in every panel: metrics, or what
    nodes did, such as "rounds to converge" (`figures.NODES`)."""
    seeds: Annotated[int, Field(ge=1)] = 3
    tuned: str
    """What was tuned on what, for the reader."""
    notes: list[str] = []
    """Decisions and deviations, for the reader."""
    paper: Paper
    set: dict[str, Any] = {}
    x: Literal["rounds", "hours", "messages"] = "rounds"
    """What curves go over; hours are those of virtual time, and messages those sent for each node."""
    hours: Annotated[float, Field(gt=0)] | None = None
    """What a round stands for in runs without a clock, such as central training, if curves go over hours."""
    fewer: dict[str, Annotated[int, Field(ge=1)]] = {}
    """Labels whose runs have at most so many seeds, because they take long."""
    apart: list[str] = []
    """Labels whose runs are left out unless they are asked for by name; "large, slow": runs with both."""
    shared: bool = False
    """Runs are kept by what they are, in a directory `runs` beside this reproduction's; see shared.py."""
    kept: bool = False
    """Whether what runs measured is kept beside the page, for what needs no figures of single people."""
    axes: Annotated[dict[str, dict[str, dict[str, Any]]], Field(min_length=1)]
    also: list[Also] = []
    levels: dict[str, str] = {}
    lines: list[str] | None = None
    """Levels that are drawn beside the curves; by default all."""
    quick: Quick = Quick()
    rows: list[Rows] = []
    claims: list[Claim] = []

    _where: str = PrivateAttr("the reproduction")
    _path: Path = PrivateAttr(Path())

    @classmethod
    def load(cls, name: str | Path) -> Self:
        """Read a file, or a shipped reproduction by name."""
        path = recipes.find(name, "reproduction")
        try:
            document = tomllib.loads(path.read_text("utf-8"))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RecipeError(f"{path} cannot be read: {error}.", "Correct that place.") from None
        if "paper" not in document:
            raise RecipeError(
                f"{path} is a recipe for one run and reproduces no paper.",
                f"Run it with: sottovoce run {name}.",
            )
        try:
            found = cls.model_validate(document)
        except ValidationError as error:
            raise refusal.sentence(cls, error, str(path)) from None
        found._where, found._path = str(path), path
        found._check()
        return found

    @property
    def name(self) -> str:
        """As in `sottovoce reproduce NAME`."""
        return recipes.name(self._path)

    @property
    def recipe(self) -> Path:
        """The file of the base recipe: beside this file, or a shipped one."""
        beside = self._path.parent / self.base
        return beside if beside.is_file() else recipes.find(self.base)

    def runs(self, only: Sequence[str] = ()) -> list[Labels]:
        """All runs, or those with one of the labels in `only` on each axis that it names."""
        allowed = [[label for label in axis if label in only] or list(axis) for axis in self.axes.values()]
        return list(itertools.product(*allowed))

    def chosen(self, only: Sequence[str], quick: bool) -> list[Labels]:
        """What is to be run: on each axis the labels that `only` names, or else the usual ones."""
        asked = [label for text in only for label in self._fixed(text)]
        allowed = []
        for axis in self.axes.values():
            usual = [label for label in axis if label not in self.apart]
            reduced = [label for label in axis if label in self.quick.only] if quick else []
            allowed.append([label for label in axis if label in asked] or reduced or usual)
        together = [set(labels) for text in self.apart if len(labels := self._fixed(text)) > 1]
        left = [labels for labels in together if not labels <= set(asked)]
        return [run for run in itertools.product(*allowed) if not any(labels <= set(run) for labels in left)]

    def _fixed(self, text: str) -> list[str]:
        found = self.named(text)
        if found.level is not None or not found.fixed:
            raise RecipeError(
                f"{text!r} is no label of an axis.",
                "Labels are " + ", ".join(map(repr, self._run_labels)) + ".",
            )
        return list(found.fixed.values())

    def under(self, run: Labels, seeds: Sequence[int]) -> Sequence[int]:
        """Those of `seeds` that a run has."""
        return seeds[: min((count for label, count in self.fewer.items() if label in run), default=None)]

    def changes(self, run: Labels) -> list[str]:
        """How a run differs from the base recipe with [set]."""
        chosen = [self.axes[axis][label] for axis, label in zip(self.axes, run, strict=True)]
        chosen += [more.set for more in self.also if self.stands_for(more.of, [run])]
        return settings({key: value for table in chosen for key, value in table.items()})

    def panel(self, run: Labels) -> tuple[str, str]:
        """The picture that a run is drawn in, and what it is called there."""
        inside = [axis in self.panels for axis in self.axes]
        rest = [not shown for shown in inside]
        name = ", ".join(itertools.compress(run, rest)) or "mean over seeds"
        return ", ".join(itertools.compress(run, inside)), name

    def folder(self, run: Labels) -> str:
        """The name of a run's directory, unless runs are shared."""
        return re.sub(r"[^\w.]+", "-", " ".join(run).lower()).strip("-")

    def named(self, text: str) -> Named:
        """What a text such as "gossip, 10 epochs" stands for."""
        fixed: dict[str, str] = {}
        level = None
        for part in filter(None, map(str.strip, text.split(","))):
            axis = next((axis for axis, labels in self.axes.items() if part in labels), None)
            if axis is not None:
                fixed[axis] = part
            elif part in self.levels:
                level = part
            else:
                raise RecipeError(
                    f"{self._where}: no axis has a label {part!r}.", nearest(part, self._labels)
                )
        return Named(fixed, level)

    def stands_for(self, text: str, runs: Iterable[Labels]) -> list[Labels]:
        """Those of `runs` that have all the labels in a text."""
        fixed = self.named(text).fixed.values()
        return [run for run in runs if set(fixed) <= set(run)]

    def together(
        self, texts: Sequence[str], only: Sequence[str], runs: Iterable[Labels]
    ) -> Iterator[tuple[Labels, list[tuple[Labels, str | None]]]]:
        """For every combination of axes that `texts` leave open: its labels, and the run of each text.

        A level is read beside the run that the first text stands for.
        """
        names = [self.named(text) for text in texts]
        own = next(name for name in names if name.level is None)
        open_axes = [axis for axis in self.axes if axis not in own.fixed]
        there, wanted = set(runs), self.runs(only)
        for base in dict.fromkeys(self._with(run, own.fixed) for run in wanted):
            found = [(self._with(base, name.fixed), name.level) for name in names]
            if all(run in there for run, _ in found):
                yield tuple(base[list(self.axes).index(axis)] for axis in open_axes), found

    def _with(self, run: Labels, fixed: Mapping[str, str]) -> Labels:
        return tuple(fixed.get(axis, label) for axis, label in zip(self.axes, run, strict=True))

    @property
    def _run_labels(self) -> list[str]:
        return [label for axis in self.axes.values() for label in axis]

    @property
    def _labels(self) -> list[str]:
        return self._run_labels + list(self.levels)

    def _check(self) -> None:
        """Refuse labels that mean two things, or nothing, and checks of no form."""
        for label in self._labels:
            if "," in label or self._labels.count(label) > 1:
                problem = "has a comma" if "," in label else "is used twice"
                raise RecipeError(f"{self._where}: the label {label!r} {problem}.", "Choose another one.")
        if len({self.folder(run) for run in self.runs()}) < len(self.runs()):
            raise RecipeError(
                f"{self._where}: two labels differ in signs alone.", "Tell them apart by letters."
            )
        for axis in itertools.chain(self.panels, *(rows.per or () for rows in self.rows)):
            if axis not in self.axes:
                raise RecipeError(
                    f"{self._where}: there is no axis {axis!r}.", nearest(axis, list(self.axes))
                )
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
        for text in (*self.apart, *self.fewer, *(more.of for more in self.also)):
            self._fixed(text)
        if self.kept and self.people:
            raise RecipeError(
                f"{self._where}: what is known of single people is never kept, and people = … draws it.",
                "Leave out one of kept and people.",
            )
        self._check_hours()
        for text in [*self.quick.only, *(label for read in [*self.rows, *checks] for label in read.only)]:
            self.named(text)
        for rows in self.rows:
            runs = {run for text in rows.of for run in self.stands_for(text, self.runs(rows.only))}
            for text in rows.paper:
                if not self.stands_for(text, runs):
                    raise RecipeError(f"{self._where}: rows.paper has {text!r}, which no row is about.")

    def _check_hours(self) -> None:
        reads = [*self.rows, *(check for claim in self.claims for check in claim.checks)]
        if self.x != "hours" and (self.hours or any(isinstance(read.at, Hours) for read in reads)):
            raise RecipeError(f"{self._where}: hours are read off curves over rounds.", 'Add x = "hours".')

    def _check_form(self, check: Check) -> None:
        forms = [form for form in ("order", "within", "function") if getattr(check, form) is not None]
        if len(forms) != 1 or (check.within is None) != (check.by is None):
            raise RecipeError(
                f"{self._where}: a check has {' and '.join(forms) or 'no form'}.",
                "Give it one of order = [best, next, …], within = [one, other] with by = …, function = name.",
            )
        names = [self.named(text) for text in check.order or check.within or ()]
        fixes = {tuple(name.fixed) for name in names if name.level is None}
        if len(fixes) > 1 or (names and not fixes):
            raise RecipeError(
                f"{self._where}: {check.order or check.within} do not name labels of the same axes.",
                "Name one label of each axis that differs, in every entry.",
            )


def settings(table: Mapping[str, Any]) -> list[str]:
    """`{"model.factors": 8}` as changes to a recipe."""
    return [f"{key}={toml.value(value)}" for key, value in table.items()]
