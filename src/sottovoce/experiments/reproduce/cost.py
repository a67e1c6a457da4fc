"""What an epoch of federated pair-wise learning costs, as Anelli et al. 2020 count it (Section 3.2).

A row or a check can read CCE as a metric: item vectors that clients and the server exchange in an epoch. It
follows from the recipe of a run whose rounds are epochs (`protocol.aggregations = 0`). Such a run records
rpe, and ρ = |U⁻| rpe is X⁺, the size of the training data.
"""

import math

from sottovoce.experiments.runs.run import Run
from sottovoce.metrics.communication_cost import communication_cost

CCE, RECIPROCAL = "CCE", "10^12 / CCE"
NAMES = (CCE, RECIPROCAL)


def value(run: Run, metric: str) -> float:
    """CCE or its reciprocal; NaN for runs without a server, or whose model draws no triples."""
    settings, protocol, data = run.recipe.model.settings, run.recipe.protocol, run.figures.data
    if protocol.name != "federated" or "triples" not in settings:
        return math.nan
    clients = protocol.settings["participants"] or data.people
    rounds = protocol.settings["aggregations"]
    steps = (step for step in run.recipe.privacy.steps if step.name == "positive-feedback")
    cost = communication_cost(
        items=data.items,
        clients=clients,
        rounds=rounds,
        triples=settings["triples"] or clients * rounds / data.people,
        disclosed=next((step.settings.get("probability", 1.0) for step in steps), 1.0),
    ).total
    return cost if metric == CCE else 1e12 / cost


def say(value: float, metric: str) -> str:
    """A number for people: its digits count, because costs differ little."""
    if not math.isfinite(value):
        return "—"
    return f"{value:,.0f}" if metric == CCE else f"{value:.3f}"
