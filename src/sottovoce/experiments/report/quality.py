"""How good: curves over rounds, figures with intervals, the distribution over people, and bytes."""

import math
from collections.abc import Mapping

import numpy as np

from sottovoce.experiments import plots
from sottovoce.experiments.markup import Html, element
from sottovoce.experiments.plots import Series
from sottovoce.experiments.report import words
from sottovoce.experiments.report.chance import Difference, interval
from sottovoce.experiments.report.layout import Cell, Column, Figure, Grid, Section, Table
from sottovoce.experiments.report.methods import Method, Study, Subject
from sottovoce.metrics import lower_is_better

Ends = Mapping[tuple[str, str], tuple[float, float] | None]
"""The interval of each subject and metric."""


def over_rounds(study: Study) -> Section:
    """The curve of each metric; the main one first, and beside it one of another kind."""
    main = study.metric
    kind, _, k = main.partition("@")
    others = [metric for metric in study.metrics if metric != main]
    partner = [m for m in others if m.partition("@")[2] == k and m.partition("@")[0] != kind][:1]
    rest = [metric for metric in others if metric not in partner]
    grids = [Grid([_curve(study, metric, small=False) for metric in (main, *partner)])]
    if rest:
        grids.append(Grid([_curve(study, metric, small=True) for metric in rest], small=True))
    return Section(f"Quality over {_clock(study)[1]}", grids)


def _clock(study: Study) -> tuple[str, str]:
    """What curves run over, as events and as people call it: hours, if all runs were in virtual time."""
    timed = all("hours" in run.result for method in study.methods for run in method.runs)
    return ("hours", "hours") if timed else ("round", "rounds")


def _curve(study: Study, metric: str, small: bool) -> Figure:
    key, clock = _clock(study)
    series = [_over_seeds(method, metric, key) for method in study.methods]
    levels = {s.name: v for s in (*study.baselines, *study.references) if (v := s.mean(metric)) is not None}
    name, identity = words.name(metric), metric.replace("@", "-")
    caption = " ".join(filter(None, [words.explained(metric), "" if small else _band(study), _lost(series)]))
    drawn = plots.curves(identity, name, series, levels, x=clock, percent=words.percent(metric), small=small)
    return Figure(identity, f"{name} over {clock}", drawn, caption, key, metric, series)


def _over_seeds(method: Method, metric: str, x: str, per: float = 1.0) -> Series:
    """Mean and range over seeds, at the rounds that were evaluated under all of them."""
    curves = [{event["round"]: event for event in run.curve} for run in method.runs]
    rounds = sorted(set.intersection(*(set(curve) for curve in curves)))
    known = [r for r in rounds if all(curve[r][metric] is not None for curve in curves)]
    values = np.array([[curve[r][metric] for curve in curves] for r in known]).reshape(
        len(known), len(curves)
    )
    places = [float(np.mean([curve[r][x] for curve in curves])) / per for r in known]
    mean = values.mean(axis=1).tolist()
    if len(curves) == 1:
        return Series(method.name, places, mean)
    return Series(method.name, places, mean, values.min(axis=1).tolist(), values.max(axis=1).tolist())


def _band(study: Study) -> str:
    counts = {len(method.runs) for method in study.methods}
    if counts == {1}:
        return ""
    seeds = (
        f"{max(counts)} seeds"
        if len(counts) == 1
        else f"the seeds of a method, {min(counts)} to {max(counts)}"
    )
    return f"Lines are means, bands reach from the lowest to the highest of {seeds}."


def _lost(series: list[Series]) -> str:
    lost = [one.name for one in series if not one.x]
    return f"Never finite: {'; '.join(lost)}." if lost else ""


def figures(study: Study, best: Subject | None, differences: Mapping[str, Difference]) -> Section:
    """The main metric with what may be chance, and all metrics."""
    ends = {(s.name, metric): interval(s, metric) for s in study.subjects for metric in study.metrics}
    tables = [_main(study, ends, best, differences)]
    return Section("Figures", tables if len(study.metrics) == 1 else [*tables, _all(study, ends)])


def _main(study: Study, ends: Ends, best: Subject | None, differences: Mapping[str, Difference]) -> Table:
    metric, name = study.metric, words.name(study.metric)
    several = len(study.seeds) > 1
    rival = best.name if best else "the best"
    columns = [
        Column("", ("name",)),
        Column(name, ("", "low", "high")),
        *([Column("± over seeds", ("",))] if several else []),
        Column("best seen", ("", "round")),
        Column(f"against {rival}", ("", "low", "high")),
        Column("p (t-test)"),
        Column("p (Wilcoxon)"),
    ]
    runs = {method.name: method for method in study.methods}
    rows = []
    for subject in study.subjects:
        row = [Cell(subject.name), _cell(subject, metric, ends)]
        if several:
            std = subject.std(metric)
            row.append(Cell("—" if std is None else words.figure(metric, std, 2), values=(std,)))
        row.append(_seen(runs.get(subject.name), metric))
        rows.append([*row, *_difference(differences.get(subject.name), metric)])
    tests = f"{len(differences)} comparison{'s' * (len(differences) != 1)}"
    side = "Below zero is better." if lower_is_better(metric) else "Below zero is worse."
    told = (
        f"{name} with its 95 % interval (bootstrap over people). Best seen is the best evaluated round, "
        f"known only with hindsight. Differences are those of the same people to {rival}, averaged. {side} "
        f"P-values are two-sided, of paired tests over people, and corrected for {tests} (Holm)."
    )
    return Table("main", columns, rows, told)


