"""Which runs are one method under several seeds, and whether methods can be compared."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sottovoce import files
from sottovoce.errors import RunError
from sottovoce.experiments.report.naming import called, decisive
from sottovoce.experiments.runs.directory import RECIPE, RESULT
from sottovoce.experiments.runs.nodes import PREFIX
from sottovoce.experiments.runs.run import Run
from sottovoce.plural import count

People = dict[str, NDArray[np.float64]]
_DATA = ("name", "people", "items", "interactions")


class Subject(NamedTuple):
    """A method, a baseline or a central reference, measured once for each seed."""

    name: str
    figures: dict[int, dict[str, float | None]]
    """Overall metrics by seed."""
    people: dict[int, People]
    """Everybody's metrics by seed, NaN for none; empty if only overall figures are kept."""

    def values(self, metric: str) -> list[float | None]:
        """Its overall figure under every seed."""
        return [figures.get(metric) for figures in self.figures.values()]

    def mean(self, metric: str) -> float | None:
        """The mean over seeds; None if a run diverged."""
        values = self.values(metric)
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if known and len(known) == len(values) else None

    def std(self, metric: str) -> float | None:
        """The standard deviation over seeds; None for a single seed."""
        values = [value for value in self.values(metric) if value is not None]
        return float(np.std(values, ddof=1)) if len(values) > 1 else None

    def everybody(self, metric: str, seeds: Iterable[int] | None = None) -> NDArray[np.float64]:
        """Each person's metric, averaged over seeds; of an RMSE, the root of the mean square."""
        chosen = [self.people[seed][metric] for seed in (seeds or self.people) if metric in self.people[seed]]
        if not chosen:
            return np.empty(0)
        columns = np.array(chosen) ** 2 if metric == "rmse" else np.array(chosen)
        known = ~np.isnan(columns)
        count = known.sum(axis=0)
        means = np.where(count > 0, np.where(known, columns, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
        return np.sqrt(means) if metric == "rmse" else means


class Method(NamedTuple):
    """Runs whose recipes differ only in the seed, sorted by seed."""

    subject: Subject
    runs: tuple[Run, ...]
    settings: dict[str, Any]
    nodes: Mapping[int, People] = MappingProxyType({})
    """What each node did, by seed."""

    @property
    def name(self) -> str:
        return self.subject.name


class Study(NamedTuple):
    """All runs of a report."""

    methods: tuple[Method, ...]
    baselines: tuple[Subject, ...]
    references: tuple[Subject, ...]
    metric: str
    metrics: tuple[str, ...]
    history: NDArray[np.float64] | None
    """How many interactions of each person a model learnt from; None if the runs do not say."""
    notes: tuple[str, ...]

    @property
    def seeds(self) -> list[int]:
        return sorted({seed for method in self.methods for seed in method.subject.figures})

    @property
    def subjects(self) -> list[Subject]:
        """Methods, popularity, random and references."""
        return [*(method.subject for method in self.methods), *self.baselines, *self.references]


def study(paths: Sequence[Path]) -> Study:
    """Read runs, or all complete runs below a directory, and group them into methods."""
    places, notes = _places(paths)
    return of([Run.open(place) for place in places], notes)


def of(runs: Sequence[Run], notes: Sequence[str] = ()) -> Study:
    """Group runs into methods; `notes` come first among the notes of the study."""
    notes = list(notes)
    metrics = _comparable(runs)
    frames = [run.people() for run in runs]
    for run, frame in zip(runs, frames, strict=True):
        if not frame["user"].equals(frames[0]["user"]):
            raise _refusal(runs[0], run, "they are about different people")
    groups: dict[str, dict[int, int]] = {}
    settings: dict[str, dict[str, Any]] = {}
    for n, run in enumerate(runs):
        own = decisive(run.recipe)
        key = json.dumps(own, sort_keys=True)
        settings[key] = own
        first = groups.setdefault(key, {}).setdefault(run.figures.seed, n)
        if first != n:
            one, other = _told_apart(*(Path(str(runs[at].directory)) for at in (n, first)))
            notes.append(f"{one} repeats {other} and counts once.")
    names = called(list(settings.values()), runs[0].recipe)
    methods = []
    for name, (key, group) in zip(names, groups.items(), strict=True):
        order = sorted(group)
        figures = {seed: runs[group[seed]].metrics for seed in order}
        people = {seed: _columns(frames[group[seed]], "") for seed in order}
        nodes = {seed: _columns(frames[group[seed]], PREFIX) for seed in order}
        under = tuple(runs[group[seed]] for seed in order)
        methods.append(Method(Subject(name, figures, people), under, settings[key], nodes))
    versions = sorted({run.figures.version for run in runs})
    if len(versions) > 1:
        notes.append(f"The runs are of several versions of Sottovoce: {', '.join(versions)}.")
    common = set.intersection(*(set(method.subject.figures) for method in methods))
    if len(methods) > 1 and any(set(method.subject.figures) != common for method in methods):
        seeds = ", ".join(map(str, sorted(common))) or "none"
        notes.append(f"Methods were run under different seeds (in common: {seeds}).")
    notes += dict.fromkeys(note for run in runs for note in run.notes)
    wanted = runs[0].figures.metric
    history = frames[0]["history"].to_numpy() if "history" in frames[0].columns else None
    return Study(
        tuple(methods),
        tuple(_beside(name, name, runs, frames) for name in runs[0].baselines),
        tuple(
            _beside(name, f"{name} (central)", runs, frames)
            for name in dict.fromkeys(name for run in runs for name in run.references)
        ),
        wanted if wanted in metrics else metrics[0],
        tuple(metrics),
        history,
        tuple(notes),
    )


def _places(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """Run directories, each once, and notes about those that are left out."""
    found: dict[Path, Path] = {}
    notes = []
    for path in paths:
        below = [*path.glob(f"*/{RECIPE}"), *path.glob(f"*/*/{RECIPE}")] if files.is_folder(path) else []
        if files.exists(path / RECIPE) or not below:
            found.setdefault(path.resolve(), path)
            continue
        complete = [place.parent for place in below if files.exists(place.with_name(RESULT))]
        if not complete:
            raise RunError(f"No run in {path} is complete.", "Start the same sweep again: it continues.")
        for place in sorted(complete, key=_natural):
            found.setdefault(place.resolve(), place)
        if len(below) > len(complete):
            left = len(below) - len(complete)
            are = "is" if left == 1 else "are"
            text = f"{left} of {count(len(below), 'run')} in {path.resolve().name}"
            notes.append(f"{text} {are} not complete and {are} left out.")
    return list(found.values()), notes


def _told_apart(one: Path, other: Path) -> tuple[str, str]:
    """The ends of two paths, just long enough to differ; a page shows as few folders as possible."""
    ends = [path.resolve().parts for path in (one, other)]
    length = next((n for n in range(1, min(map(len, ends))) if ends[0][-n:] != ends[1][-n:]), 1)
    first, second = (str(Path(*end[-length:])) for end in ends)
    return first, second


def _natural(path: Path) -> list[Any]:
    """A sort key by which `factors=8` comes before `factors=16`."""
    return [
        (part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", str(path))
    ]


def _columns(frame: pl.DataFrame, prefix: str) -> People:
    """The columns of one subject: those of a method have no prefix."""
    return {
        column.removeprefix(prefix): frame[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        for column in frame.columns
        if column.startswith(prefix)
        and (prefix == PREFIX or " " not in column.removeprefix(prefix))
        and column not in ("user", "history")
    }


def _beside(name: str, called: str, runs: Sequence[Run], frames: Sequence[pl.DataFrame]) -> Subject:
    """A baseline or reference, once for each seed, because it does not depend on the method."""
    figures, people = {}, {}
    for run, frame in zip(runs, frames, strict=True):
        seed, given = run.figures.seed, run.baselines | run.references
        if name in given and seed not in figures:
            figures[seed], people[seed] = given[name], _columns(frame, f"{name} ")
    order = sorted(figures)
    return Subject(called, {s: figures[s] for s in order}, {s: people[s] for s in order})


def _comparable(runs: Sequence[Run]) -> list[str]:
    """The metrics that all runs have; an error if the runs cannot be compared."""
    first = runs[0]
    of_seed: dict[int, Run] = {}
    for run in runs:
        twin = of_seed.setdefault(run.figures.seed, run)
        ours, theirs = ({k: getattr(r.figures.data, k) for k in _DATA} for r in (run, first))
        if ours != theirs:
            differences = [f"{k}: {theirs[k]} and {ours[k]}" for k in _DATA if ours[k] != theirs[k]]
            raise _refusal(first, run, f"they are about different data ({'; '.join(differences)})")
        if run.recipe.split != first.recipe.split or run.figures.split != twin.figures.split:
            raise _refusal(twin, run, "people's data is split differently")
        if run.recipe.evaluate.candidates != first.recipe.evaluate.candidates:
            raise _refusal(first, run, "held-out items are ranked among different candidates")
    common = [metric for metric in first.metrics if all(metric in run.metrics for run in runs)]
    if not common:
        other = next(run for run in runs if not set(run.metrics) & set(first.metrics))
        raise _refusal(first, other, "they have no metric in common")
    return common


def _refusal(one: Run, other: Run, why: str) -> RunError:
    return RunError(
        f"{one.directory} and {other.directory} cannot be compared: {why}.", "Report on them separately."
    )
