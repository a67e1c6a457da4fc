"""From a reproduction to its runs, and to what they come to.

Every run has a directory `<out>/<labels>/seed-<n>`, made by the machinery of sweeps: in parallel
processes, kept when complete, resumed when interrupted. Runs of a reproduction that shares them lie
in `<out>/../runs/<what they are>/seed-<n>`, so that a table and a figure that need the same run
have it once. `reproduction.json` and `reproduction.html` are written last.
"""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce import __version__
from sottovoce.errors import RunError
from sottovoce.experiments import sweep
from sottovoce.experiments.directory import RunDirectory
from sottovoce.experiments.outcome import Run
from sottovoce.experiments.recipe import Recipe
from sottovoce.experiments.reproduce import claims, figures
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Labels, Reproduction, Rows, settings
from sottovoce.experiments.sweep import Point, Tell

JSON, HTML = "reproduction.json", "reproduction.html"


class Plan(NamedTuple):
    """What is to be run for a reproduction, in full or reduced."""

    form: Reproduction
    quick: bool
    seeds: list[int]
    points: dict[Labels, list[Point]]


def plan(
    form: Reproduction, out: Path, quick: bool, seeds: Sequence[int] | None, only: Sequence[str] = ()
) -> Plan:
    """Every run with every seed; each is checked, also against what is in its directory."""
    chosen = list(seeds or range(1, 1 + (form.quick.seeds if quick else form.seeds)))
    points = {}
    for run in form.chosen(only, quick):
        changes = tuple(form.changes(run) + settings(form.quick.set if quick else {}))
        folder = _shared(form, changes, out) if form.shared else out / form.folder(run)
        places = [RunDirectory(folder / f"seed-{seed}") for seed in chosen]
        made = map(Point, itertools.repeat(changes), chosen, places)
        points[run] = [sweep.checked(point, form.recipe, settings(form.set)) for point in made]
    return Plan(form, quick, chosen, points)


def _shared(form: Reproduction, changes: Sequence[str], out: Path) -> Path:
    """Where a run lies that other reproductions may need too: by all that decides it, except the seed."""
    recipe = Recipe.load(form.recipe, [*settings(form.set), *changes, "run.seed=0"])
    name = "-".join((recipe.protocol.label, recipe.model.label, str(recipe.data.name)))
    return out.absolute().parent / "runs" / f"{name}-{recipe.resolved().hash()[:12]}"


def execute(plan: Plan, jobs: int, data_dir: Path | None, tell: Tell) -> Results:
    """Run what is not complete, and open all runs."""
    every = [point for points in plan.points.values() for point in points]
    failures = sweep.execute(every, plan.form.recipe, settings(plan.form.set), jobs, data_dir, tell)
    if failures:
        told = "; ".join(f"{failure.point.place.path}: {failure.reason}" for failure in failures)
        raise RunError(
            f"{len(failures)} of {len(every)} runs failed. {told}", "The same command tries them again."
        )
    return {run: [Run.open(point.place.path) for point in points] for run, points in plan.points.items()}


def summarise(plan: Plan, results: Results) -> dict[str, Any]:
    """What `reproduction.json` holds: the rows and claims of the file, and the curves."""
    form = plan.form
    return {
        "experiment": form.name,
        "quick": plan.quick,
        "seeds": plan.seeds,
        **_extent(form, results),
        "paper": form.paper.model_dump(),
        "rows": [row for rows in form.rows for row in _rows(form, rows, results)],
        "claims": [claims.judge(form, claim, results) for claim in form.claims],
        "tuned": form.tuned,
        "notes": form.notes,
        "metric": form.metric,
        "x": form.x,
        "panels": _panels(form, results),
        "data": _data(results),
        "version": __version__,
    }


def write(summary: Mapping[str, Any], out: Path) -> None:
    """Write `reproduction.json` and `reproduction.html`, each entirely or not at all."""
    from sottovoce.experiments.reproduce.page import render

    out.mkdir(parents=True, exist_ok=True)
    place = RunDirectory(out)
    place.write(JSON, dumps(summary))
    place.write(HTML, render(summary))


def dumps(summary: Mapping[str, Any]) -> str:
    """JSON with a line for each row, claim and curve, so that two versions can be compared."""
    text = json.dumps(summary, indent=1, ensure_ascii=False)
    return re.sub(r"\[[^][{}\"]*\]", lambda numbers: " ".join(numbers.group().split()), text) + "\n"


