"""Curves along an axis whose labels are numbers: a point for each run, after its last round.

x is the number, or a metric (`across`). With a `frontier`, points that no other point exceeds in both metrics
make a curve of their own: the Pareto frontier of two metrics of which more is better.
"""

from collections.abc import Sequence
from typing import Any

from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Reproduction, place
from sottovoce.experiments.runs.run import Run

FRONTIER = "Pareto frontier"


def label(form: Reproduction) -> str:
    """What x is."""
    return figures.name(form.across) if form.across else str(form.along)


def panels(form: Reproduction, results: Results) -> list[dict[str, Any]]:
    """The curves of every panel, with means over seeds; and the levels."""
    titles = dict.fromkeys(form.panel(run)[0] for run in results)
    titled: dict[str, dict[str, Any]] = {t: {"title": t, "curves": {}, "levels": {}} for t in titles}
    for run in sorted(results, key=lambda run: _number(form, run)):
        title, name = form.panel(run)
        panel = titled[title]
        panel["curves"].setdefault(name, []).append((_number(form, run), results[run]))
        for level in form.levels if form.lines is None else form.lines:
            if figures.measured(form, level, [run], results):
                values = figures.values(form, results[run], form.metric, "final", level)
                panel["levels"].setdefault(level, round(Figure.of(values).mean, 5))
    for panel in titled.values():
        order = dict.fromkeys(form.panel(run)[1] for run in form.runs())
        panel["curves"] = [
            _curve(form, name, panel["curves"][name]) for name in order if name in panel["curves"]
        ]
        if form.frontier:
            panel["curves"].append(_frontier(panel["curves"]))
    return list(titled.values())


def frontier(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points that no other exceeds in one number without being behind in the other, by x.

    >>> frontier([(1, 5), (2, 3), (1, 4), (3, 3), (2, 4)])
    [(1, 5), (2, 4), (3, 3)]
    """
    found: list[tuple[float, float]] = []
    for x, y in sorted(set(points), reverse=True):
        if not found or y > found[-1][1]:
            found.append((x, y))
    return found[::-1]


def _number(form: Reproduction, run: Sequence[str]) -> float:
    return place(run[list(form.axes).index(str(form.along))]) or 0.0


def _curve(form: Reproduction, name: str, runs: list[tuple[float, Sequence[Run]]]) -> dict[str, Any]:
    columns = [figures.values(form, seeds, form.metric, "final", None) for _, seeds in runs]
    x = [number for number, _ in runs]
    if form.across:
        x = [Figure.of(figures.values(form, seeds, form.across, "final", None)).mean for _, seeds in runs]
    drawn = {"name": name, "x": [round(v, 5) for v in x], "mean": [_mean(column) for column in columns]}
    if form.across:  # a band of a curve that turns back would hide it
        return drawn
    ends = {"low": [min(column) for column in columns], "high": [max(column) for column in columns]}
    return drawn | {end: [round(v, 5) for v in values] for end, values in ends.items()}


def _frontier(curves: list[dict[str, Any]]) -> dict[str, Any]:
    points = frontier([point for curve in curves for point in zip(curve["x"], curve["mean"], strict=True)])
    return {"name": FRONTIER, "x": [x for x, _ in points], "mean": [y for _, y in points]}


def _mean(values: Sequence[float]) -> float:
    return round(Figure.of(values).mean, 5)
