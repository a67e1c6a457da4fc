"""Small networks for tests, and a slow one that does what the engine does, message by message."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from sottovoce.combine.linear import Linear
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols import NOBODY, absorb, exchanges
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.engine import Simulation
from sottovoce.state import Tables


def ratings(table: list[list[float]], low: float = 1.0, high: float = 5.0) -> Interactions:
    """Interactions from rows of ratings, where 0 means none."""
    matrix = np.array(table, np.float32)
    person, item = np.nonzero(matrix)
    counts = np.bincount(person, minlength=len(matrix))
    return Interactions(
        name="test",
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        item=item.astype(np.int32),
        value=matrix[person, item],
        time=np.zeros(len(item), np.int64),
        users=np.arange(len(matrix)).astype(str),
        catalog=Catalog("test", np.arange(matrix.shape[1]).astype(str)),
        scale=(low, high),
    )


@st.composite
def communities(
    draw: st.DrawFn, people: tuple[int, int] = (2, 9), items: tuple[int, int] = (1, 12)
) -> Interactions:
    """Random small communities, people without any rating among them."""
    shape = draw(st.tuples(st.integers(*people), st.integers(*items)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = rng.integers(1, 6, shape) * (rng.random(shape) < draw(st.floats(0.0, 1.0)))
    return ratings(matrix.tolist())


def simulate(model: Any, data: Interactions, **parts: Any) -> Simulation:
    """A simulation with everything but the model and the data filled in."""
    defaults: dict[str, Any] = {"merge": Linear(), "peers": Uniform(), "rounds": 10}
    protocol, seed = parts.pop("protocol", Gossip()), parts.pop("seed", 1)
    return Simulation(model, protocol, data, seed, **(defaults | parts))


def copy_of(tables: Tables) -> Tables:
    """An independent copy, of the same type."""
    return type(tables)(*(array.copy() for array in tables))


def advance_slowly(simulation: Simulation, rounds: int) -> None:
    """What `Simulation.advance` must equal: copy the whole network, deliver one message at a time.

    `absorb` is called as the plain Python function it is; no plan, no levels, no compiled code.
    """
    s = simulation
    for _ in range(rounds):
        before = copy_of(s.tables)
        sender, receiver = exchanges(s.protocol, s.peers, s.links, s.tables.slots, s.seed, s.round)
        for origin, slot in zip(sender, receiver, strict=True):
            source = int(origin) if origin == NOBODY else s.tables.slots + int(origin)
            absorb(s.merge, s.model, s.tables, before, int(slot), source, s.people, s.seed)
        s.round += 1


def assert_same(a: Simulation, b: Simulation) -> None:
    """Both networks are in the same state, to the last bit."""
    for name, values in a.state().items():
        if name not in ("counters", "seconds"):
            np.testing.assert_array_equal(values, b.state()[name], err_msg=name)
