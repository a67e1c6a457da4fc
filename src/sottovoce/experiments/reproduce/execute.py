"""From a reproduction to its runs, and to their summary.

Every run has a directory `<out>/<labels>/seed-<n>`, or one elsewhere if reproductions share it. Runs are
made as those of a sweep are: in parallel processes, kept when complete, resumed when interrupted, without
reports of their own. `reproduction.json` and `reproduction.html` are written last.
"""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sottovoce import __version__, files
from sottovoce.errors import RunError
from sottovoce.experiments.pages import plots
from sottovoce.experiments.reproduce import claims, figures, leaks, metrics, points, shared
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Labels, Reproduction, settings
from sottovoce.experiments.reproduce.sections import Rows
from sottovoce.experiments.runs import sweep
from sottovoce.experiments.runs.directory import RunDirectory
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.sweep import Point, Tell
from sottovoce.plural import count, listed

JSON, HTML = "reproduction.json", "reproduction.html"


class Plan(NamedTuple):
    """The runs of a reproduction, in full or reduced."""

    form: Reproduction
    quick: bool
    seeds: list[int]
    points: dict[Labels, list[Point]]
    """All runs; runs that measure only references are named by their directory."""
    beside: dict[Labels, Labels]
    """For shared runs: which other run measures the references of a run."""


def plan(
    form: Reproduction, out: Path, quick: bool, seeds: Sequence[int] | None, only: Sequence[str] = ()
) -> Plan:
    """Every run with every seed."""
    count = form.quick.seeds if quick else form.seeds
    chosen = list(seeds or range(form.first_seed, form.first_seed + count))
    made = Plan(form, quick, chosen, {}, {})
    for run in form.chosen(only, quick):
        changes = settings(form.set) + form.changes(run) + settings(form.quick.set if quick else {})
        own = form.under(run, chosen)
        if not form.shared:
            made.points[run] = _points(changes, out / form.folder(run), own)
            continue
        apart = shared.beside(form.recipe, changes)
        if apart is not None:
            folder = shared.place(form.recipe, apart, out)
            made.beside[run] = (folder.name,)
            known = made.points.get((folder.name,), [])
            if len(own) > len(known):  # runs with fewer seeds have the first ones
                made.points[folder.name,] = _points(apart, folder, own)
        changes.append(shared.ALONE)
        made.points[run] = _points(changes, shared.place(form.recipe, changes, out), own)
    runs = [points for run, points in made.points.items() if run not in made.beside.values()]
    metrics.check(form, (points[0].settings for points in runs))
    return made


def _points(changes: Sequence[str], folder: Path, seeds: Sequence[int]) -> list[Point]:
    """A run under every seed."""
    return [Point(tuple(changes), seed, RunDirectory(folder / f"seed-{seed}")) for seed in seeds]


def execute(plan: Plan, jobs: int, data_dir: Path | None, tell: Tell) -> Results:
    """Run what is not complete, and open all runs. Each is first checked, also against its directory."""
    planned = (point for points in plan.points.values() for point in points)
    every = [sweep.checked(point, plan.form.recipe, ()) for point in planned]
    failures = sweep.execute(every, plan.form.recipe, (), jobs, data_dir, tell)
    if failures:
        told = listed([f"{failure.point.place.path}: {failure.reason}" for failure in failures], between="; ")
        raise RunError(
            f"{len(failures)} of {count(len(every), 'run')} failed. {told}",
            "The same command tries them again.",
        )
    if plan.form.audit:
        _audit(every, data_dir)
    opened = {run: [Run.open(point.place.path) for point in points] for run, points in plan.points.items()}
    for run, apart in plan.beside.items():
        for one, other in zip(opened[run], opened[apart], strict=False):
            update = {
                "references": other.references,
                "tails_beside": one.figures.tails_beside | other.figures.tails_beside,
                "categories_beside": one.figures.categories_beside | other.figures.categories_beside,
            }
            one.figures = one.figures.model_copy(update=update)
    return {run: runs for run, runs in opened.items() if run not in plan.beside.values()}


def _audit(points: Sequence[Point], data_dir: Path | None) -> None:
    """Audit the runs that are not audited yet."""
    from sottovoce.experiments.audit.audit import audit
    from sottovoce.experiments.audit.written import AUDIT

    for point in points:
        if not files.exists(point.place.path / AUDIT):
            audit(point.place.path, data_dir=data_dir)


