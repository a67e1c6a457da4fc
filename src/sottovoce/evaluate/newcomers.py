"""People who come when a network has learnt: each takes the model of one peer, and is served at once.

A newcomer has taken part in no round. The model of a random peer (or of the server) arrives in one message.
The newcomer trains a copy of it on the own items, which with a model that is solved from sums (`als`) means
to solve the private vector exactly. Nothing goes back to the network.
"""

from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.tuned import tuned
from sottovoce.exchange import codec
from sottovoce.models.start import start
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.interface import common_vectors
from sottovoce.simulate.engine import Simulation, people_with
from sottovoce.state import Ints, People, Tables, hosted_by, whole

ASKED = -(1 << 22)
"""The number of the random order of models in which newcomers take them."""


def asked_slots(network: Simulation, newcomers: int) -> Ints:
    """The slot of the network whose model each newcomer takes, [newcomers]; a different one for each."""
    order: Ints = shuffled(network.tables.slots, network.seed, ASKED)
    return order[np.arange(newcomers) % len(order)]


def message_bytes(network: Simulation) -> int:
    """The length of the message in which a newcomer takes a model."""
    return codec.size(network.items, network.shape.row, network.shape.head, False)


def served(
    network: Simulation,
    train: Interactions,
    trainings: int = 1,
    weighting: Interactions | None = None,
    candidates: Ints | None = None,
) -> tuple[Any, Tables, People]:
    """What newcomers with the items of `train` recommend with: the model, their tables, and themselves.

    Models may treat people without `weighting` sets in another way; `candidates` are those of these sets.
    They are numbered after the people of the network. Each trains `trainings` times; 0 leaves the model and
    the person's vector as they are.
    """
    model, slots, (row, head, _) = network.model, network.tables.slots, network.shape
    hosts = hosted_by(asked_slots(network, train.people), slots)
    people = people_with(model, network.shape, hosts, train, weighting, candidates)
    people = people._replace(key=people.key + len(network.people.steps))
    alike, count = common_vectors(network.protocol), train.people
    start(model, whole(0, network.items, row, head), people, network.seed, True, alike, batch=count)
    tables, people = tuned(model, network.tables, people, network.seed, trainings)
    return model, tables, people
