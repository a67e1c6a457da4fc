"""A whole network in memory, advanced round by round in compiled code."""

import time
from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.exchange import codec
from sottovoce.models import Context, resolve, shape
from sottovoce.peers import links
from sottovoce.protocols import alone, exchanges, execute, hosts, start, trainings
from sottovoce.simulate.plan import SPARE, synchronous
from sottovoce.state import Tables, people, whole


class Simulation:
    """Models and people of one run, and how far it has come.

    Everything that decides the result is in the arguments and in the arrays that `state` returns:
    random numbers are a function of the seed and of where they are used.
    """

    def __init__(
        self,
        model: Any,
        protocol: Any,
        train: Interactions,
        seed: int,
        *,
        merge: Any,
        peers: Any,
        rounds: int,
        weighting: Interactions | None = None,
    ) -> None:
        host, slots = hosts(protocol, train.people)
        calls, sharing = rounds * trainings(protocol), train.people / slots
        context = Context(train.items, *train.scale, calls=calls, sharing=sharing)
        self.model = resolve(model, context)
        self.protocol, self.merge, self.peers, self.seed = protocol, merge, peers, seed
        self.shape = shape(self.model)
        self.tables = whole(slots, train.items, self.shape.row, self.shape.head)
        self.people = people(self.shape.user, train.indptr, train.item, train.value, host, slots, weighting)
        np.add.at(self.tables.size, host, np.diff(train.indptr).astype(np.int32))
        self.snapshots = self._pool(0)
        self.links = links(peers, slots, seed)
        self.round = self.messages = 0
        self.seconds = 0.0
        common = protocol.start == "common"
        start(self.model, self.tables, self.people, seed, common, batch=slots)

    @staticmethod
    def memory(model: Any, protocol: Any, people: int, items: int) -> int:
        """Bytes of all models and snapshots, as a run with these components will need.

        With p messages per node and round, the planner was seen to copy a little less than
        (p − 1) / (p + 2) of all models, and it may copy one in SPARE more.
        """
        slots, size, sent = hosts(protocol, people)[1], shape(model), trainings(protocol)
        table = (items * (size.row + 1) + size.head + 2) * 4
        return int(slots * table * (1 + (sent - 1) / (sent + 2) + 1 / SPARE) + people * size.user * 4)

    @property
    def bytes(self) -> int:
        """What all messages so far amount to, in the real codec."""
        items = len(self.tables.age) // self.tables.slots
        return self.messages * codec.size(items, self.shape.row, self.shape.head, gathered=False)

    def _pool(self, slots: int) -> Tables:
        items = len(self.tables.age) // self.tables.slots
        return whole(slots, items, self.shape.row, self.shape.head)

    def _execute(self, plan: Any, run: Any) -> None:
        if len(plan.copied) > self.snapshots.slots:
            self.snapshots = self._pool(len(plan.copied))
        arguments = plan, self.merge, self.model, self.tables, self.snapshots, self.people, self.seed
        run(*arguments, batch=self.tables.slots)

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a round needs."""
        exchanges(self.protocol, self.peers, self.links, self.tables.slots, self.seed, 0)
        self._execute(alone(self.tables.slots), execute.compile)

    def advance(self, rounds: int) -> None:
        """Run this many rounds."""
        began = time.perf_counter()
        for _ in range(rounds):
            sender, receiver = exchanges(
                self.protocol, self.peers, self.links, self.tables.slots, self.seed, self.round
            )
            self._execute(synchronous(self.tables.slots, sender, receiver), execute)
            self.messages += int(np.count_nonzero(sender >= 0))
            self.round += 1
        self.seconds += time.perf_counter() - began

    def state(self) -> dict[str, Any]:
        """All that changes, for a checkpoint: arrays that are still in use, not copies."""
        tables, people = self.tables, self.people
        counters = np.array([self.round, self.messages], np.int64)
        return {
            "rows": tables.rows,
            "age": tables.age,
            "head": tables.head,
            "clock": tables.clock,
            "user": people.user,
            "steps": people.steps,
            "counters": counters,
            "seconds": np.array([self.seconds]),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned."""
        live = self.state()
        for name, values in state.items():
            np.copyto(live[name], values, casting="no")
        self.round, self.messages = (int(n) for n in live["counters"])
        self.seconds = float(live["seconds"][0])
