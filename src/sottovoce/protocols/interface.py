"""Who does what when: what a protocol consists of.

A protocol is a `NamedTuple` of its parameters, registered with `@component("protocol", name, topology=…)`.
Its topology says what there is:

| topology  | models                     | what a round is                                                |
|-----------|----------------------------|----------------------------------------------------------------|
| `peers`   | one per slot, no server    | the messages of `exchanges`, planned and carried out           |
| `server`  | one on each server         | aggregations with the `participants` that the protocol chooses |
| `consensus` | one per person, no server | everybody contributes, sums among peers, moves                |
| `central` | one, with everybody's data | everybody trains, and nobody sends anything                    |

Protocols decide, and return what they decided. `simulate` carries it out, counts it, and calls them again.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.kernels import operation
from sottovoce.peers.interface import Views
from sottovoce.protocols._participants import Aggregation, Groups
from sottovoce.protocols.hosted import InTurn
from sottovoce.state import Bools, Doubles, Floats, Hosts, Ints, Longs
from sottovoce.timing import Timing

NOBODY = -1


class Messages(NamedTuple):
    """Messages that will arrive. Their order decides between those that arrive at one time."""

    sender: Ints  # the slot, or NOBODY: the receiver just trains
    receiver: Ints
    start: Doubles  # when the transfer begins
    end: Doubles  # when it ends
    number: Longs  # which of its sender's messages it is
    place: Ints  # the snapshot that holds it already, or -1

    def only(self, some: Bools) -> "Messages":
        """Some of them."""
        columns: Any = (column[some] for column in self)
        return Messages(*columns)


class Plan(NamedTuple):
    """Operations on slots, sorted by level: those of one level do not depend on each other.

    A receiver takes its messages in order, and its people train after each. A message comes from
    a slot, from snapshot s (written as slots + s), or from NOBODY, which means training alone.
    """

    level: Longs  # [L + 1], where each level's receivers begin
    receiver: Ints  # the slot
    first: Longs  # [receivers + 1], where each receiver's messages begin
    source: Ints  # where each message comes from
    sender: Ints  # and whose model it is
    message: Longs  # and its place among the messages that were planned
    copies: Longs  # [L + 1], where the snapshots to take before each level begin
    copied: Ints  # the slot that snapshot `into` is taken of
    into: Ints
    number: Longs  # of the message that is written there, where each has a snapshot of its own


# Every protocol


@operation(default=lambda protocol, train: protocol)
def fitted(protocol: Any, train: Interactions) -> Any:
    """The protocol with settings filled in that it leaves to the data. Python only."""


@operation
def hosts(protocol: Any, train: Interactions, seed: int) -> Hosts:
    """The `Hosts` of the people who hold the interactions `train`: which slot trains with whose data."""


@operation
def trainings(protocol: Any, timed: bool, size: float) -> float:
    """How often a person is expected to train in one round; `timed` as in `Timing`, `size` of a message."""


@operation(by="topology")
def nodes(protocol: Any, train: Interactions, seed: int) -> int:
    """How many nodes have links of their own. Python only."""


@nodes.rule("peers")
def _slots(protocol: Any, train: Interactions, seed: int) -> int:
    found: Hosts = hosts(protocol, train, seed)
    return found.slots


@nodes.rule("server")
@nodes.rule("consensus")
def _people(protocol: Any, train: Interactions, seed: int) -> int:
    return train.people


@nodes.rule("central")
def _one(protocol: Any, train: Interactions, seed: int) -> int:
    return 1


@operation(default=lambda protocol: getattr(protocol, "start", "common") == "common")
def common_start(protocol: Any) -> bool:
    """Whether all begin with the same model. By default as the setting `start` says."""


@operation(default=lambda protocol: bool(common_start(protocol)))
def common_vectors(protocol: Any) -> bool:
    """Whether people's vectors begin alike. By default as models do."""


@operation(default=lambda protocol: InTurn())
def hosted(protocol: Any) -> Any:
    """How the people of one slot train, a component of `protocols.hosted`: by default in turn."""


@operation(default=lambda protocol, people: {})
def keeps(protocol: Any, people: int) -> dict[str, Any]:
    """Arrays by name that a protocol remembers from round to round; checkpoints hold them.

    Names are the protocol's own: they may be those of arrays of the engine. Python only.
    """


