"""After the last round: the result, the tables and the report."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sottovoce import files
from sottovoce.experiments.recipe.privacy import disclosed
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import attacked, dp, machine, nodes
from sottovoce.experiments.runs.directory import PER_USER, RECOMMENDATIONS, REPORT, RESULT, RunDirectory
from sottovoce.experiments.runs.facts import best_of, describe, finite, summed, times
from sottovoce.experiments.runs.prepare import Prepared
from sottovoce.experiments.runs.progress import Progress
from sottovoce.experiments.runs.result import Attacked, Result, Seen
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.tables import TOP, per_user_frame, recommendations_frame
from sottovoce.experiments.runs.train import Trained
from sottovoce.experiments.runs.trouble import Collapse, collapse, divergence

if TYPE_CHECKING:
    import polars

    from sottovoce.evaluate.evaluation import Evaluation


class _Tables(NamedTuple):
    """What is known of single people."""

    frames: "dict[str, polars.DataFrame]"
    """By the name of their file."""
    by_node: dict[str, Any]
    """What each node did, column by column."""
    collapsed: Collapse | None
    attack: Attacked | None


def write(
    prepared: Prepared, trained: Trained, place: RunDirectory | None, tell: Progress, report: bool = True
) -> Run:
    """Put a finished run into its directory, if it has one; with a `report` unless nobody would open it."""
    plan = prepared.plan
    with tell.doing("Writing everybody's recommendations"):
        tables = _tables(prepared, trained)
    result = _result(prepared, trained, tables)
    if place is not None:
        for name, frame in tables.frames.items():
            place.write_frame(name, frame)
        if plan.recipe.run.keep_models:
            simulation = prepared.simulation
            place.save(simulation.round, prepared.state())
        place.write(RESULT, result.dumps())
        close(place, plan.recipe, tell, report)
    path = None if place is None else place.path
    return Run(
        plan.recipe, result, trained.curve, directory=path, frames=tables.frames, train=plan.split.train
    )


def close(place: RunDirectory, recipe: Recipe, tell: Progress, report: bool) -> None:
    """Add what a complete run lacks, also if the process that finished it died before it could."""
    from sottovoce.experiments.report.report import render

    if report and not files.exists(place.path / REPORT):
        with tell.doing("Drawing the report"):
            place.write(REPORT, render(place.path))
    if not recipe.run.keep_models:
        place.forget()


def _tables(prepared: Prepared, trained: Trained) -> _Tables:
    from sottovoce.evaluate.recommend import recommend

    plan, simulation = prepared.plan, prepared.simulation
    beside = {"popularity": prepared.baselines["popularity"]} | prepared.references
    others = {f"{name} {m}": values for name, e in beside.items() for m, values in e.per_user.items()}
    others["history"] = np.diff(plan.split.train.indptr).astype(np.float64)
    by_node = nodes.facts(simulation, prepared.best)
    items, scores = recommend(*trained.models, plan.data.items, min(TOP, plan.data.items))
    frames = {
        PER_USER: per_user_frame(plan.data.users, trained.last.per_user | others | by_node),
        RECOMMENDATIONS: recommendations_frame(plan.data, items, scores),
    }
    recipe = plan.recipe
    named = recipe.attack.label, plan.parts.attack, plan.split, recipe.run.seed
    found = attacked.attacked(*named, items, plan.measured.ks)
    return _Tables(frames, by_node, collapse(items, scores, simulation.people.steps > 0), found)


def _tails(measured: "Evaluation") -> dict[str, dict[str, float | None]]:
    from sottovoce.evaluate.tails import tails

    return {metric: finite(tails(values, metric)) for metric, values in measured.per_user.items()}


def _categories(measured: "Evaluation") -> dict[str, dict[str, float | None]]:
    return {metric: finite(shifts) for metric, shifts in measured.by_category.items()}


def _result(prepared: Prepared, trained: Trained, tables: _Tables) -> Result:
    from sottovoce import __version__
    from sottovoce.kernels import compilations

    plan, simulation, last = prepared.plan, prepared.simulation, trained.last
    recipe, data = plan.recipe, plan.data
    metric = str(recipe.evaluate.metric)
    best, lost = best_of(trained.curve, metric), divergence(trained.curve, data.people)
    wholly = lost is not None and lost.people == lost.of
    lied = attacked.sentences(tables.attack, data.people, recipe.run.seed)
    leaving = disclosed(plan.parts, tuned=recipe.evaluate.tune > 0)
    beside = prepared.baselines | prepared.references
    return Result(
        final=dict.fromkeys(last.metrics) if wholly else finite(last.metrics),
        best={name: best[name] for name in last.metrics},
        baselines={name: finite(one.metrics) for name, one in prepared.baselines.items()},
        references={name: finite(one.metrics) for name, one in prepared.references.items()},
        messages=simulation.messages,
        bytes=simulation.bytes,
        seconds=simulation.seconds,
        compiled=compilations(),
        peak_rss_bytes=machine.peak_memory(),
        nodes=len(simulation.timing.upload),
        seed=recipe.run.seed,
        version=__version__,
        metric=metric,
        best_round=best["round"],
        rounds=simulation.round,
        tails=_tails(last),
        tails_beside={name: _tails(one) for name, one in beside.items()},
        diverged=lost,
        collapsed=tables.collapsed,
        tested=plan.measured.tested,
        left_out=plan.measured.without,
        notes=[*data.notes, *plan.notes, *plan.measured.notes, *summed(simulation), *lied],
        by_node=nodes.summary(tables.by_node),
        **times(simulation),
        categories=_categories(last),
        categories_beside={name: _categories(one) for name, one in beside.items() if one.by_category},
        privacy=[Seen(**one._asdict()) for one in leaving],
        dp=dp.spent(simulation),
        attack=tables.attack,
        data=describe(data, plan.notes),
        split=plan.split.hash,
        versions=machine.versions(),
    )
