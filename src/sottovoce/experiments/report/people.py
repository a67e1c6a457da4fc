"""Who is badly served: the people with the worst figures, and people with little history."""

import numpy as np
from numpy.typing import NDArray

from sottovoce.evaluate.tails import tails
from sottovoce.experiments.pages import plots, words
from sottovoce.experiments.pages.markup import element
from sottovoce.experiments.pages.plots import Series
from sottovoce.experiments.report.gaps import filled
from sottovoce.experiments.report.layout import Cell, Column, Figure, Grid, Part, Section, Table
from sottovoce.experiments.report.methods import Study, Subject


def badly_served(study: Study) -> Section:
    """The worst served, and quality by how much history people have."""
    subjects = [s for s in study.subjects if any(study.metric in people for people in s.people.values())]
    parts: list[Part] = filled(_tails(study, subjects))
    groups = _quartiles(study.history)
    if groups:
        parts += [*filled(_by_history(study, subjects, groups)), _drawn(study, subjects, groups)]
    elif study.history is None:
        parts.append(element("p", "These runs do not say how much history each person has; run them anew."))
    return Section("Who is badly served", parts)


def _tails(study: Study, subjects: list[Subject]) -> Table:
    metric, rows = study.metric, []
    kinds = list(tails(np.zeros(1), metric))
    for subject in subjects:
        found = [tails(people[metric], metric) for people in subject.people.values()]
        values = [float(np.mean([one[kind] for one in found])) for kind in kinds]
        rows.append([Cell(subject.name), *(Cell(words.figure(metric, v), values=(v,)) for v in values)])
    columns = [
        Column("", ("name",)),
        *(Column(kind.replace("cdf", "CDF").replace("%", " %")) for kind in kinds),
    ]
    caption = (
        f"{words.name(metric)} of the people who are served worst: a tenth of people are not better than CDF "
        "0.1, one in a hundred not better than CDF 0.01, and so on; and the mean of the worst tenth."
    )
    return Table("tails", columns, rows, caption + (" Means over seeds." if len(study.seeds) > 1 else ""))


def _quartiles(history: NDArray[np.float64] | None) -> dict[str, NDArray[np.bool_]]:
    """Up to four groups of about equally many people, by the number of interactions in training."""
    if history is None or len(history) < 4:
        return {}
    edges = np.unique(np.quantile(history, [0.25, 0.5, 0.75], method="lower"))
    place = np.searchsorted(edges, history)
    groups = {}
    for n in np.unique(place):
        inside = place == n
        low, high = int(history[inside].min()), int(history[inside].max())
        groups[f"{low:,} to {high:,}" if high > low else f"{low:,}"] = inside
    return groups if len(groups) > 1 else {}


def _means(subject: Subject, metric: str, groups: dict[str, NDArray[np.bool_]]) -> list[float]:
    everybody = subject.everybody(metric)
    known = [everybody[inside & np.isfinite(everybody)] for inside in groups.values()]
    return [float(values.mean()) if len(values) else float("nan") for values in known]


def _by_history(study: Study, subjects: list[Subject], groups: dict[str, NDArray[np.bool_]]) -> Table:
    metric = study.metric
    columns = [Column("", ("name",)), *(Column(name) for name in groups)]
    counts = [int(inside.sum()) for inside in groups.values()]
    rows = [[Cell("people"), *(Cell(f"{count:,}", values=(count,)) for count in counts)]]
    for subject in subjects:
        values = _means(subject, metric, groups)
        rows.append([Cell(subject.name), *(Cell(words.figure(metric, v), values=(v,)) for v in values)])
    caption = (
        f"{words.name(metric)} of people by their number of interactions in training, in quarters: the mean "
        "over the people of each quarter."
    )
    if len(study.seeds) > 1:
        caption += f" Interactions are those in the split of seed {study.methods[0].runs[0].figures.seed}."
    return Table("history", columns, rows, caption)


def _drawn(study: Study, subjects: list[Subject], groups: dict[str, NDArray[np.bool_]]) -> Grid:
    metric, name = study.metric, words.name(study.metric)
    quarters = [float(n + 1) for n in range(len(groups))]
    series = [Series(s.name, quarters, _means(s, metric, groups)) for s in subjects]
    drawn = plots.curves(
        "history", name, series, x="quarter of people, least history first", percent=words.percent(metric)
    )
    caption = "People with " + ", ".join(groups) + " interactions in training."
    return Grid([Figure("history", f"{name} by history", drawn, caption, "quarter", metric, series)])