def _rows(form: Reproduction, rows: Rows, results: Results) -> Iterator[dict[str, Any]]:
    metric, per = rows.metric or form.metric, rows.per or list(form.axes)
    there = [run for run in form.runs(rows.only) if run in results]
    for text in rows.of:
        level = form.named(text).level
        shown: dict[Labels, Labels] = {}
        for run in figures.measured(form, level, form.stands_for(text, there), results):
            shown.setdefault(tuple(itertools.compress(run, (axis in per for axis in form.axes))), run)
        for labels, run in shown.items():
            figure = Figure.of(figures.values(form, results[run], metric, rows.at, level))
            paper = _printed(form, rows, run, level)
            said = [None if v is None else figures.say(v, metric, rows.at) for v in (paper, rows.tolerance)]
            yield {
                "name": ", ".join([*labels, *([level] if level else [])]),
                "metric": metric,
                "at": figures.say_at(rows.at, form.x),
                "paper": paper,
                "ours": figure.mean if math.isfinite(figure.mean) else None,
                "std": figure.std,
                "tolerance": rows.tolerance,
                "holds": _holds(figure.mean, paper, rows.tolerance),
                "said": [said[0], figures.say_over(figure, metric, rows.at), said[1]],
            }


def _printed(form: Reproduction, rows: Rows, run: Labels, level: str | None) -> float | None:
    """What the paper printed about a run, or about a level beside it."""
    about = (text for text in rows.paper if form.named(text).level == level and form.stands_for(text, [run]))
    return next((rows.paper[text] for text in about), None)


def _holds(ours: float, paper: float | None, tolerance: float | None) -> bool | None:
    return None if paper is None or tolerance is None else abs(ours - paper) <= tolerance


def _panels(form: Reproduction, results: Results) -> list[dict[str, Any]]:
    """The curves of every panel: mean, lowest and highest over seeds, and the levels beside them."""
    panels: dict[Labels, dict[str, Any]] = {}
    inside = [axis in form.panels for axis in form.axes]
    for run, seeds in results.items():
        title = tuple(itertools.compress(run, inside))
        name = ", ".join(label for label, shown in zip(run, inside, strict=True) if not shown)
        panel = panels.setdefault(title, {"title": ", ".join(title), "curves": [], "levels": {}})
        panel["curves"].append({"name": name, **_curve(form, seeds)})
        for level in form.levels if form.lines is None else form.lines:
            if not figures.measured(form, level, [run], results):
                continue
            mean = Figure.of(figures.values(form, seeds, form.metric, "final", level)).mean
            panel["levels"].setdefault(level, round(mean, 5))
    return list(panels.values())


def _curve(form: Reproduction, seeds: Sequence[Run]) -> dict[str, Any]:
    """The rounds, or hours, in which the metric was finite under every seed."""
    table = [{event["round"]: event[form.metric] for event in run.curve} for run in seeds]
    shared = [r for r in table[0] if all(column.get(r) is not None for column in table)]
    columns = [[column[r] for column in table] for r in shared]
    where = dict(zip(table[0], figures.places(form, seeds[0]), strict=True))
    return {
        "x": [round(where[r], 3) for r in shared],
        "mean": [round(sum(column) / len(column), 5) for column in columns],
        "low": [round(min(column), 5) for column in columns],
        "high": [round(max(column), 5) for column in columns],
    }


def _extent(form: Reproduction, results: Results) -> dict[str, Any]:
    """Which labels of axes were run, where not all were, and which were not."""
    ran: list[str] = []
    missing: list[str] = []
    for place, labels in enumerate(form.axes.values()):
        there = {run[place] for run in results}
        if len(there) < len(labels):
            ran += [label for label in labels if label in there]
            missing += [label for label in labels if label not in there]
    return {"ran": ran, "missing": missing, "apart": form.apart}


def _data(results: Results) -> list[dict[str, Any]]:
    """The data sets, each once, with their terms; not where this machine keeps them."""
    found = {}
    for runs in results.values():
        data = runs[0].result["data"]
        found[data["name"]] = {key: value for key, value in data.items() if key != "source"}
    return list(found.values())
