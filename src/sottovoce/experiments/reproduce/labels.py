"""What every reproduction's file has, and how its labels are read.

It has a paper, or what is shown by results of our own; axes with labels; and a reduced version.

A file with `base` describes runs (form.py), one with `measure` calls of a function (measured/form.py).
"""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, Field, PrivateAttr, ValidationError

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe import shipped
from sottovoce.experiments.recipe.document import parsed
from sottovoce.experiments.recipe.refusal import refusal
from sottovoce.experiments.reproduce.sections import FIXED, Own, Paper, Quick
from sottovoce.registry import nearest

Labels = tuple[str, ...]
"""A run or a cell: one label of every axis, in their order."""


class Named(NamedTuple):
    """The labels in a text such as "gossip, 10 epochs", by axis; and the level, if it names one."""

    fixed: dict[str, str]
    level: str | None


class Labelled(BaseModel):
    """The part of a file that says what is reproduced, and how its parts are called."""

    model_config = FIXED

    seeds: Annotated[int, Field(ge=1)] = 3
    tuned: str
    """Which settings were tuned, and on what, for the reader."""
    notes: list[str] = []
    """Decisions and deviations, for the reader."""
    paper: Paper | None = None
    own: Own | None = None
    """In place of a paper: what is shown by results of our own."""
    set: dict[str, Any] = {}
    apart: list[str] = []
    """Labels whose runs are left out unless `--only` names them; "large, slow" means runs with both."""
    axes: Annotated[dict[str, dict[str, dict[str, Any]]], Field(min_length=1)]
    quick: Quick = Quick()

    _where: str = PrivateAttr("the reproduction")
    _path: Path = PrivateAttr(Path())

    @classmethod
    def read(cls, name: str | Path) -> Self:
        """Read a file, or a shipped reproduction by name."""
        path = shipped.find(name, "reproduction")
        document = parsed(path)
        if shipped.kind_of(document) != "reproduction":
            raise RecipeError(
                f"{path} is a recipe for one run, not a reproduction of many.",
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
    def where(self) -> str:
        """The path of the file, for error messages."""
        return self._where

    @property
    def name(self) -> str:
        """As in `sottovoce reproduce NAME`."""
        return shipped.name(self._path)

    @property
    def beside(self) -> Collection[str]:
        """Names that stand for something other than a label, such as levels."""
        return ()

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

    def extent(self, there: Collection[Labels]) -> dict[str, Any]:
        """Which labels were run and which were not, of the axes that were not run in full."""
        ran: list[str] = []
        missing: list[str] = []
        for place, labels in enumerate(self.axes.values()):
            known = {run[place] for run in there}
            if len(known) < len(labels):
                ran += [label for label in labels if label in known]
                missing += [label for label in labels if label not in known]
        apart = [label for label in self.apart if any(label in labels for labels in self.axes.values())]
        return {"ran": ran, "missing": missing, "apart": apart}

    def folder(self, run: Labels) -> str:
        """The name of a run's directory, unless runs are shared."""
        return re.sub(r"[^\w.]+", "-", " ".join(run).lower().replace("+", " plus ")).strip("-")

    def named(self, text: str) -> Named:
        """The labels in a text such as "gossip, 10 epochs"."""
        fixed: dict[str, str] = {}
        level = None
        for part in filter(None, map(str.strip, text.split(","))):
            axis = next((axis for axis, labels in self.axes.items() if part in labels), None)
            if axis is not None:
                fixed[axis] = part
            elif part in self.beside:
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
        there, wanted = {*runs}, self.runs(only)
        for base in dict.fromkeys(self._with(run, own.fixed) for run in wanted):
            found = [(self._with(base, name.fixed), name.level) for name in names]
            if all(run in there for run, _ in found):
                yield tuple(base[list(self.axes).index(axis)] for axis in open_axes), found

    def refuse_mixed(self, texts: Sequence[str]) -> None:
        """Refuse a comparison whose entries do not name labels of the same axes."""
        names = [self.named(text) for text in texts]
        fixes = {tuple(name.fixed) for name in names if name.level is None}
        if len(fixes) > 1 or (names and not fixes):
            raise RecipeError(
                f"{self._where}: {list(texts)} do not name labels of the same axes.",
                "Name one label of each axis that differs, in every entry.",
            )

    def _fixed(self, text: str) -> list[str]:
        found = self.named(text)
        if found.level is not None or not found.fixed:
            raise RecipeError(
                f"{text!r} is not a label of an axis.",
                "Labels are " + ", ".join(map(repr, self._run_labels)) + ".",
            )
        return list(found.fixed.values())

    def _with(self, run: Labels, fixed: Mapping[str, str]) -> Labels:
        return tuple(fixed.get(axis, label) for axis, label in zip(self.axes, run, strict=True))

    @property
    def _run_labels(self) -> list[str]:
        return [label for axis in self.axes.values() for label in axis]

    @property
    def _labels(self) -> list[str]:
        return self._run_labels + list(self.beside)

    def _check(self) -> None:
        """Refuse labels with two meanings or none."""
        if (self.paper is None) == (self.own is None):
            raise RecipeError(
                f"{self._where}: it has {'both [paper] and [own]' if self.paper else 'no [paper]'}.",
                "Write [paper] for what a paper shows, or [own] for results of your own.",
            )
        for label in self._labels:
            if "," in label or self._labels.count(label) > 1:
                problem = "has a comma" if "," in label else "is used twice"
                raise RecipeError(f"{self._where}: the label {label!r} {problem}.", "Choose another label.")
        if len({self.folder(run) for run in self.runs()}) < len(self.runs()):
            raise RecipeError(
                f"{self._where}: two labels differ only in punctuation.", "Make them differ in letters."
            )
        for text in self.apart:
            self._fixed(text)
        for text in self.quick.only:
            self.named(text)

    def _check_printed(self, paper: Iterable[str], of: Iterable[str], only: Sequence[str]) -> None:
        """Refuse a printed number that no row is about."""
        runs = {run for text in of for run in self.stands_for(text, self.runs(only))}
        for text in paper:
            if not self.stands_for(text, runs):
                raise RecipeError(
                    f"{self._where}: rows.paper has {text!r}, but no row is about it.",
                    "Name labels of a row's runs.",
                )
