"""What protocols with one server share: everybody trains the server's model, and what participants send."""

from typing import Any

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure
from sottovoce.protocols.interface import hosts, trainings
from sottovoce.state import Hosts, all_together

PRESENCE = Disclosure(
    "who takes part in an aggregation, and when",
    "the server",
    "When a device is online and free. What it sees of people's updates depends on how they are summed.",
)
"""What a server knows of participants however their updates are summed."""


def _hosts(protocol: Any, train: Interactions, seed: int) -> Hosts:
    return all_together(train.people)


def _trainings(protocol: Any, timed: bool, size: float) -> float:
    return 1 / (1 + size) if timed else 1


def served(protocol: type) -> type:
    """Make a protocol one with a single server: it needs only `participants` besides."""
    hosts.rule(protocol)(_hosts)
    trainings.rule(protocol)(_trainings)
    return protocol
