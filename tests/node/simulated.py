"""Nodes that stand for the people of a simulation, and communities of two."""

from typing import Any

import numpy as np

from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Whole
from sottovoce.exchange.message import Message, emit, received
from sottovoce.models.mf import MF
from sottovoce.node import Community, Key, Met, Node, remembered
from sottovoce.state import Tables

ITEMS = [f"film {n}" for n in range(12)]


def pair(**settings: Any) -> list[Node]:
    """Two nodes of one community, with different histories."""
    community = Community(ITEMS, MF(factors=3), **settings)
    return [Node(community, ITEMS[:4], b"a" * 16), Node(community, ITEMS[3:8], b"b" * 16)]


def history(data: Any, person: int) -> dict[str, float]:
    """A person's items with their ratings."""
    return {one.item: one.value for one in met(data, person)}


def met(data: Any, person: int) -> list[Met]:
    """A person's interactions, with their times."""
    own = slice(data.indptr[person], data.indptr[person + 1])
    columns = data.catalog.ids[data.item[own]], data.value[own], data.time[own]
    return [Met(*one) for one in zip(*(column.tolist() for column in columns), strict=True)]


def nodes_of(simulation: Any, data: Any, **settings: Any) -> list[Node]:
    """A node for each person of a simulation, in a community with the same settings."""
    options = {"seed": simulation.seed, "scale": data.scale, "steps": simulation.steps} | settings
    community = Community(data.catalog.ids.tolist(), simulation.model, **options)
    return [
        Node(community, history(data, person), Key.simulated(simulation.seed, person))
        for person in range(data.people)
    ]


def gossip(sender: Any, nodes: list[Node], rounds: int) -> None:
    """Let nodes exchange bytes: the messages of `sender`, a simulation that is not advanced itself."""
    relayed = sender.receivers.relayed
    for round in range(rounds):
        sent, _ = sender.driver.send(round)
        order = sorted(range(len(sent.sender)), key=lambda n: (sent.sender[n], sent.number[n]))
        letters = {}
        for n in order:  # everybody sends when a round begins, each its messages in order
            who = int(sent.sender[n])
            nodes[who].sent = int(sent.number[n])  # where too few peers are found, numbers are left out
            letters[n] = nodes[who].emit(relay=len(relayed) > 0 and bool(relayed[who]))
        for n in np.argsort(sent.end, kind="stable"):
            nodes[sent.receiver[n]].absorb(letters[n])


def assert_same(simulation: Any, nodes: list[Node]) -> None:
    """Every node has the model, the vector, the optimizer and the remainder of its person, bit by bit."""
    count, people, private = simulation.items, simulation.people, simulation.private
    for slot, node in enumerate(nodes):
        held, rows, one = node._state(), slice(count * slot, count * (slot + 1)), slice(slot, slot + 1)
        for name, expected in (
            ("rows", simulation.tables.rows[rows]),
            ("age", simulation.tables.age[rows]),
            ("head", simulation.tables.head[one]),
            ("clock", simulation.tables.clock[one]),
            ("user", people.user[one]),
            ("steps", people.steps[one]),
            ("optimizer", people.optimizer[one]),
            ("private rows", private.rows[rows]),
            ("private age", private.age[rows]),
            ("private head", private.head[one]),
        ):
            np.testing.assert_array_equal(held[name], expected, err_msg=f"{name} of {slot}")


def whole_model(community: Community, tables: Tables, slot: int = 0) -> bytes:
    """A model without compression, as a server sends it."""
    stamp = community.stamp(2**64 - 1, int(tables.clock[slot]))
    return codec.encode(emit(tables, slot, Whole())._replace(**stamp))


def opened(update: Message) -> Tables:
    """What codes of an update stand for; an update has no ages, which models have."""
    return received(update._replace(age=np.zeros(len(update.rows), np.int32)))


def snapshot(node: Node) -> dict[str, Any]:
    """Everything that a node would write into its file, apart from its history."""
    return {name: array.copy() for name, array in (node._state() | remembered.packed(node)).items()}


def unchanged(node: Node, before: dict[str, Any]) -> None:
    """Nothing became of a node since then."""
    for name, array in snapshot(node).items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
