"""What each node did in a run, for the report and for reproductions.

These columns of the table of people begin with "node": how many models the node received, how many seconds
it worked on them, the round in which its model was best, how many other nodes talk to it, and how similar
the person is to the node's peers.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.experiments.recipe.combinations import judges
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.registry import build

if TYPE_CHECKING:
    from sottovoce.evaluate.best import Best
    from sottovoce.experiments.runs.enough import Enough
    from sottovoce.simulate.engine import Simulation

PREFIX = "node "
BEST, ENOUGH = "best ", "enough "
"""How names of the arrays of a `Best` and of an `Enough` begin in a checkpoint."""


def begin(recipe: Recipe, merge: Any, people: int) -> "Best | None":
    """What keeps track of everybody's best model, if the recipe asks for it.

    Models are judged as the merge rule judges them, or else by HR.
    """
    from sottovoce.evaluate.best import Best

    asked = recipe.evaluate.best
    if asked == "none":
        return None
    rule = merge if judges(merge) else build("merge", "performance", {}, "evaluate.best")
    return Best(rule, people, recipe.run.seed, keep=asked == "used")


def saved(kept: "Best | Enough | None", prefix: str) -> dict[str, Any]:
    """What is kept beside the network, as a part of a checkpoint whose names begin with `prefix`."""
    return {} if kept is None else {prefix + name: array for name, array in kept.state().items()}


def divided(arrays: dict[str, Any], *prefixes: str) -> tuple[dict[str, Any], ...]:
    """The arrays of a checkpoint: those of the network, then those with each of the prefixes."""
    parts = [
        {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        for prefix in prefixes
    ]
    return {name: array for name, array in arrays.items() if not name.startswith(prefixes)}, *parts


def summary(columns: dict[str, Any]) -> dict[str, dict[str, float]]:
    """For each column, without its prefix: the mean over nodes, and the means of the highest nodes."""
    from sottovoce.evaluate.tails import tails

    told = {}
    for name, values in columns.items():
        known = values[np.isfinite(values)]
        if len(known):
            highest = {kind: -value for kind, value in tails(-known, "hr").items()}
            told[name.removeprefix(PREFIX)] = {"mean": float(known.mean()), **highest}
    return told


def facts(simulation: "Simulation", best: "Best | None") -> dict[str, Any]:
    """The columns of the table of people that this run has figures for."""
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
