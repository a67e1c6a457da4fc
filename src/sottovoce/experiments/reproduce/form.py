"""A reproduction: a TOML file that says what a paper's table or figure needs, and what it claims.

    base     the recipe that all runs start from; [set] changes it for all of them
    [paper]  authors, year, title, and which part of it is reproduced
    [axes]   settings that differ: every combination of one label from each axis is a run

        [axes.epochs]
        "1 epoch" = { "model.epochs" = 1 }
        "10 epochs" = { "model.epochs" = 10 }

    [[also]] settings of runs that have all of some labels, such as "MovieLens 1M, federated"
    shared   runs lie beside the reproduction, where other reproductions that need them find them
    [levels] what is measured beside every run, such as "item means" = "popularity"
    [quick]  the reduced version: only these labels, these changes
    apart    labels that are run only if `--only` names them; "large, slow" means runs with both
    fewer    labels that are run under fewer seeds, such as { "as large as MovieLens 10M" = 1 }
    x        the x axis of curves: "rounds" (the default), "hours" of virtual time, or "messages" per node
    [[rows]] figures, with what the paper printed and how far off ours may be
    [[claims]] statements, each with checks

Rows and checks name runs by labels: "gossip, 10 epochs" leaves the other axes open, and stands for
one run per combination of those. `panels` are the axes that make a picture of their own.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe import shipped, toml
from sottovoce.experiments.recipe.document import parsed
from sottovoce.experiments.recipe.refusal import refusal
from sottovoce.experiments.reproduce.sections import FIXED, Also, Check, Claim, Hours, Paper, Quick, Rows
from sottovoce.registry import is_file, names, nearest

BASELINES = ("popularity", "random")
"""What is measured beside every run."""

Labels = tuple[str, ...]
"""A run: one label of every axis, in their order."""


class Named(NamedTuple):
    """The labels in a text such as "gossip, 10 epochs", by axis; and the level, if it names one."""

    fixed: dict[str, str]
    level: str | None


class Reproduction(BaseModel):
    """The file as a whole."""

    model_config = FIXED

    base: str
    metric: str
    panels: list[str] = []
    people: list[str] = []
    """Figures whose distribution over people is drawn, one picture in every panel: metrics, or what nodes
    did, such as "rounds to converge" (`figures.NODES`)."""
    seeds: Annotated[int, Field(ge=1)] = 3
    tuned: str
    """Which settings were tuned, and on what, for the reader."""
    notes: list[str] = []
    """Decisions and deviations, for the reader."""
    paper: Paper
    set: dict[str, Any] = {}
    x: Literal["rounds", "hours", "messages"] = "rounds"
    """The x axis of curves: rounds, hours of virtual time, or messages sent per node."""
    hours: Annotated[float, Field(gt=0)] | None = None
    """How many hours a round stands for in runs without a clock, such as central training."""
    fewer: dict[str, Annotated[int, Field(ge=1)]] = {}
    """Labels whose runs take long, and under how many seeds they are run at most."""
    apart: list[str] = []
    """Labels whose runs are left out unless `--only` names them; "large, slow" means runs with both."""
    shared: bool = False
    """Runs lie in a directory `runs` beside this reproduction's, where others find them; see shared.py."""
    audit: bool = False
    """Audit every run, and show who sees what. The runs need privacy.observe."""
    needs: dict[str, str] = {}
    """Labels that are left out where a component is missing, such as { SecAvg = "sum/secure" }."""
    kept: bool = False
    """Keep the figures of runs beside the page. Figures of single people are never kept."""
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
    def read(cls, name: str | Path) -> Self:
        """Read a file, or a shipped reproduction by name."""
        path = shipped.find(name, "reproduction")
        document = _available(parsed(path))
        if "paper" not in document:
            raise RecipeError(
                f"{path} is a recipe for one run, not a reproduction of a paper.",
                f"Run it with: sottovoce run {name}.",
            )
        try:
            found = cls.model_validate(document)
        except ValidationError as error:
            raise refusal(cls, error, str(path), "reproduction") from None
        found._where, found._path = str(path), path
        found._check()
        return found

    @property
    def labels(self) -> list[str]:
        """The labels of all axes."""
        return self._run_labels

    @property
    def where(self) -> str:
        """The path of the file, for error messages."""
        return self._where

    @property
    def name(self) -> str:
        """As in `sottovoce reproduce NAME`."""
        return shipped.name(self._path)

    @property
    def recipe(self) -> Path:
        """The file of the base recipe: beside this file, or a shipped one."""
        beside = self._path.parent / self.base
        return beside if beside.is_file() else shipped.find(self.base)

    def runs(self, only: Sequence[str] = ()) -> list[Labels]:
        """All runs, or those with one of the labels in `only` on each axis that it names."""
        allowed = [[label for label in axis if label in only] or list(axis) for axis in self.axes.values()]
        return list(itertools.product(*allowed))

    def chosen(self, only: Sequence[str], quick: bool) -> list[Labels]:
        """The runs to make: on each axis the labels that `only` names, otherwise the usual ones."""
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
                f"{text!r} is not a label of an axis.",
                "Labels are " + ", ".join(map(repr, self._run_labels)) + ".",
            )
        return list(found.fixed.values())

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
        rest = [not shown for shown in inside]
        name = ", ".join(itertools.compress(run, rest)) or "mean over seeds"
        return ", ".join(itertools.compress(run, inside)), name

    def folder(self, run: Labels) -> str:
        """The name of a run's directory, unless runs are shared."""
        return re.sub(r"[^\w.]+", "-", " ".join(run).lower()).strip("-")

    def named(self, text: str) -> Named:
        """The labels in a text such as "gossip, 10 epochs"."""
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
        """The runs that have all the labels in a text."""
        fixed = self.named(text).fixed.values()
        return [run for run in runs if set(fixed) <= set(run)]

    def together(
        self, texts: Sequence[str], only: Sequence[str], runs: Iterable[Labels]
    ) -> Iterator[tuple[Labels, list[tuple[Labels, str | None]]]]:
        """For every combination of the axes that `texts` leave open: its labels, and the run of each text.

        A level is read beside the run of the first text.
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
        """Refuse labels with two meanings or none, and checks without a form."""
        for label in self._labels:
            if "," in label or self._labels.count(label) > 1:
                problem = "has a comma" if "," in label else "is used twice"
                raise RecipeError(f"{self._where}: the label {label!r} {problem}.", "Choose another label.")
        if len({self.folder(run) for run in self.runs()}) < len(self.runs()):
            raise RecipeError(
                f"{self._where}: two labels differ only in punctuation.", "Make them differ in letters."
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
                f"{self._where}: kept = true keeps no figures of single people, but people = … needs them.",
                "Leave out either kept or people.",
            )
        self._check_hours()
        for text in [*self.quick.only, *(label for read in [*self.rows, *checks] for label in read.only)]:
            self.named(text)
        for rows in self.rows:
            runs = {run for text in rows.of for run in self.stands_for(text, self.runs(rows.only))}
            for text in rows.paper:
                if not self.stands_for(text, runs):
                    raise RecipeError(
                        f"{self._where}: rows.paper has {text!r}, but no row is about it.",
                        "Name labels of a row's runs.",
                    )

    def _check_hours(self) -> None:
        reads = [*self.rows, *(check for claim in self.claims for check in claim.checks)]
        if self.x != "hours" and (self.hours or any(isinstance(read.at, Hours) for read in reads)):
            raise RecipeError(f"{self._where}: hours are read from curves over rounds.", 'Add x = "hours".')

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


def _available(document: dict[str, Any]) -> dict[str, Any]:
    """The document without labels that need a component that does not exist here."""
    needs, axes = document.get("needs", {}), document.get("axes", {})
    if not isinstance(needs, dict) or not all(isinstance(axis, dict) for axis in axes.values()):
        return document
    known = {label: need.partition("/")[::2] for label, need in needs.items()}
    missing = [label for label, (kind, name) in known.items() if name not in names(kind)]
    kept = {name: {k: v for k, v in axis.items() if k not in missing} for name, axis in axes.items()}
    rows = [
        row | {"only": [label for label in row["only"] if label not in missing]} if "only" in row else row
        for row in document.get("rows", [])
    ]
    return document | {"axes": kept, **({"rows": rows} if rows else {})}


def settings(table: Mapping[str, Any]) -> list[str]:
    """`{"model.factors": 8}` as changes to a recipe."""
    return [f"{key}={toml.value(value)}" for key, value in table.items()]
