"""Statements of Belal et al. (2022, Sections 5.5.3 and 5.5.6) about sparsity and what nodes compute."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from sottovoce.experiments.outcome import Run
from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.reproduce.papers import Finding, statement

TWICE = (1.5, 3.0)
"""What counts as about twice."""
MOST = 0.5
FIFTH = (0.1, 0.3)
"""What counts as about a fifth: the paper has 21 %."""


@statement("pepper.sparsity")
def sparsity(form: Reproduction, results: Results) -> list[Finding]:
    """From each data set to the next, sparser one, PEPPER gains on federated averaging."""
    leads: dict[str, Figure] = {}
    for labels, ((ours, _), (theirs, _)) in form.together(["PEPPER", "FedAvg"], [], results):
        both = (results[ours], results[theirs])
        mine, other = (figures.values(form, runs, form.metric, "final", None) for runs in both)
        leads[", ".join(labels)] = Figure.of([a - b for a, b in zip(mine, other, strict=True)])
    said = ", ".join(
        f"{figures.say_over(lead, form.metric)} on {data}".replace("-", "−") for data, lead in leads.items()
    )
    told = f"PEPPER ahead of FedAvg by {said}"
    if len(leads) < 2:
        return [Finding(f"{told} (a single data set decides nothing)", None)]
    steps = [
        Figure(b.mean - a.mean, math.hypot(a.std or 0.0, b.std or 0.0))
        for a, b in itertools.pairwise(leads.values())
    ]
    return [Finding(told, all(step.clear for step in steps))]


@statement("pepper.overhead")
def overhead(form: Reproduction, results: Results) -> list[Finding]:
    """On average a node computes about twice as long, and most compute longer than the others' median."""
    found = []
    for name, ours, theirs in _beside(form, results):
        pairs = [(_seconds(a), _seconds(b)) for a, b in zip(ours, theirs, strict=True)]
        ratio = Figure.of([float(a.mean() / b.mean()) for a, b in pairs])
        longer = Figure.of([float((a > np.median(b)).mean()) for a, b in pairs])
        said = f"{ratio.mean:.2f} times the computation of {name}, longer than its median on"
        holds = TWICE[0] <= ratio.mean <= TWICE[1] and longer.mean > MOST
        found.append(Finding(f"{said} {100 * longer.mean:.0f} % of the nodes", holds))
    return found


@statement("pepper.left_alone")
def left_alone(form: Reproduction, results: Results) -> list[Finding]:
    """About a fifth computes less than the median of the others, and who has little data receives little."""
    found = []
    for name, ours, theirs in _beside(form, results):
        pairs = [(_seconds(a), _seconds(b)) for a, b in zip(ours, theirs, strict=True)]
        share = Figure.of([float((a < np.median(b)).mean()) for a, b in pairs])
        said = f"{100 * share.mean:.0f} % of PEPPER's nodes compute less than the median of {name}"
        found.append(Finding(said, FIFTH[0] <= share.mean <= FIFTH[1]))
    runs = next((runs for _, runs, _ in _beside(form, results)), [])
    if runs:
        linked = Figure.of([_correlation(run) for run in runs])
        said = f"models received and own interactions are correlated by {linked.mean:+.2f} over nodes"
        found.append(Finding(said.replace("-", "−"), linked.clear))
    return found


def _beside(form: Reproduction, results: Results) -> list[tuple[str, list[Run], list[Run]]]:
    """The runs of PEPPER beside those of each other method."""
    names = [label for label in form.axes["method"] if label != "PEPPER"]
    return [
        (name, list(results[ours]), list(results[theirs]))
        for name in names
        for _, ((ours, _), (theirs, _)) in form.together(["PEPPER", name], [], results)
    ]


def _seconds(run: Run) -> NDArray[np.float64]:
    return figures.of_everybody(run, "seconds per node")


def _correlation(run: Run) -> float:
    received = figures.of_everybody(run, "models received")
    return float(np.corrcoef(received, run.people()["history"].to_numpy())[0, 1])
