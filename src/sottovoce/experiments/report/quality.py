"""How good: curves over rounds, figures with intervals, the distribution over people, and bytes."""

import math
from collections.abc import Mapping

import numpy as np

from sottovoce.experiments.pages import plots, words
from sottovoce.experiments.pages.markup import Html, element
from sottovoce.experiments.pages.plots import Series
from sottovoce.experiments.report.chance import Difference, interval
from sottovoce.experiments.report.gaps import filled
from sottovoce.experiments.report.layout import NONE, Cell, Choice, Column, Figure, Grid, Part, Section, Table
from sottovoce.experiments.report.methods import Method, Study, Subject
from sottovoce.metrics import lower_is_better
from sottovoce.plural import count

Ends = Mapping[tuple[str, str], tuple[float, float] | None]
"""The interval of each subject and metric."""


def over_rounds(study: Study) -> Section:
    """The curve of the main metric, and those of the others to choose from."""
    names, drawn = map(words.name, study.metrics), [_curve(study, metric) for metric in study.metrics]
    choice = Choice("Metric", list(names), drawn, study.metrics.index(study.metric))
    return Section(f"Quality over {_clock(study)[1]}", [choice])


def _clock(study: Study) -> tuple[str, str]:
    """The x axis of curves, as a key of events and as a word: hours if all runs are in virtual time."""
    timed = all(run.figures.hours is not None for method in study.methods for run in method.runs)
    return ("hours", "hours") if timed else ("round", "rounds")


def _curve(study: Study, metric: str) -> Figure:
    key, clock = _clock(study)
    series = [_over_seeds(method, metric, key) for method in study.methods]
    levels = {s.name: v for s in (*study.baselines, *study.references) if (v := s.mean(metric)) is not None}
    name, identity = words.name(metric), metric.replace("@", "-")
    caption = " ".join(filter(None, [words.explained(metric), _band(study), _lost(series)]))
    drawn = plots.curves(identity, name, series, levels, x=clock, percent=words.percent(metric))
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
        count(max(counts), "seed")
        if len(counts) == 1
        else f"the seeds of a method, {min(counts)} to {max(counts)}"
    )
    return f"Lines are means; bands show the lowest and the highest of {seeds}."


def _lost(series: list[Series]) -> str:
    lost = [one.name for one in series if not one.x]
    return f"Never finite: {'; '.join(lost)}." if lost else ""


def figures(study: Study, best: Subject | None, differences: Mapping[str, Difference]) -> Section:
    """All metrics, which differences of the main one may be chance, and the rounds in which it was best."""
    ends = {(s.name, metric): interval(s, metric) for s in study.subjects for metric in study.metrics}
    parts = filled(_all(study, ends))
    if best and differences:
        parts += filled(_differences(study.metric, best, differences))
    return Section("Figures", [*parts, *_best_rounds(study)])


def _all(study: Study, ends: Ends) -> Table:
    metrics = [study.metric, *(metric for metric in study.metrics if metric != study.metric)]
    parts = ("", "low", "high", "std")
    columns = [Column("", ("name",)), *(Column(words.name(metric), parts) for metric in metrics)]
    rows = [[Cell(s.name), *(_cell(s, metric, ends) for metric in metrics)] for s in study.subjects]
    several = len(study.seeds) > 1
    means = "Means over seeds, ± their standard deviation," if several else "Figures"
    caption = (
        f"{means} after the last round, with 95 % intervals (bootstrap over people) if a figure is a mean "
        "over people."
    )
    return Table("metrics", columns, rows, caption)


def _cell(subject: Subject, metric: str, ends: Ends) -> Cell:
    mean, found, std = subject.mean(metric), ends[subject.name, metric], subject.std(metric)
    detail = words.interval(metric, *found) if found else ""
    text = words.figure(metric, mean)
    if mean is not None and std is not None:
        text += f" ± {words.figure(metric, std, 2).removesuffix(' %')}"
    return Cell(text, detail, (mean, *(found or ("", "")), std))