# Peers


def _no_messages(
    protocol: Any, peers: Any, views: Views, timing: Timing, size: float, run: int, round: int
) -> tuple[Messages, int]:
    raise TypeError(f"{type(protocol).__name__} does not implement exchanges")


@operation(default=_no_messages)
def exchanges(
    protocol: Any, peers: Any, views: Views, timing: Timing, size: float, run: int, round: int
) -> tuple[Messages, int]:
    """The `Messages` that are sent in this round and get through, and how many were sent in all.

    `size` is the size of a message, with a full model as the unit.
    """


@operation(default=lambda protocol, views: np.empty(0, np.bool_))
def relays(protocol: Any, views: Views) -> Bools:
    """Which nodes' models others pass on as they are; nothing: nobody's. Python only."""


@operation(default=lambda protocol, items, row, head: (0, 0))
def inside(protocol: Any, items: int, row: int, head: int) -> tuple[int, int]:
    """How many messages, and how many bytes, the people of a slot exchange among themselves when they train.

    `items`, `row` and `head` are the sizes of a model. By default nothing. Python only.
    """


# Servers


def _no_participants(protocol: Any, kept: dict[str, Any], user: Floats, asked: Aggregation) -> Groups:
    raise TypeError(f"{type(protocol).__name__} does not implement participants")


@operation(default=_no_participants)
def participants(protocol: Any, kept: dict[str, Any], user: Floats, asked: Aggregation) -> Groups:
    """The `Groups` that answer in the aggregation `asked`; without time, in all of a round's. Python only.

    `kept` is what the protocol keeps, `user` [U, p] people's vectors, which only protocols with
    `sees_vectors` may look at.
    """


@operation(default=lambda protocol: getattr(protocol, "participants", 0))
def group_size(protocol: Any) -> int:
    """How many people take part in an aggregation; 0: everybody. By default the setting `participants`."""


@operation(default=lambda protocol: getattr(protocol, "dropout", 0.0))
def dropout(protocol: Any) -> float:
    """The share of participants that never answer. By default the setting `dropout`, or none."""


@operation(default=lambda protocol, kept: np.empty(0, np.float32))
def lengths(protocol: Any, kept: dict[str, Any]) -> Floats:
    """An array of `kept` [U] that takes the length of each person's last update; empty: nobody asks."""


@operation(default=lambda protocol: None)
def aggregates(protocol: Any) -> Any:
    """How the server of this protocol aggregates; None: as the recipe says. Python only."""


@operation(default=lambda protocol: False)
def sees_vectors(protocol: Any) -> bool:
    """Whether people's vectors go to the server and back with every message. Python only."""


@operation(default=lambda protocol, kept, user, before, groups, done: None)
def settle(
    protocol: Any, kept: dict[str, Any], user: Floats, before: Floats, groups: Groups, done: Aggregation
) -> None:
    """What a server that sees vectors does with them after an aggregation, the `done.number`-th. Python only.

    `before` holds the vectors of `groups.persons` as they were before they trained.
    """


# What several protocols share


def training(slots: int, round: int) -> Messages:
    """The messages of a round in which every slot trains, and nobody sends anything."""
    return Messages(
        sender=np.full(slots, NOBODY, np.int32),
        receiver=np.arange(slots, dtype=np.int32),
        start=np.full(slots, float(round)),
        end=np.full(slots, float(round)),
        number=np.full(slots, round, np.int64),
        place=np.full(slots, -1, np.int32),
    )


def no_messages() -> Messages:
    """No messages at all."""
    return training(0, 0)


def alone(slots: int) -> Plan:
    """The plan in which every slot trains once, and nobody sends anything."""
    every = np.arange(slots, dtype=np.int32)
    none = np.empty(0, np.int32)
    return Plan(
        level=np.array([0, slots]),
        receiver=every,
        first=np.arange(slots + 1),
        source=np.full(slots, NOBODY, np.int32),
        sender=np.full(slots, NOBODY, np.int32),
        message=np.arange(slots),
        copies=np.zeros(2, np.int64),
        copied=none,
        into=none,
        number=np.empty(0, np.int64),
    )
