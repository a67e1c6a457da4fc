"""A lower bound on the ε of a run's noise, from canaries that are sent through it.

| trust         | who adds noise         | what is attacked                                                |
|---------------|------------------------|-----------------------------------------------------------------|
| `local`       | each person, all of it | an update, which others receive                                 |
| `distributed` | each person, a share   | the smallest sum that people take part in, which the server has, |
|               |                        | or which the members of a group have who know their own share   |
| `central`     | a trusted server       | the sum by which the model of the server moves, which all have  |
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.combine.sums.secure import Secure
from sottovoce.evaluate.audit import canaries, protected, summed
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.privacy.guarantee import Guarantee, calibrated, summed_at_least

if TYPE_CHECKING:
    from sottovoce.simulate.engine import Simulation

TRIALS = 2000
CANARIES = 2000
"""In sums; whole groups of them, so there can be more."""


def attack(network: "Simulation", sum: Any, rounds: int) -> dict[str, Any]:
    """The bound for everything that a person discloses in so many rounds, beside what is promised.

    `sum` is the run's way of summing, which the network need not have any more.
    """
    promise = network.promise
    if promise is None or promise.trust == "local":
        return _entry("steps", "trials", rounds, _of_updates(network, promise, rounds), promise)
    sums = min(rounds, promise.disclosures)
    observer = "sums" if promise.trust == "distributed" else "participant"
    if network.protocol.topology == "consensus":
        return _entry(observer, "one run", sums, _of_groups(network, promise, sums), promise)
    return _entry(observer, "one run", sums, _of_sums(network, calibrated(sum), promise, sums), promise)


def _of_groups(network: "Simulation", promise: Guarantee, sums: int) -> canaries.Bound:
    """The sum of a group, for a member that takes its own share away: those of the survivors are left."""
    places = network.steps[-1].places
    same = Secure(bits=64, row_places=places, head_places=places, threshold=0.5, fewest=1)
    return _bound(network, same, summed.Group(promise.survivors, promise.survivors, sums), promise)


def _of_updates(network: "Simulation", promise: Guarantee | None, rounds: int) -> canaries.Bound:
    sign = np.where(np.arange(TRIALS) % 2 == 0, 1, -1)
    row, head, _ = network.shape
    scores = protected.scores(sequence(network.steps), network.people, row, head, sign, rounds, network.seed)
    delta = promise.delta if promise else 0.0
    return canaries.from_trials(scores[sign > 0], scores[sign < 0], delta)


def _of_sums(network: "Simulation", sum: Any, promise: Guarantee, sums: int) -> canaries.Bound:
    task = network.task
    everybody = task.group or task.people
    group = summed.Group(everybody, everybody, sums)
    if promise.survivors:
        least = summed_at_least(sum, everybody)
        smallest = next(n for n in range(least, everybody + 1) if summed_at_least(sum, n) == least)
        group = summed.Group(smallest, least, sums)
    return _bound(network, sum, group, promise)


def _bound(network: "Simulation", sum: Any, group: summed.Group, promise: Guarantee) -> canaries.Bound:
    count = -(-CANARIES // group.heard) * group.heard
    present = summed.coins(count, network.seed)
    parts = sequence(network.steps), sum, network.task, network.people, group, present, network.seed
    return canaries.one_run(summed.scores(*parts), present, promise.delta)


def _entry(
    observer: str, way: str, rounds: int, found: canaries.Bound, promise: Guarantee | None
) -> dict[str, Any]:
    promised = {
        "claimed": promise.epsilon if promise else None,
        "delta": promise.delta if promise else 0.0,
    }
    figures = {"rounds": rounds, **found._asdict(), **promised}
    return {"attack": "canaries", "observer": observer, "way": way, **figures, "over_rounds": [figures]}
