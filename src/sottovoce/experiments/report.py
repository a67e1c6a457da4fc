"""The report of a run: one HTML page that needs nothing else. It reads the run directory only."""

import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sottovoce.experiments import plots
from sottovoce.experiments.directory import PER_USER, RECIPE, RECOMMENDATIONS
from sottovoce.experiments.machine import duration, size
from sottovoce.experiments.markup import Html, definitions, element, join, table
from sottovoce.experiments.outcome import Run, lower_is_better
from sottovoce.experiments.verdict import Verdict, judge

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(directory: Path) -> str:
    """The page for a run that is complete."""
    run = Run.open(directory)
    people = pl.read_parquet(directory / PER_USER)
    metric = run.result["metric"]
    verdict = judge(run.result, *_pair(people, metric))
    data, recipe = run.result["data"], run.recipe
    title = f"{recipe.model.name} by {recipe.protocol.name} on {data['name']}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("title", f"{title} · Sottovoce"),
        element("style", Html(files("sottovoce.experiments").joinpath("report.css").read_text("utf-8"))),
    )
    body = element(
        "body",
        _header(title, run, verdict),
        element(
            "main",
            _charts(run, people),
            _quality(run),
            _example(directory, people, metric),
            _traffic(run),
            _recipe(directory, run),
        ),
        element("footer", f"Written by Sottovoce {run.result['version']}. This page is complete in itself."),
    )
    return "<!DOCTYPE html>\n" + element("html", head, body, lang="en") + "\n"


