"""The cost: nodes, messages and bytes; and the recipes, with how to run them again."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from sottovoce import plural
from sottovoce.experiments.pages import plots
from sottovoce.experiments.pages.markup import Html, definitions, element
from sottovoce.experiments.pages.plots import Series
from sottovoce.experiments.report import shared
from sottovoce.experiments.report.gaps import filled
from sottovoce.experiments.report.layout import NONE, Cell, Column, Figure, Grid, Part, Section, Table
from sottovoce.experiments.report.methods import Method, Study
from sottovoce.experiments.report.naming import differing
from sottovoce.experiments.runs.directory import RECIPE
from sottovoce.experiments.runs.machine import duration, size
from sottovoce.experiments.runs.result import Result
from sottovoce.experiments.runs.run import Run

_COUNTS: dict[str, tuple[Callable[[Result], float | None], Callable[[float], str]]] = {
    "nodes": (lambda r: r.nodes, lambda v: f"{v:,.0f}"),
    "rounds": (lambda r: r.rounds, lambda v: f"{v:,.0f}"),
    "messages": (lambda r: r.messages, lambda v: f"{v:,.0f}"),
    "hours in the network": (lambda r: r.hours, lambda v: f"{v:.1f}"),
    "messages that arrived": (lambda r: _share(r.arrived, r.messages), lambda v: f"{100 * v:.1f} %"),
    "online on average": (lambda r: r.churn.get("online"), lambda v: f"{100 * v:.1f} %"),
    "mean session": (lambda r: r.churn.get("session_minutes"), lambda v: f"{v:.1f} min"),
    "never online": (lambda r: r.churn.get("never"), lambda v: f"{100 * v:.1f} %"),
    "messages per node and round": (lambda r: r.messages / r.nodes / r.rounds, lambda v: f"{v:.2g}"),
    "size of a message": (lambda r: r.bytes / max(1, r.messages), size),
    "sent per node and round": (lambda r: r.bytes / r.nodes / r.rounds, size),
    "sent by a node in all": (lambda r: r.bytes / r.nodes, size),
    "sent in total": (lambda r: r.bytes, size),
    "training time": (lambda r: r.seconds, duration),
    "peak memory": (lambda r: r.peak_rss_bytes, size),
}


def _share(count: float | None, total: float) -> float | None:
    return None if count is None else count / max(1, total)


_SENT = ("message", "sent", "size of a message")


def statistics(study: Study) -> Section:
    """The network of each method, means over seeds."""
    silent = not any(run.figures.messages for method in study.methods for run in method.runs)
    columns = [Column("", ("name",)), *(Column(method.name) for method in study.methods)]
    rows = [[Cell("peers"), *(Cell(_peers(method.runs[0])) for method in study.methods)]]
    for name, (count, show) in _COUNTS.items():
        if silent and name.startswith(_SENT):
            continue
        values = [_mean(method, count) for method in study.methods]
        if any(value is not None for value in values):
            rows.append(
                [Cell(name), *(Cell(NONE) if v is None else Cell(show(v), values=(v,)) for v in values)]
            )
    seeds = " Means over seeds." if len(study.seeds) > 1 else ""
    sent = "Nothing was sent." if silent else "Bytes are those of encoded messages."
    told = f"{sent} Training time excludes set-up and evaluation.{seeds}"
    return Section("Network", [*filled(Table("network", columns, rows, told)), *_churn(study)])


def _mean(method: Method, count: Callable[[Result], float | None]) -> float | None:
    """The mean over seeds that have such a figure; None without time, or if nobody came or went."""
    values = [count(run.figures) for run in method.runs]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _churn(study: Study) -> list[Part]:
    """Who was online and who came and went, hour by hour, as in Figure 2 of Hegedűs et al. 2019."""
    methods = [m for m in study.methods if m.runs[0].figures.churn]
    if not methods:
        return []
    churn = methods[0].runs[0].figures.churn
    hours = [hour + 0.5 for hour in range(len(churn["online_by_hour"]))]
    kinds = {"online": "online_by_hour", "joined": "joined_by_hour", "left": "left_by_hour"}
    series = [Series(name, hours, churn[key]) for name, key in kinds.items()]
    drawn = plots.curves("churn", "nodes", series, x="hours", percent=True)
    told = "The share of nodes online in each hour, on average, and of those that joined or left in it" + (
        f", under the first seed of {methods[0].name}." if len(study.methods) > 1 else "."
    )
    ends = churn["bins_minutes"]
    sessions = churn["complete"]["histogram"]
    total = max(1, sum(sessions))
    labels = [f"{low} to {high}" for low, high in itertools.pairwise(ends)] + [f"{ends[-1]} and more"]
    counted = [
        [Cell(label), Cell(f"{100 * n / total:.1f} %", values=(n,))]
        for label, n in zip(labels, sessions, strict=False)
    ]
    lengths = Table("sessions", [Column("minutes"), Column("sessions")], counted, "How long sessions last.")
    return [Grid([Figure("churn", "Who is online", drawn, told, "hours", "share of nodes", series)]), lengths]


def _peers(run: Run) -> str:
    """Whom a node talks to, with the settings of its peers."""
    peers = run.recipe.network.peers
    if peers is None:
        return "none: a server" if run.figures.nodes > 1 else "none: a single model"
    settings = ", ".join(f"{key} = {shared.setting(key, value)}" for key, value in peers.settings.items())
    return f"{peers.label} ({settings})" if settings else peers.label


def recipes(study: Study) -> list[Section]:
    """What differs between recipes, each recipe in full, and the command to run it again."""
    several = len(study.methods) > 1
    parts: list[Part] = []
    if several:
        parts += _differences(study)
    for method in study.methods:
        text = element("pre", element("code", shared.recipe(method.runs[0].recipe)))
        parts.append(element("details", element("summary", method.name), text) if several else text)
    parts += [element("h3", "How to run it again"), *_again(study)]
    run = study.methods[0].runs[0]
    first, data = run.figures, run.figures.data
    pairs = [("sottovoce", first.version), *first.versions.items()]
    told = {"source": shared.source(run.recipe, data.source), "terms": data.terms}
    pairs += [(f"{name} of the data", text) for name, text in told.items() if text]
    splits = {run.figures.seed: run.figures.split[:16] for m in study.methods for run in m.runs}
    pairs += [(f"split of seed {seed}", splits[seed]) for seed in sorted(splits)]
    title = "Recipes" if several else "Recipe"
    return [Section(title, parts), Section("Versions and data", [definitions(pairs)], "facts")]


def _differences(study: Study) -> list[Part]:
    settings = [method.settings for method in study.methods]
    columns = [Column("setting"), *(Column(method.name) for method in study.methods)]
    held = {key: sum(key in one for one in settings) for key in differing(settings)}
    rows = [
        [Cell(key), *(Cell(_setting(key, one[key]) if key in one else NONE) for one in settings)]
        for key, many in held.items()
        if 2 * many > len(settings)
    ]
    rare = len(held) - len(rows)
    told = "What differs between the recipes; everything else is the same."
    if rare:
        told += f" Not shown: {plural.count(rare, 'setting')} that few recipes have."
    return [Table("settings", columns, rows, told) if rows else element("p", told)]


def _setting(key: str, value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(shared.setting(key, value))


def _again(study: Study) -> list[Html]:
    if any(method.runs[0].recipe.data.in_memory for method in study.methods):
        told = "The data was passed in Python; pass it again with the settings above."
        return [element("p", told), element("pre", element("code", "sottovoce.run(data, …)"))]
    needed = list(dict.fromkeys(name for m in study.methods for name in shared.files(m.runs[0].recipe)))
    beside = f", with {plural.listed(needed)} beside it" if needed else ""
    told = f"Save a recipe as {RECIPE}{beside}. The same version on the same machine gives the same figures."
    commands = "\n".join(_command(method) for method in study.methods[:1])
    return [element("p", told), element("pre", element("code", commands))]


def _command(method: Method) -> str:
    seeds = [run.figures.seed for run in method.runs]
    if len(seeds) == 1:
        return f"sottovoce run {RECIPE} --seed {seeds[0]} --out another-directory"
    return f"sottovoce sweep {RECIPE} --seeds {','.join(map(str, seeds))} --out another-directory"
