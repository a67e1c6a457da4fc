"""What a simulated network consists of: its components, its models and people, and how far it has come."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sottovoce.combine.sums.interface import Task, upload
from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Chain, Whole, rows
from sottovoce.models.interface import Shape
from sottovoce.peers.interface import Views
from sottovoce.privacy.guarantee import Guarantee
from sottovoce.state import People, Receivers, Storage, Tables, gathered, whole
from sottovoce.timing import Timing

if TYPE_CHECKING:
    from sottovoce.simulate.attackers import Attackers
    from sottovoce.simulate.observe import Observation

Arrays = dict[str, Any]
"""Arrays by name, as a checkpoint holds them."""


class Traffic(NamedTuple):
    """What was sent: how many messages, how many of them arrived, and their bytes."""

    messages: int = 0
    arrived: int = 0
    bytes: int = 0

    def and_also(self, other: "Traffic") -> "Traffic":
        """Both together."""
        return Traffic(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass(eq=False)
class World:
    """Components are fixed; tables, people, private remainders, receivers and views change.

    Components may come from other packages, and have no class in common: `Any` is what their types say.
    """

    model: Any
    protocol: Any
    merge: Any  # a merge rule, or with a server a rule of aggregation
    peers: Any
    sum: Any  # where updates are summed
    task: Task  # what is summed
    chain: Chain | Whole  # what is done to a message
    steps: tuple[Any, ...]  # what is done to an update before anybody else sees it
    seed: int
    timing: Timing
    storage: Storage
    shape: Shape
    items: int
    tables: Tables
    people: People
    private: Tables  # a slot for every person, or none where everything is disclosed
    receivers: Receivers
    views: Views
    kept: Arrays  # what the protocol remembers
    observation: "Observation | None" = None
    attackers: "Attackers | None" = None
    promise: Guarantee | None = None  # differential privacy, if a step or the sum gives it
    round: int = field(default=0, init=False)
    observing: float = field(default=0.0, init=False)  # seconds that recording took

    def observed(self, rounds: int = 1) -> bool:
        """Whether somebody observes one of the next rounds."""
        watch = self.observation
        return watch is not None and any(watch.covers(self.round + n + 1) for n in range(rounds))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The time of this block is that of observers, and not of training."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.observing += time.perf_counter() - began

    @property
    def now(self) -> float:
        """The time in the network, in seconds."""
        return self.round * self.timing.round

    @property
    def size(self) -> float:
        """The size of a message, or of all that gives an update, with a full model as the unit."""
        return float(upload(self.sum, self.task))

    @property
    def message_bytes(self) -> int:
        """The size of a message in the real codec."""
        held, chain = rows(self.chain, self.items), self.chain
        return codec.size(held, self.shape.row, self.shape.head, chain.share < 1, chain.bits)

    def pool(self, places: int) -> Tables:
        """Room for as many messages as there are `places`."""
        if isinstance(self.chain, Whole):
            return whole(places, self.items, self.shape.row, self.shape.head, self.storage)
        if self.chain.share >= 1:
            return whole(places, self.items, self.shape.row, self.shape.head)
        return gathered([rows(self.chain, self.items)] * places, self.shape.row, self.shape.head)
