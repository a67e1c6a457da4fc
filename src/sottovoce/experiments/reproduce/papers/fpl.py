"""Statements of Anelli et al. (2020, Sections 5.1 to 5.4) that single comparisons do not tell.

They are about π, what is recommended as π grows, what it costs, and which categories gain. Limits are ours.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from sottovoce.experiments.reproduce import cost, figures, points
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Labels, Reproduction, place
from sottovoce.experiments.reproduce.papers import Finding, statement
from sottovoce.experiments.runs.run import Run

PRECISION, COVERED, SHIFT = "precision@10", "items-covered@10", "bias-disparity@10"
CHEAP, MORE = ("sFPL", "pFPL"), ("sFPL+", "pFPL+")
"""One triple in a training, and X⁺ / |U|."""
CATEGORIES = (
    "Arts & Entertainment",
    "College & University",
    "Food",
    "Nightlife Spot",
    "Outdoors & Recreation",
    "Professional & Other Places",
    "Residence",
    "Shop & Service",
    "Travel & Transport",
)
"""The columns of Table 4, in its order."""
MOST = 7
"""Of nine categories, at least so many are most of them."""


@statement("fpl.less_than_everything")
def less_than_everything(form: Reproduction, results: Results) -> list[Finding]:
    """The π that is best on validation data is below 1, and on test data it is ahead of π = 1."""
    found = []
    for name, runs in _along(form, results, "validation"):
        means = {run: _mean(form, results[run], form.metric) for run in runs}
        best = max(runs, key=lambda run: means[run])
        number, tested = _number(form, best), _on(form, best, "test")
        told = f"{name}: on validation data π = {number:g} is best ({_say(form, Figure(means[best]))})"
        whole = next((run for run in runs if _number(form, run) == 1), None)
        if whole is None or tested not in results or _on(form, whole, "test") not in results:
            found.append(Finding(f"{told}; not run on test data", None))
        elif number == 1:
            found.append(Finding(told, None if len(results[tested]) < 2 else False))
        else:
            whole = _on(form, whole, "test")
            lead = _lead(form, results[tested], results[whole])
            ahead = f"{'ahead' if lead.mean > 0 else 'behind'} by {_say(form, abs(lead))}"
            single = ", and a single seed decides nothing" if lead.clear is None else ""
            both = " against ".join(_say(form, _figure(form, results[run])) for run in (tested, whole))
            found.append(Finding(f"{told}; on test data {both} with π = 1 ({ahead}{single})", lead.clear))
    return found


@statement("fpl.coverage_moves_more")
def coverage_moves_more(form: Reproduction, results: Results) -> list[Finding]:
    """Over all π, the number of items covered varies more with more local computation."""
    ranges = {}
    for name, runs in _along(form, results, "test"):
        columns = np.array([figures.values(form, results[run], COVERED, "final", None) for run in runs])
        ranges[name] = (columns.max(axis=0) - columns.min(axis=0)).tolist()
    found = []
    for cheap, more in zip(CHEAP, MORE, strict=True):
        if {cheap, more} <= ranges.keys():
            gain = Figure.of([b - a for a, b in zip(ranges[cheap], ranges[more], strict=True)])
            told = (f"{name} {figures.say_over(Figure.of(ranges[name]), COVERED)}" for name in (more, cheap))
            found.append(Finding(f"items covered vary by: {', '.join(told)}", gain.clear))
    return found


@statement("fpl.frontier")
def frontier(form: Reproduction, results: Results) -> list[Finding]:
    """Which runs no other run exceeds in both precision and 1 / CCE: some of both kinds."""
    at = {
        (
            _mean(form, results[run], cost.RECIPROCAL),
            _mean(form, results[run], PRECISION),
        ): f"{name} with π = {_number(form, run):g}"
        for name, runs in _along(form, results, "test")
        for run in runs
    }
    front = points.frontier(list(at))
    names = [at[point] for point in front]
    cheap = [name for name in names if name.split()[0] in CHEAP]
    told = "; ".join(
        f"{name} ({figures.say(y, PRECISION)})" for name, (_, y) in zip(names, front, strict=True)
    )
    said = f"on the frontier, {len(cheap)} of {len(names)} with one triple: {told}"
    single = any(len(runs) < 2 for runs in results.values())
    return [Finding(said, None if single else 0 < len(cheap) < len(names))]


@statement("fpl.same_as_central")
def same_as_central(form: Reproduction, results: Results) -> list[Finding]:
    """Every method of FPL favours and neglects the categories that BPR-MF does, at least MOST of them."""
    wanted = _shifts(form, results, "BPR-MF")
    found = []
    for method in (*CHEAP, *MORE):
        mine = _shifts(form, results, method)
        if mine and wanted:
            same = [bool(np.sign(a) == np.sign(b)) for a, b in zip(mine, wanted, strict=True)]
            others = [name for name, equal in zip(CATEGORIES, same, strict=True) if not equal]
            but = f", not {' and '.join(others)}" if others else ""
            found.append(Finding(f"{method}: {sum(same)} of {len(same)} as BPR-MF{but}", sum(same) >= MOST))
    return found


@statement("fpl.as_printed")
def as_printed(form: Reproduction, results: Results) -> list[Finding]:
    """Shifts have the signs, and about the order, that Table 4 prints for Brazil."""
    names = dict.fromkeys(text for rows in form.rows for text in rows.paper)
    found = []
    for name in names:
        mine = _shifts(form, results, name)
        metrics = [f"{SHIFT}: {category}" for category in CATEGORIES]
        asked = {rows.metric: rows.paper[name] for rows in form.rows if name in rows.paper}
        if not mine or not set(metrics) <= asked.keys():
            continue
        printed = [asked[metric] for metric in metrics]
        same = sum(np.sign(a) == np.sign(b) for a, b in zip(mine, printed, strict=True))
        told = f"{name}: {same} of 9 signs as printed for Brazil"
        if len(set(mine)) > 1:
            order = float(np.corrcoef(_ranks(mine), _ranks(printed))[0, 1])
            told += f", rank correlation {order:.2f}".replace("-", "−")
        found.append(Finding(told, bool(same >= MOST)))
    return found


def _along(form: Reproduction, results: Results, part: str) -> Iterator[tuple[str, list[Labels]]]:
    """For each method, its runs on a part of the data, by π."""
    methods = list(form.axes).index("method")
    for method in form.axes["method"]:
        runs = [run for run in results if run[methods] == method and (part in run or "part" not in form.axes)]
        if runs:
            yield method, sorted(runs, key=lambda run: _number(form, run))


def _number(form: Reproduction, run: Labels) -> float:
    return place(run[list(form.axes).index(str(form.along))]) or 0.0


def _on(form: Reproduction, run: Labels, part: str) -> Labels:
    return tuple(part if axis == "part" else label for axis, label in zip(form.axes, run, strict=True))


def _figure(form: Reproduction, runs: Sequence[Run]) -> Figure:
    return Figure.of(figures.values(form, runs, form.metric, "final", None))


def _mean(form: Reproduction, runs: Sequence[Run], metric: str) -> float:
    return Figure.of(figures.values(form, runs, metric, "final", None)).mean


def _lead(form: Reproduction, ours: Sequence[Run], theirs: Sequence[Run]) -> Figure:
    columns = (figures.values(form, runs, form.metric, "final", None) for runs in (ours, theirs))
    return Figure.of([a - b for a, b in zip(*columns, strict=False)])


def _say(form: Reproduction, figure: Figure) -> str:
    return figures.say_over(figure, form.metric)


def _shifts(form: Reproduction, results: Results, name: str) -> list[float]:
    """The mean bias disparity of each category, of a method or a level; none if it was not run."""
    named = form.named(name)
    runs = [run for run in form.stands_for(name, results) if named.fixed or named.level]
    runs = list(figures.measured(form, named.level, runs, results))
    if not runs:
        return []
    metrics = (f"{SHIFT}: {category}" for category in CATEGORIES)
    columns = (figures.values(form, results[runs[0]], metric, "final", named.level) for metric in metrics)
    return [Figure.of(column).mean for column in columns]


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value; the mean rank of equal ones."""
    column = np.array(values)
    return [float((column < value).sum() + (column <= value).sum()) / 2 for value in values]
