"""Aggregations by hand: who takes part, who is heard, and what their updates are."""

from typing import Any

import numpy as np

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.models.gmf import GMF
from sottovoce.protocols._participants import Groups
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation
from sottovoce.simulate.observe import of_participants
from tests.networks import ratings, simulate

MODEL = GMF(factors=3, negatives=1)


def federation(
    people: int, sum: Any, rule: Any = None, seed: int = 1, items: int = 12, **more: Any
) -> Simulation:
    """A federation in which people have some of few items; one of them has none."""
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < 0.4)
    table[0] = 0
    protocol = more.pop("protocol", Federated())
    rule = MFFedAvg() if rule is None else rule
    return simulate(MODEL, ratings(table.tolist()), protocol=protocol, merge=rule, sum=sum, seed=seed, **more)


def everybody(simulation: Simulation, unheard: tuple[int, ...] = ()) -> Groups:
    """One aggregation of everybody, of whom some are not heard."""
    people = np.arange(len(simulation.people.steps))
    heard = ~np.isin(people, unheard)
    return Groups(np.array([0, len(people)]), people, heard, len(people), np.zeros(2, np.int64), people[:0])


def updates(simulation: Simulation, groups: Groups) -> dict[str, Any]:
    """What those who are heard will send in the next aggregation."""
    driver = simulation.driver
    asked = driver._asked(0, 0.0)
    heard = groups.persons[groups.heard]
    (record,) = of_participants(simulation, driver.aggregator.parts, asked, heard, False)
    return record


def aggregate(simulation: Simulation, groups: Groups) -> np.ndarray:
    """Carry the aggregation out."""
    s = simulation
    return s.driver.aggregator.aggregate(s.tables, 0, s.people, groups, s.seed, batch=1)