def _cell(subject: Subject, metric: str, ends: Ends) -> Cell:
    mean, found = subject.mean(metric), ends[subject.name, metric]
    detail = words.interval(metric, *found) if found else ""
    return Cell(words.figure(metric, mean), detail, (mean, *(found or ("", ""))))


def _seen(method: Method | None, metric: str) -> Cell:
    """The best round of each run, averaged."""
    if method is None:
        return Cell("—", values=("",))
    own = [
        run
        for run in method.runs
        if run.result["metric"] == metric and run.result["best"][metric] is not None
    ]
    if not own:
        return Cell("—", values=("",))
    value = float(np.mean([run.result["best"][metric] for run in own]))
    rounds = sorted({run.result["best_round"] for run in own})
    when = f"round {rounds[0]}" if len(rounds) == 1 else f"rounds {rounds[0]} to {rounds[-1]}"
    return Cell(words.figure(metric, value), when, (value, " ".join(map(str, rounds))))


def _difference(found: Difference | None, metric: str) -> list[Cell]:
    if found is None or not math.isfinite(found.difference):
        return [Cell("—", values=("",))] * 3
    unit, digits = (100, 1) if words.percent(metric) else (1, 3)
    text = f"{unit * found.difference:+.{digits}f}".replace("-", "−")
    ends = words.interval(metric, found.low, found.high, sign=True) if math.isfinite(found.low) else ""
    tests = [Cell(probability(p), values=(p,)) for p in (found.t_test, found.wilcoxon)]
    return [Cell(text, ends, (found.difference, found.low, found.high)), *tests]


def probability(p: float) -> str:
    """A p-value for people."""
    if math.isnan(p):
        return "—"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _all(study: Study, ends: Ends) -> Table:
    parts = ("", "low", "high", "std")
    columns = [Column("", ("name",)), *(Column(words.name(metric), parts) for metric in study.metrics)]
    rows = []
    for subject in study.subjects:
        cells = [_cell(subject, metric, ends) for metric in study.metrics]
        stds = [subject.std(metric) for metric in study.metrics]
        whole = [c._replace(values=(*c.values, std)) for c, std in zip(cells, stds, strict=True)]
        rows.append([Cell(subject.name), *whole])
    means = "Means over seeds" if len(study.seeds) > 1 else "All metrics"
    told = f"{means} after the last round, with 95 % intervals where a figure is a mean over people."
    return Table("metrics", columns, rows, told)


def people_and_bytes(study: Study) -> Section:
    """The distribution over people, and what quality costs in bytes."""
    found = [f for f in (_distribution(study), _bytes(study)) if f is not None]
    parts = [Grid(found)] if found else [element("p", "No method has a finite figure for each person.")]
    return Section("For whom, and at what cost", parts)


def _distribution(study: Study) -> Figure | None:
    metric, name = study.metric, words.name(study.metric)
    groups = {}
    for subject in study.subjects:
        columns = [people[metric] for people in subject.people.values() if metric in people]
        if columns:
            groups[subject.name] = np.concatenate(columns)
    series = plots.cumulative(groups)
    if not any(one.x for one in series):
        return None
    drawn = plots.distribution("people", f"{name} of a person", groups, words.percent(metric))
    side = "left" if lower_is_better(metric) else "right"
    told = f"The height is the share of people with at most this {name}; further {side} is better."
    together = " All seeds are taken together." if len(study.seeds) > 1 else ""
    return Figure(
        "people", f"{name} of every person", drawn, told + together, metric, "share of people", series
    )


def _bytes(study: Study) -> Figure | None:
    metric, name = study.metric, words.name(study.metric)
    series, levels = [], {s.name: v for s in study.baselines[:1] if (v := s.mean(metric)) is not None}
    silent = []
    for method in study.methods:
        sent = method.runs[0].result["bytes"] > 0
        nodes = method.runs[0].result["nodes"]
        series.append(_over_seeds(method, metric, "bytes", nodes) if sent else Series(method.name, [], []))
        silent += [] if sent else [method.name]
    if not any(one.x for one in series):
        return None
    drawn = plots.curves(
        "bytes", name, series, levels, x="sent by each node", percent=words.percent(metric), x_is="bytes"
    )
    told = "Bytes as encoded, up to the round of a point, averaged over nodes; further up and left is better."
    if lower_is_better(metric):
        told = told.replace("up and left", "down and left")
    told += f" Without messages, and not drawn: {'; '.join(silent)}." if silent else ""
    return Figure("bytes", f"{name} against bytes sent", drawn, told, "bytes per node", metric, series)


def note(texts: tuple[str, ...]) -> Html:
    """What to know before reading on."""
    return element("ul", *(element("li", text) for text in texts), class_="notes") if texts else Html("")