def _pair(people: pl.DataFrame, metric: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The main metric of everybody who has one, with this run and with popularity."""
    known = people.select(metric, f"popularity {metric}").drop_nulls()
    return known[metric].to_numpy(), known[f"popularity {metric}"].to_numpy()


def _header(title: str, run: Run, verdict: Verdict) -> Html:
    result, data = run.result, run.result["data"]
    metric = result["metric"]
    figures = [
        (f"{_name(metric)} of this run", _figure(metric, result["final"][metric]), "main"),
        ("popularity", _figure(metric, result["baselines"]["popularity"][metric]), ""),
        ("random", _figure(metric, result["baselines"]["random"][metric]), ""),
        ("rounds", f"{result['rounds']:,}", ""),
        ("training time", duration(result["seconds"]), ""),
        ("sent in total", size(result["bytes"]), ""),
    ]
    tiles = [element("div", element("dt", n), element("dd", v), class_=c) for n, v, c in figures]
    about = f"{data['people']:,} people, {data['items']:,} items, {data['interactions']:,} interactions"
    return element(
        "header",
        element("p", "Sottovoce", class_="brand"),
        element("h1", title),
        element("p", f"{about} · seed {result['seed']}", class_="subtitle"),
        element("p", element("strong", verdict.headline), verdict.sentence, class_=f"verdict {verdict.kind}"),
        element("dl", *tiles, class_="figures"),
    )


def _charts(run: Run, people: pl.DataFrame) -> Html:
    main = run.result["metric"]
    large, small = [_curve(run, main, 0)], []
    ours, popular = _pair(people, main)
    if len(ours) and np.isfinite(ours).all():
        groups = {"this run": ours, "popularity": popular}
        drawn = plots.distribution("people", _name(main), groups, _percent(main))
        side = "left" if lower_is_better(main) else "right"
        told = f"The height is the share of people with at most this {_name(main)}; further {side} is better."
        large.append(_framed(f"{_name(main)} of every person", drawn, told))
    small = [_curve(run, metric, n) for n, metric in enumerate(run.metrics, 1) if metric != main]
    return element(
        "section",
        element("h2", "Quality"),
        element("div", *large, class_="charts"),
        element("div", *small, class_="charts small") if small else "",
    )


def _curve(run: Run, metric: str, number: int) -> Html:
    points = plots.finite([(event["round"], event[metric]) for event in run.curve])
    references = {n: m[metric] for n, m in run.baselines.items() if m[metric] is not None}
    if not points:
        return _framed(_name(metric), Html(""), "It was never finite.")
    drawn = plots.curve(
        f"curve{number}", _name(metric), points, references, _percent(metric), small=number > 0
    )
    return _framed(f"{_name(metric)} over rounds", drawn, _explain(metric))


def _framed(title: str, drawing: Html, caption: str) -> Html:
    return element("figure", element("h3", title), drawing, element("figcaption", caption))


def _quality(run: Run) -> Html:
    result = run.result
    columns = [result["final"], result["best"], *run.baselines.values(), *run.references.values()]
    rows = [[_name(m), *(_figure(m, c[m]) for c in columns)] for m in result["final"]]
    beside = [*run.baselines, *(f"{name} (central)" for name in run.references)]
    told = f"Means. Best seen is the round with the best {_name(result['metric'])}."
    best = f"best seen (round {result['best_round']})"
    parts = [
        element("h2", "Figures"),
        element("div", table(["", "final", best, *beside], rows, told), class_="means"),
    ]
    kinds = list(next(iter(result["tails"].values()), {}))
    tails = [[_name(m), *(_figure(m, t[k]) for k in kinds)] for m, t in result["tails"].items()]
    told = "Those served worst. The tenth of people served worst do not do better than CDF 0.1."
    parts.append(table(["", *(k.replace("cdf", "CDF") for k in kinds)], tails, told))
    return element("section", *parts)


def _example(directory: Path, people: pl.DataFrame, metric: str) -> Html:
    """The list of a person in the middle: as many are served better as worse."""
    known = people.drop_nulls(metric).sort(metric, maintain_order=True)
    if known.is_empty():
        return Html("")
    row = known.row(len(known) // 2, named=True)
    user = row["user"]
    lists = pl.scan_parquet(directory / RECOMMENDATIONS)
    mine = lists.filter(pl.col("user").cast(pl.String) == user).head(10).collect()
    told = (
        f"Person {user} has the median {_name(metric)}, {_figure(metric, row[metric])}. The list begins as "
        "below; what is marked ✓ was kept from the model, and is indeed in this person's history."
    )
    entries = mine.select(pl.col("title").cast(pl.String), "held_out").iter_rows()
    items = [element("li", f"{title} ✓" if hit else title) for title, hit in entries]
    return element(
        "section",
        element("h2", "One person's list"),
        element("p", told),
        element("ol", *items, class_="items"),
    )


def _traffic(run: Run) -> Html:
    result = run.result
    nodes, rounds, messages = result["nodes"], result["rounds"], result["messages"]
    pairs = [("nodes", f"{nodes:,}"), ("messages", f"{messages:,}"), ("bytes sent", size(result["bytes"]))]
    if messages:
        pairs += [
            ("size of a message", size(result["bytes"] / messages)),
            ("sent per node and round", size(result["bytes"] / nodes / rounds)),
        ]
    pairs += [("training time", duration(result["seconds"])), ("peak memory", size(result["peak_rss_bytes"]))]
    return element("section", element("h2", "Traffic and cost"), definitions(pairs), class_="facts")


def _recipe(directory: Path, run: Run) -> Html:
    result = run.result
    command = f"sottovoce run {RECIPE} --out another-directory"
    told = "Save the recipe as recipe.toml. The same version on the same machine gives the same figures."
    if run.recipe.data.memory:
        told = "The data was handed over in Python; hand it over again with the settings above."
        command = "sottovoce.run(data, …)"
    pairs = [("sottovoce", result["version"]), *result["versions"].items(), ("split", result["split"][:16])]
    data = [
        (f"{name} of the data", result["data"][name]) for name in ("source", "terms") if result["data"][name]
    ]
    return join(
        element(
            "section",
            element("h2", "Recipe"),
            element("pre", element("code", (directory / RECIPE).read_text("utf-8"))),
            element("h2", "How to run it again"),
            element("p", told),
            element("pre", element("code", command)),
        ),
        element("section", definitions(pairs), definitions(data), class_="facts"),
    )


def _percent(metric: str) -> bool:
    return not lower_is_better(metric)


def _figure(metric: str, value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "—"
    return f"{100 * value:.1f} %" if _percent(metric) else f"{value:.4f}"


def _name(metric: str) -> str:
    return metric.upper()


def _explain(metric: str) -> str:
    kind, _, k = metric.partition("@")
    known = {
        "hr": f"Share of held-out items found among the first {k}; higher is better.",
        "ndcg": f"As HR, but worth more near the top of the first {k}; higher is better.",
        "rmse": "Root of the mean squared error of predicted ratings; lower is better.",
    }
    return known.get(kind, "")
