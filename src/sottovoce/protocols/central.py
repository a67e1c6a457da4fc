"""Central training: one model for everybody, trained on all data in one place.

What a service that collected all data would do with the same model; the yardstick for the others. How
a pass over all data is made is the model's business (`together`): most let each person train in turn.
"""

from typing import Any, Literal, NamedTuple

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.protocols.hosted import Together
from sottovoce.protocols.interface import hosted, hosts, trainings
from sottovoce.registry import component
from sottovoce.state import Hosts, all_together


@component("protocol", "central", topology="central")
class Central(NamedTuple):
    """One model, all data."""

    start: Literal["common", "independent"] = "independent"
    """Whether people begin with the same vector, or each with their own."""


@hosts.rule(Central)
def _hosts(protocol: Central, train: Interactions, seed: int) -> Hosts:
    return all_together(train.people)


@hosted.rule(Central)
def _hosted(protocol: Central) -> Together:
    return Together()


@trainings.rule(Central)
def _trainings(protocol: Central, timed: bool, size: float) -> float:
    return 1


@discloses.rule(Central)
def _discloses(component: Any) -> tuple[Disclosure, ...]:
    reveals = "Everything. Central training is a yardstick, and no way to keep data private."
    return (Disclosure("all that people did", "the one place that trains", reveals),)
