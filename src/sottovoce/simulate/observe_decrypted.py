"""What participants see where they decrypt sums: of the aggregation before theirs, all that was added.

A server hands encrypted sums to whoever takes part next (`combine.sums.homomorphic`). A record of them holds
no messages. Its arrays are those of `simulate.observe_sums`, and one more:

| array          | shape   | what it holds                                                                 |
|----------------|---------|-------------------------------------------------------------------------------|
| `sum_observer` | [m]     | the observers who decrypt it                                                  |
| `sum_clock`    | [1]     | the number of the aggregation                                                 |
| `sum_senders`  | [n]     | who took part in it; the sum does not tell, but whoever is there may notice   |
| `sum_totals`   | [1]     | the instances of all of them                                                  |
| `sum_counts`   | [items] | how many of them changed each row                                             |
| `sum_items`    | [m]     | the items whose rows somebody changed                                         |
| `sum_rows`     | [m, w]  | the sums of their rows, however few people changed them                       |
| `sum_head`     | [h]     | the sum of heads times instances                                              |
"""

import numpy as np

from sottovoce.combine.sums.interface import decrypted, participants_decrypt
from sottovoce.protocols._participants import Groups
from sottovoce.protocols.aggregate import Aggregator
from sottovoce.simulate.observe_sums import lines
from sottovoce.simulate.world import Arrays, World
from sottovoce.state import Longs

NONE = -1
"""The number of an aggregation of which nothing is known."""


class LastSums:
    """The last sum of each server, kept while somebody who takes part observes."""

    def __init__(self, world: World, aggregator: Aggregator) -> None:
        servers, task = len(world.tables.clock), world.task
        watch = world.observation
        kept = watch is not None and len(watch.nodes) > 0 and participants_decrypt(world.sum)
        servers = servers if kept else 0
        self._sum, self._task, self._aggregator = world.sum, task, aggregator
        self._clock = np.full(servers, NONE)
        self._rows = np.zeros((servers, task.items, task.row + 1), np.float32)
        self._head = np.zeros((servers, task.head), np.float32)
        self._instances = np.zeros(servers, np.int64)
        self._senders = np.zeros((servers, len(world.people.steps) if kept else 0), np.bool_)

    def note(self, server: int, clock: int, groups: Groups) -> None:
        """Keep the last of the aggregations that were just carried out, of which `clock` is the number.

        Without a sum, those who come next decrypt the earlier one again.
        """
        if not len(self._clock):
            return
        found = decrypted(self._sum, self._aggregator.sums, self._task)
        if found is not None:
            last = slice(groups.first[-2], groups.first[-1])
            self._rows[server], self._head[server], self._instances[server] = found
            self._senders[server] = False
            self._senders[server, groups.persons[last][groups.heard[last]]] = True
            self._clock[server] = clock
        elif len(groups.first) > 2:
            self._clock[server] = NONE  # which of them was the last one with a sum is not known

    def seen(self, server: int, observers: Longs) -> list[Arrays]:
        """The record of what these observers decrypt, before an aggregation in which they take part."""
        if not len(self._clock) or self._clock[server] == NONE:
            return []
        none, rows, head = np.empty(0, np.int64), self._rows[server], self._head[server]
        counts = np.rint(rows[:, -1]).astype(np.int64)
        items = np.flatnonzero(counts)
        return [
            dict.fromkeys(("observer", "sender", "number", "clock", "size"), none)
            | {"time": np.empty(0)}
            | lines(0, none, none, rows[:0, :-1].copy(), np.empty((0, len(head)), np.float32))
            | {
                "sum_observer": observers.astype(np.int64),
                "sum_clock": self._clock[server : server + 1].copy(),
                "sum_senders": np.flatnonzero(self._senders[server]),
                "sum_totals": self._instances[server : server + 1].copy(),
                "sum_counts": counts,
                "sum_items": items,
                "sum_rows": rows[items, :-1],
                "sum_head": head.copy(),
            }
        ]

    def state(self) -> Arrays:
        """What a checkpoint holds, so that a run that goes on records the same."""
        if not len(self._clock):
            return {}
        names = "clock", "rows", "head", "instances", "senders"
        return {f"last sum {name}": getattr(self, f"_{name}") for name in names}
