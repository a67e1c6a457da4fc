"""What it took: nodes, messages and bytes; and the recipes, with how to run them again."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sottovoce.experiments.directory import RECIPE
from sottovoce.experiments.machine import duration, size
from sottovoce.experiments.markup import Html, definitions, element
from sottovoce.experiments.outcome import Run
from sottovoce.experiments.report.layout import Cell, Column, Part, Section, Table
from sottovoce.experiments.report.methods import Method, Study
from sottovoce.experiments.report.naming import differing

Result = dict[str, Any]
_COUNTS: dict[str, tuple[Callable[[Result], float], Callable[[float], str]]] = {
    "nodes": (lambda r: r["nodes"], lambda v: f"{v:,.0f}"),
    "rounds": (lambda r: r["rounds"], lambda v: f"{v:,.0f}"),
    "messages": (lambda r: r["messages"], lambda v: f"{v:,.0f}"),
    "messages per node and round": (lambda r: r["messages"] / r["nodes"] / r["rounds"], lambda v: f"{v:.2g}"),
    "size of a message": (lambda r: r["bytes"] / max(1, r["messages"]), size),
    "sent per node and round": (lambda r: r["bytes"] / r["nodes"] / r["rounds"], size),
    "sent by a node in all": (lambda r: r["bytes"] / r["nodes"], size),
    "sent in total": (lambda r: r["bytes"], size),
    "training time": (lambda r: r["seconds"], duration),
    "peak memory": (lambda r: r["peak_rss_bytes"], size),
}


def statistics(study: Study) -> Section:
    """The network of each method, means over seeds."""
    columns = [Column("", ("name",)), *(Column(method.name) for method in study.methods)]
    rows = [[Cell("peers"), *(Cell(_peers(method.runs[0])) for method in study.methods)]]
    for name, (count, show) in _COUNTS.items():
        values = [float(np.mean([count(run.result) for run in method.runs])) for method in study.methods]
        rows.append([Cell(name), *(Cell(show(value), values=(value,)) for value in values)])
    seeds = " Means over seeds." if len(study.seeds) > 1 else ""
    told = f"Bytes are those of messages as encoded. Training time is without set-up and evaluation.{seeds}"
    return Section("Network", [Table("network", columns, rows, told)])


def _peers(run: Run) -> str:
    """Whom a node talks to, with its degree where that is fixed."""
    peers = run.recipe.network.peers
    if peers is None:
        return "none: a single model"
    settings = ", ".join(f"{key} = {value}" for key, value in peers.settings.items())
    return f"{peers.name} ({settings})" if settings else peers.name


def recipes(study: Study) -> list[Section]:
    """What differs, each recipe in full, and what to type."""
    several = len(study.methods) > 1
    parts: list[Part] = []
    if several:
        parts.append(_differences(study))
    for method in study.methods:
        text = element("pre", element("code", method.runs[0].recipe.dumps()))
        parts.append(element("details", element("summary", method.name), text) if several else text)
    parts += [element("h3", "How to run it again"), *_again(study)]
    first = study.methods[0].runs[0].result
    pairs = [("sottovoce", first["version"]), *first["versions"].items()]
    pairs += [
        (f"{name} of the data", first["data"][name]) for name in ("source", "terms") if first["data"][name]
    ]
    splits = {run.result["seed"]: run.result["split"][:16] for m in study.methods for run in m.runs}
    pairs += [(f"split of seed {seed}", splits[seed]) for seed in sorted(splits)]
    title = "Recipes" if several else "Recipe"
    return [Section(title, parts), Section("Versions and data", [definitions(pairs)], "facts")]


def _differences(study: Study) -> Table:
    settings = [method.settings for method in study.methods]
    columns = [Column("setting"), *(Column(method.name) for method in study.methods)]
    rows = [
        [Cell(key), *(Cell(_setting(one.get(key, "—"))) for one in settings)] for key in differing(settings)
    ]
    return Table("settings", columns, rows, "What differs between the recipes; all else is the same.")


def _setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _again(study: Study) -> list[Html]:
    if any(method.runs[0].recipe.data.memory for method in study.methods):
        told = "The data was handed over in Python; hand it over again with the settings above."
        return [element("p", told), element("pre", element("code", "sottovoce.run(data, …)"))]
    told = f"Save a recipe as {RECIPE}. The same version on the same machine gives the same figures."
    commands = "\n".join(_command(method) for method in study.methods[:1])
    return [element("p", told), element("pre", element("code", commands))]


def _command(method: Method) -> str:
    seeds = [run.result["seed"] for run in method.runs]
    if len(seeds) == 1:
        return f"sottovoce run {RECIPE} --seed {seeds[0]} --out another-directory"
    return f"sottovoce sweep {RECIPE} --seeds {','.join(map(str, seeds))} --out another-directory"
