"""Small networks for tests, and a slow one that does what the engine does, message by message."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from sottovoce.data.interactions import Interactions
from sottovoce.exchange.codec import size
from sottovoce.exchange.pack import pack
from sottovoce.protocols.execute import absorb
from sottovoce.simulate.engine import Simulation
from sottovoce.state import Tables
from sottovoce.testing import ratings, simulate
from tests.events import sent


@st.composite
def communities(
    draw: st.DrawFn, people: tuple[int, int] = (2, 9), items: tuple[int, int] = (1, 12)
) -> Interactions:
    """Random small communities, people without any rating among them."""
    shape = draw(st.tuples(st.integers(*people), st.integers(*items)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = rng.integers(1, 6, shape) * (rng.random(shape) < draw(st.floats(0.0, 1.0)))
    return ratings(matrix.tolist())


def copy_of(tables: Tables) -> Tables:
    """An independent copy, of the same type."""
    return type(tables)(*(array.copy() for array in tables))


__all__ = ["advance_slowly", "assert_same", "communities", "copy_of", "ratings", "simulate"]


def advance_slowly(simulation: Simulation, rounds: int) -> None:
    """What `Simulation.advance` must equal: one event after the other, from a list sorted by time.

    Messages are those of `tests.events`, from the definitions. `absorb` is called as the plain Python
    function it is; no plan, no levels, no compiled code.
    """
    s = simulation
    slots = s.tables.slots
    # A spike of clusters gossips like gossip, one slot being one node.
    pushes = getattr(s.protocol, "pushes", 1)
    count, some = max(1, int(s.chain.share * s.items)), s.chain.share < 1
    coded, plain = (size(count, s.shape.row, s.shape.head, some, bits) for bits in (s.chain.bits, 32))
    share = count / s.items * (coded / plain)
    events: list[tuple[float, int, int, Any]] = []
    for round in range(s.round, s.round + rounds):
        begin, end = round * s.timing.round, (round + 1) * s.timing.round
        for one in sent(s, begin, end, pushes, share):
            s.messages += 1
            if one.arrives:
                message = {"from": one.sender, "to": one.receiver, "number": one.number}
                events += [(one.end, 0, len(events), message), (one.start, 1, len(events), message)]
    # What arrives at the moment of sending has arrived before; among equals, the order of sending.
    for time, begins, _, message in sorted(events, key=lambda event: event[:3]):
        if time > (s.round + rounds) * s.timing.round:
            break
        if begins:
            message["sent"] = s.pool(1)
            written = message["sent"], 0, s.seed, message["number"]
            pack(s.chain, s.tables, message["from"], s.people, s.driver.reference, *written)
        else:
            taken = message["sent"], message["to"], slots, message["from"]
            absorb(*s.driver.learning, s.tables, s.private, *taken, s.people, s.receivers, s.seed)
            s.arrived += 1
    s.round += rounds


def assert_same(a: Simulation, b: Simulation) -> None:
    """Both networks are in the same state, to the last bit."""
    for name in ("rows", "age", "head", "clock", "user", "steps"):
        np.testing.assert_array_equal(a.state()[name], b.state()[name], err_msg=name)
