"""Small communities, and simulations of them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from sottovoce.combine.linear import Linear
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.kernels import Driver
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.engine import Simulation


def ratings(table: Sequence[Sequence[float]], low: float = 1.0, high: float = 5.0) -> Interactions:
    """Interactions from rows of ratings, one row a person; 0 means none."""
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


def checkerboard(size: int = 20, disliked: float = 0.0) -> Interactions:
    """People with even numbers like even items, people with odd numbers odd ones.

    Person n has not met items n and n + 1. Items of the other colour are rated `disliked`; 0: not met.
    """
    board = np.zeros((size, size))
    for person in range(size):
        for item in range(size):
            withheld = item in (person, (person + 1) % size)
            board[person, item] = 0 if withheld else 5 if person % 2 == item % 2 else disliked
    return ratings(board.tolist())


def simulate(model: Any, data: Interactions, **parts: Any) -> Simulation:
    """A simulation with everything but the model and the data filled in."""
    defaults: dict[str, Any] = {"merge": Linear(), "peers": Uniform(), "rounds": 10}
    protocol, seed = parts.pop("protocol", Gossip()), parts.pop("seed", 1)
    return Simulation(model, protocol, data, seed, **(defaults | parts))


@contextmanager
def uncompiled() -> Iterator[None]:
    """Inside this block kernels run as the plain Python that they are."""
    call, compile = Driver.__call__, Driver.compile
    Driver.__call__ = lambda self, *arguments, batch=1: self.plain(*arguments)  # type: ignore[method-assign]
    Driver.compile = lambda self, *arguments, batch=1: None  # type: ignore[method-assign]
    try:
        with np.errstate(over="ignore"):  # hashes
            yield
    finally:
        Driver.__call__, Driver.compile = call, compile  # type: ignore[method-assign]
