"""Who does what when. One file per protocol; the plan and the driver they share stand here.

A protocol is a `NamedTuple` of its parameters, registered with `@component("protocol", name)`. It
says which slot hosts whom, and in each round who sends to whom. A planner turns that into a
`Plan`; `execute` carries the plan out in compiled code, knowing nothing of protocols or time.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.kernels import operation
from sottovoce.state import Doubles, Ints, Longs

NOBODY = -1


class Messages(NamedTuple):
    """Messages that will arrive, in an order that decides between those that arrive at one time."""

    sender: Ints  # the slot, or NOBODY: the receiver just trains
    receiver: Ints
    start: Doubles  # when the transfer begins
    end: Doubles  # when it ends
    number: Longs  # which of its sender's messages it is
    place: Ints  # the snapshot that holds it already, or -1


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
    copies: Longs  # [L + 1], where the snapshots to take before each level begin
    copied: Ints  # the slot that snapshot `into` is taken of
    into: Ints
    number: Longs  # of the message that is written there, where each has a snapshot of its own


@operation
def hosts(protocol, people):
    """The slot that each of `people` persons trains on, as an array, and the number of slots."""


@operation
def exchanges(protocol, peers, views, timing, size, run, round):
    """The `Messages` that are sent in this round and get through, and how many were sent in all.

    `size` is what a message is of a full model.
    """


@operation(default=lambda protocol, people: hosts(protocol, people)[1])
def nodes(protocol, people):
    """How many nodes have links of their own; by default one for every slot. Python only."""


@operation(default=lambda protocol, people: {})
def keeps(protocol, people):
    """Arrays by name that a protocol remembers from round to round; checkpoints hold them.

    Names are the protocol's own: they may be those of arrays of the engine. Python only.
    """


@operation(default=lambda protocol, views: np.empty(0, np.bool_))
def relays(protocol, views):
    """Which nodes' models others pass on as they are; nothing: nobody's. Python only."""


@operation(default=lambda protocol: None)
def aggregates(protocol):
    """How the server of this protocol aggregates; None: as the recipe says, or there is none. Python only."""


@operation
def prepare(protocol, network):
    """Compile all that a round of a `Simulation` needs, without changing it. Python only."""


@operation
def advance(protocol, network, rounds):
    """Run a `Simulation` for so many rounds. Python only.

    What is not defined otherwise plans the messages of `exchanges`.
    """


@operation
def trainings(protocol, timed, size):
    """How often a person is expected to train in one round; `timed` as in `Timing`, `size` of a message."""


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
        copies=np.zeros(2, np.int64),
        copied=none,
        into=none,
        number=np.empty(0, np.int64),
    )
