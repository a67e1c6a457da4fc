"""Central training: one model for everybody, trained by each person in turn.

What a service that collected all data would do with the same model; the yardstick for the others.
"""

from typing import Literal, NamedTuple

import numpy as np

from sottovoce.protocols import exchanges, hosts, training, trainings
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
