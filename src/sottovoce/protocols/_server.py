"""What protocols with one server share: everybody trains the server's model, and what participants send."""

from typing import Any

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure
from sottovoce.protocols.interface import hosts, trainings
from sottovoce.state import Hosts, all_together

CHANGES = Disclosure(
    "how training changed items' rows and the head, and the number of instances it was on",
    "the server",
    "Which rows changed tells what was rated, though sampled negatives are among them. How they changed "
    "tells more: after a single step of plain SGD even the ratings (Chai et al. 2021).",
)
"""What every participant of an aggregation sends."""


def _hosts(protocol: Any, train: Interactions, seed: int) -> Hosts:
    return all_together(train.people)


def _trainings(protocol: Any, timed: bool, size: float) -> float:
    return 1 / (1 + size) if timed else 1


def served(protocol: type) -> type:
    """Make a protocol one with a single server: it needs only `participants` besides."""
    hosts.rule(protocol)(_hosts)
    trainings.rule(protocol)(_trainings)
    return protocol
