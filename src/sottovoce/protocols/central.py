"""Central training: one model for everybody, trained on all data in one place.

What a service that collected all data would do with the same model; the yardstick for the others. How
a pass over all data is made is the model's business (`together`): most let each person train in turn.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.kernels import driver, helper
from sottovoce.models.training import train_together_stored
from sottovoce.protocols.interface import advance, exchanges, hosts, prepare, training, trainings
from sottovoce.registry import component


@component("protocol", "central")
class Central(NamedTuple):
    """One model, all data."""

    start: Literal["common", "independent"] = "independent"
    """Whether people begin with the same vector, or each with an own one."""


@hosts.rule(Central)
def _hosts(protocol, people):
    return np.zeros(people, np.int32), 1


@trainings.rule(Central)
def _trainings(protocol, timed, size):
    return 1


@exchanges.rule(Central)
def _exchanges(protocol, peers, views, timing, size, run, round):
    return training(1, round), 0


@discloses.rule(Central)
def _discloses(component):
    told = "Everything. Central training is a yardstick, and no way to keep data private."
    return (Disclosure("all that people did", "the one place that trains", told),)


@helper
def _count(tables, people):
    people.steps[:] += 1
    tables.clock[0] += len(people.steps)


@driver
def _round(tables, model, people, run):
    train_together_stored(tables, 0, model, people, run)
    _count(tables, people)


@prepare.rule(Central)
def _prepare(protocol: Central, network: Any) -> None:
    _round.compile(network.tables, network.model, network.people, network.seed)


@advance.rule(Central)
def _advance(protocol: Central, network: Any, rounds: int) -> None:
    for _ in range(rounds):
        _round(network.tables, network.model, network.people, network.seed)
        network.round += 1
