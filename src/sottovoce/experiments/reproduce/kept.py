"""Figures of runs, kept beside the pages, so that statements can be judged again without running anything.

`<paper>.jsonl` has a line for each run: its recipe, its result and its curve, column by column. It holds
no figures of single people, and not where a machine keeps its data.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce.errors import RunError, SottovoceError
from sottovoce.experiments.audit import written
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce.execute import Plan
from sottovoce.experiments.runs import fitting
from sottovoce.experiments.runs.directory import EVENTS, RECIPE, RESULT, RunDirectory
from sottovoce.experiments.runs.result import Result
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.sweep import Point


class _Kept(NamedTuple):
    recipe: Recipe
    line: dict[str, Any]


def keep(folder: Path, plan: Plan) -> None:
    """Add the runs of a plan, all of them complete; they replace older runs of the same recipe."""
    if not plan.form.kept:
        return
    path = _path(folder, plan)
    found = _read(path)
    for point in _points(plan):
        run = Run.open(point.place.path)
        line = {"recipe": run.recipe.document(), "result": _impersonal(run.figures), "curve": _columns(run)}
        if (audit := written.read(point.place.path)) is not None:
            line["audit"] = written.short(audit)
        found[run.recipe.hash()] = _Kept(run.recipe, line)
    ordered = sorted(found.values(), key=lambda kept: json.dumps(kept.line["recipe"], sort_keys=True))
    place = RunDirectory(folder)
    place.make()
    place.write(path.name, "".join(f"{json.dumps(kept.line)}\n" for kept in ordered))


def restore(folder: Path, plan: Plan) -> None:
    """Make the directories of kept runs that have none."""
    found = _read(_path(folder, plan)) if plan.form.kept else {}
    metrics = {kept.recipe.evaluate.metric for kept in found.values()}
    for point in _points(plan) if found else ():
        if point.place.begun:
            continue
        wanted = Recipe.read(plan.form.recipe, [*point.settings, f"run.seed={point.seed}"])
        hashes = [wanted.resolved(metric).hash() for metric in metrics]
        kept = next((found[each] for each in hashes if each in found), None) or _fitted(wanted, found)
        if kept is not None:
            _write(point.place, kept)


def _fitted(wanted: Recipe, found: Mapping[str, _Kept]) -> _Kept | None:
    """The kept run of a recipe that left something open, which data or a machine decided."""
    asked = wanted.run.seed, wanted.protocol.name
    alike = (one for one in found.values() if (one.recipe.run.seed, one.recipe.protocol.name) == asked)
    return next((one for one in alike if fitting.same(wanted, one.recipe)), None)


def _path(folder: Path, plan: Plan) -> Path:
    return folder / f"{plan.form.name.split('/')[0]}.jsonl"


def _points(plan: Plan) -> Iterator[Point]:
    return (point for points in plan.points.values() for point in points)


def _impersonal(result: Result) -> dict[str, Any]:
    """A result that does not say where this machine has its data."""
    data = result.data.model_copy(update={"source": "kept figures"})
    return result.model_copy(update={"data": data}).document()


def _columns(run: Run) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for event in run.curve for name in event)
    return {name: [event.get(name) for event in run.curve] for name in names}


def _write(place: RunDirectory, kept: _Kept) -> None:
    """Write the directory of a kept run; the result comes last, because it marks a run as complete."""
    names, columns = kept.line["curve"].keys(), kept.line["curve"].values()
    events = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    place.make()
    place.write(RECIPE, kept.recipe.dumps())
    place.write(EVENTS, "".join(f"{json.dumps(event)}\n" for event in events))
    if "audit" in kept.line:
        place.write(written.AUDIT, json.dumps(kept.line["audit"], indent=2))
    place.write(RESULT, json.dumps(kept.line["result"], indent=2))


def _read(path: Path) -> dict[str, _Kept]:
    """The kept runs, by the hash of each recipe as this version resolves it."""
    found = {}
    for number, text in enumerate(path.read_text("utf-8").splitlines() if path.exists() else (), 1):
        try:
            line = json.loads(text)
            recipe = Recipe.parse(line["recipe"]).resolved()
            lengths = {len(column) for column in line["curve"].values()}
            if len(lengths) != 1 or not isinstance(line["result"]["data"], dict):
                raise ValueError("its curve or its result is incomplete")
        except (ValueError, KeyError, TypeError, AttributeError, SottovoceError) as error:
            raise RunError(
                f"Line {number} of {path} is not a kept run: {error}.", "Remove that line, and run it again."
            ) from None
        found[recipe.hash()] = _Kept(recipe, line)
    return found
