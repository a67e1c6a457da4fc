"""What each node did in a run, beside how good its model became: for the report and for figures.

Columns of the table of people begin with "node" here: how many models it received, the seconds of work
that these took, the round in which it was at its best, how many others talk to it, and how much like its
peers the person is.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.experiments.combinations import judges
from sottovoce.experiments.recipe import Recipe
from sottovoce.registry import build

if TYPE_CHECKING:
    from sottovoce.evaluate.best import Best
    from sottovoce.simulate.engine import Simulation

PREFIX = "node "
CHECKPOINT = "best "
"""What the names of a `Best` begin with in a checkpoint."""


def begin(recipe: Recipe, merge: Any, people: int) -> "Best | None":
    """What notes everybody's best model, if asked for; by HR where the merge rule does not judge models."""
    from sottovoce.evaluate.best import Best

    asked = recipe.evaluate.best
    if asked == "none":
        return None
    rule = merge if judges(merge) else build("merge", "performance", {}, "evaluate.best")
    return Best(rule, people, recipe.run.seed, keep=asked == "used")


def saved(best: "Best | None") -> dict[str, Any]:
    """Its part of a checkpoint."""
    return {} if best is None else {CHECKPOINT + name: array for name, array in best.state().items()}


def divided(arrays: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays of a checkpoint: those of the network, and those of a `Best`."""
    own = {n.removeprefix(CHECKPOINT): a for n, a in arrays.items() if n.startswith(CHECKPOINT)}
    return {n: a for n, a in arrays.items() if not n.startswith(CHECKPOINT)}, own


def summary(columns: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The mean over nodes, and those of the nodes with the highest figures; without the prefix."""
    from sottovoce.evaluate.tails import tails

    told = {}
    for name, values in columns.items():
        known = values[np.isfinite(values)]
        if len(known):
            highest = {kind: -value for kind, value in tails(-known, "hr").items()}
            told[name.removeprefix(PREFIX)] = {"mean": float(known.mean()), **highest}
    return told


def facts(simulation: "Simulation", best: "Best | None") -> dict[str, Any]:
    """Columns of the table of people, as far as the run has such figures."""
    from sottovoce.evaluate.likeness import likeness

    people, neighbours = simulation.people, simulation.views.neighbours
    columns: dict[str, Any] = {"received": people.steps.astype(np.float64)}
    spent = simulation.receivers.spent
    if spent.any():
        columns["seconds"] = spent
    if best is not None:
        columns["converged"] = best.converged(people)
    if len(neighbours) == len(people.steps):
        known = neighbours[neighbours >= 0]
        columns["listeners"] = np.bincount(known, minlength=len(neighbours)).astype(np.float64)
        columns["likeness"], columns["chance likeness"] = likeness(
            people, simulation.items, neighbours, simulation.seed
        )
    return {PREFIX + name: column for name, column in columns.items()}