def _differences(metric: str, best: Subject, differences: Mapping[str, Difference]) -> Table:
    columns = [
        Column("", ("name",)),
        Column(f"{words.name(metric)} against {best.name}", ("", "low", "high")),
        Column("p (t-test)"),
        Column("p (Wilcoxon)"),
    ]
    rows = [[Cell(name), *_difference(found, metric)] for name, found in differences.items()]
    side = "Below zero is better." if lower_is_better(metric) else "Below zero is worse."
    points = ", in percentage points" if words.percent(metric) else ""
    corrected = f", corrected for {len(rows)} comparisons (Holm)" if len(rows) > 1 else ""
    caption = (
        f"Differences to {best.name}{points}, averaged over people, with 95 % intervals. {side} P-values are "
        f"of two-sided paired tests over people{corrected}."
    )
    return Table("differences", columns, rows, caption)


def _best_rounds(study: Study) -> list[Part]:
    """When each method was best: a table, or a sentence about a single method."""
    metric, name = study.metric, words.name(study.metric)
    seen = {m.name: cell for m in study.methods if (cell := _seen(m, metric)) is not None}
    if len(study.methods) == 1:
        hindsight = "The best round is known only in hindsight."
        said = [f"The best {name} seen was {c.text}, in {c.detail}. {hindsight}" for c in seen.values()]
        return [element("p", text) for text in said]
    columns = [Column("", ("name",)), Column(f"best {name} seen", ("", "round"))]
    caption = "The best evaluated round of each method, which is known only in hindsight."
    return [Table("best", columns, [[Cell(n), c] for n, c in seen.items()], caption)] if seen else []


def _seen(method: Method, metric: str) -> Cell | None:
    """The best value of each run, averaged over seeds; None if there is none."""
    own = [
        run.figures
        for run in method.runs
        if run.figures.metric == metric and run.figures.best[metric] is not None
    ]
    if not own:
        return None
    value = float(np.mean([one.best[metric] for one in own]))
    rounds = sorted({one.best_round for one in own})
    when = f"round {rounds[0]}" if len(rounds) == 1 else f"rounds {rounds[0]} to {rounds[-1]}"
    return Cell(words.figure(metric, value), when, (value, " ".join(map(str, rounds))))


def _difference(found: Difference, metric: str) -> list[Cell]:
    if not math.isfinite(found.difference):
        return [Cell(NONE, values=("",))] * 3
    unit, digits = (100, 1) if words.percent(metric) else (1, 3)
    text = f"{unit * found.difference:+.{digits}f}".replace("-", "−")
    ends = words.interval(metric, found.low, found.high, sign=True) if math.isfinite(found.low) else ""
    tests = [Cell(probability(p), values=(p,)) for p in (found.t_test, found.wilcoxon)]
    return [Cell(text, ends, (found.difference, found.low, found.high)), *tests]


def probability(p: float) -> str:
    """A p-value for people."""
    if math.isnan(p):
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def people_and_bytes(study: Study) -> Section:
    """The distribution over people, and the quality by bytes sent."""
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
    caption = f"The height is the share of people with at most this {name}; further {side} is better."
    together = " All seeds are taken together." if len(study.seeds) > 1 else ""
    return Figure(
        "people", f"{name} of every person", drawn, caption + together, metric, "share of people", series
    )


def _bytes(study: Study) -> Figure | None:
    metric, name = study.metric, words.name(study.metric)
    series, levels = [], {s.name: v for s in study.baselines[:1] if (v := s.mean(metric)) is not None}
    silent = []
    for method in study.methods:
        sent = method.runs[0].figures.bytes > 0
        nodes = method.runs[0].figures.nodes
        series.append(_over_seeds(method, metric, "bytes", nodes) if sent else Series(method.name, [], []))
        silent += [] if sent else [method.name]
    if not any(one.x for one in series):
        return None
    drawn = plots.curves(
        "bytes", name, series, levels, x="sent by each node", percent=words.percent(metric), x_is="bytes"
    )
    caption = "Encoded bytes up to the round of a point, averaged over nodes; further up and left is better."
    if lower_is_better(metric):
        caption = caption.replace("up and left", "down and left")
    caption += f" Not drawn, because nothing is sent: {'; '.join(silent)}." if silent else ""
    return Figure("bytes", f"{name} against bytes sent", drawn, caption, "bytes per node", metric, series)


def note(texts: tuple[str, ...]) -> Html:
    """Notes, as a list."""
    return element("ul", *(element("li", text) for text in texts), class_="notes") if texts else Html("")
