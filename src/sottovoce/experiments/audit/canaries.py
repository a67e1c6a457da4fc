"""A lower bound on the ε of a run's steps, from canaries that are sent through them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.evaluate.audit import canaries, protected
from sottovoce.exchange.steps.sequence import sequence

if TYPE_CHECKING:
    from sottovoce.simulate.engine import Simulation

TRIALS = 2000


def attack(network: "Simulation", rounds: int) -> dict[str, Any]:
    """The bound for everything that a person discloses in so many rounds, beside what the steps promise."""
    promised = [step for step in network.steps if hasattr(step, "epsilon")]
    claimed = float(promised[-1].epsilon) if promised else None
    delta = float(promised[-1].delta) if promised else 0.0
    sign = np.where(np.arange(TRIALS) % 2 == 0, 1, -1)
    row, head, _ = network.shape
    scores = protected.scores(sequence(network.steps), network.people, row, head, sign, rounds, network.seed)
    found = canaries.from_trials(scores[sign > 0], scores[sign < 0], delta)
    figures = {"rounds": rounds, **found._asdict(), "claimed": claimed, "delta": delta}
    return {"attack": "canaries", "observer": "steps", "way": "trials", **figures, "over_rounds": [figures]}