def summarise(plan: Plan, results: Results) -> dict[str, Any]:
    """What `reproduction.json` holds: the rows and claims of the file, and the curves.

    A reduced version decides nothing: every `holds` is null.
    """
    form = plan.form
    found: dict[str, Any] = {
        "experiment": form.name,
        "quick": plan.quick,
        "seeds": plan.seeds,
        "confidence": figures.CONFIDENCE,
        "fewer": {label: n for label, n in form.fewer.items() if any(label in run for run in results)},
        **form.extent(results),
        "paper": form.paper and form.paper.model_dump(),
        **({"own": form.own.model_dump()} if form.own else {}),
        "rows": [row for rows in form.rows for row in _rows(form, rows, results)],
        "claims": [claims.judge(form, claim, results) for claim in form.claims],
        "tuned": form.tuned,
        "notes": [*form.notes, *_diverged(results)],
        "metric": form.metric,
        "x": points.label(form) if form.along else form.x,
        "panels": points.panels(form, results) if form.along else _panels(form, results),
        "people": [_people(form, metric, results) for metric in form.people],
        **({"leaks": leaks.tables(results)} if form.audit else {}),
        **({"disclosures": _disclosures(form, results)} if form.disclosures else {}),
        "data": _data(results),
        "version": __version__,
    }
    if plan.quick:
        findings = (finding for claim in found["claims"] for finding in claim["findings"])
        for judged in itertools.chain(found["rows"], found["claims"], findings):
            judged["holds"] = None
    return found


def write(summary: Mapping[str, Any], out: Path) -> None:
    """Write `reproduction.json` and `reproduction.html`, each entirely or not at all."""
    from sottovoce.experiments.reproduce.page import render

    place = RunDirectory(out)
    place.make()
    place.write(JSON, dumps(summary))
    place.write(HTML, render(summary))


def dumps(summary: Mapping[str, Any]) -> str:
    """JSON with a line for each row, claim and curve, so that two versions can be compared."""
    text = json.dumps(summary, indent=1, ensure_ascii=False)
    return re.sub(r"\[[^][{}\"]*\]", lambda numbers: " ".join(numbers.group().split()), text) + "\n"


def _rows(form: Reproduction, rows: Rows, results: Results) -> Iterator[dict[str, Any]]:
    metric = rows.metric or form.metric
    per = list(form.axes) if rows.per is None else rows.per
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
                **({"panel": form.panel(run)[0]} if form.own else {}),
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
    """The number that the paper printed for a run, or for a level beside it."""
    about = (text for text in rows.paper if form.named(text).level == level and form.stands_for(text, [run]))
    return next((rows.paper[text] for text in about), None)


def _holds(ours: float, paper: float | None, tolerance: float | None) -> bool | None:
    return None if paper is None or tolerance is None else abs(ours - paper) <= tolerance


def _panels(form: Reproduction, results: Results) -> list[dict[str, Any]]:
    """The curves of every panel: mean, lowest and highest over seeds; and the levels."""
    panels: dict[str, dict[str, Any]] = {}
    for run, seeds in results.items():
        title, name = form.panel(run)
        panel = panels.setdefault(title, {"title": title, "curves": [], "levels": {}})
        curve = _curve(form, seeds)
        if any(curve["x"]):  # runs that send nothing have no curve over messages or megabytes
            panel["curves"].append({"name": name, **curve})
        for level in form.levels if form.lines is None else form.lines:
            if not figures.measured(form, level, [run], results):
                continue
            mean = Figure.of(figures.values(form, seeds, form.metric, "final", level)).mean
            panel["levels"].setdefault(level, round(mean, 5))
    return list(panels.values())


def _people(form: Reproduction, metric: str, results: Results) -> dict[str, Any]:
    """The distribution of a metric over people, all seeds together, a picture for each panel."""
    panels: dict[str, dict[str, Any]] = {}
    for run, seeds in results.items():
        title, name = form.panel(run)
        values = np.concatenate([figures.of_everybody(one, metric) for one in seeds])
        drawn = plots.cumulative({name: values})[0]
        points = {"x": [round(x, 5) for x in drawn.x], "mean": [round(y, 5) for y in drawn.mean]}
        panel = panels.setdefault(title, {"title": title, "curves": []})
        panel["curves"].append({"name": name, **points})
    return {"metric": metric, "panels": list(panels.values())}


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


def _disclosures(form: Reproduction, results: Results) -> list[dict[str, Any]]:
    """What leaves a device: all that is the same, with the names of curves. Panels do not differ in it."""
    found: dict[tuple[tuple[str, str, str], ...], list[str]] = {}
    for run, runs in results.items():
        seen = tuple((one.what, one.to, one.tells) for one in runs[0].figures.privacy)
        names, name = found.setdefault(seen, []), form.panel(run)[1]
        names += [name] * (name not in names)
    return [
        {"names": names, "seen": [dict(zip(("what", "to", "tells"), one, strict=True)) for one in seen]}
        for seen, names in found.items()
    ]


def _diverged(results: Results) -> list[str]:
    """A note on the runs whose models are not finite at the end."""
    lost = [f"{', '.join(run)} (seed {one.figures.seed})" for run, runs in results.items() for one in runs
            if one.failed]  # fmt: skip
    return [f"Diverged: {'; '.join(lost)}."] if lost else []


def _data(results: Results) -> list[dict[str, Any]]:
    """The data sets, each once, with their terms, but not where this machine keeps them."""
    found = {}
    for runs in results.values():
        data = runs[0].figures.data
        found[data.name] = data.model_dump(exclude_unset=True, exclude={"source", "notes"})
    return list(found.values())
