"""What a run with differential privacy reports: ε, what it refers to, and who has spent the budget."""

from typing import TYPE_CHECKING

import numpy as np

from sottovoce.experiments.runs.result import Spent
from sottovoce.plural import count

if TYPE_CHECKING:
    from sottovoce.simulate.engine import Simulation

RANDOMNESS = "the run's seed"


def spent(simulation: "Simulation") -> Spent | None:
    """What everybody has disclosed so far; None if the run promises nothing."""
    promise = simulation.promise
    if promise is None:
        return None
    disclosed = simulation.people.disclosed
    most = int(disclosed.max(initial=0))
    return Spent(
        trust=promise.trust,
        relation=promise.relation,
        epsilon=promise.spent(most),
        budget=promise.epsilon,
        delta=promise.delta,
        noise=promise.noise,
        allowed=promise.disclosures,
        disclosures={
            "min": int(disclosed.min(initial=most)),
            "median": float(np.median(disclosed)) if len(disclosed) else 0.0,
            "max": most,
        },
        stopped=int(np.count_nonzero(disclosed >= promise.disclosures)),
        randomness=RANDOMNESS,
    )


def sentences(spent: Spent) -> list[str]:
    """The same, in words."""
    times = spent.disclosures
    cost = (
        f"Differential privacy, {spent.trust}: ε = {spent.epsilon:.3g} at δ = {spent.delta:g} for the person "
        f"who disclosed most, of a budget of {spent.budget:g}."
    )
    often = (
        f"People disclosed {times['min']:g} to {times['max']:g} times (median {times['median']:g}) of "
        f"{spent.allowed:,} allowed; {count(spent.stopped, 'person')} spent the budget and stopped."
    )
    relation = f"Neighbouring data sets, {spent.relation}. Nothing is gained from who was selected."
    randomness = (
        f"The noise of this simulation comes from {spent.randomness}, so that the run repeats: it shows what "
        "protection costs, and protects nobody."
    )
    return [cost, often, relation, randomness]
