"""Table 6 of Perifanis and Efraimidis (2022): what masked sums cost one participant, in milliseconds.

The table has the random weights and the masking. Here a whole session runs, with every participant, and
each phase is timed: CPU time of one core, the median over participants. The vector has as many numbers as
the paper's, 2 · items · w + head + 1, because its counts are as wide as the item matrix (Table 7 confirms
it). The two vectors that Sottovoce sends instead, a count for each item and then rows, are a second session.
"""

import statistics
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sottovoce.experiments.reproduce.papers import measurement

if TYPE_CHECKING:
    from sottovoce.exchange.secure.client import Client

BITS = 32


@measurement("fedncf_table_6.phases")
def phases(seed: int, *, items: int, people: int, width: int, head: int) -> dict[str, float]:
    """Milliseconds of each phase: `items` rows of `width` numbers and a head, in a group of `people`."""
    published = _session(seed, people, [2 * items * width + head + 1])
    sent = _session(seed, people, [items + 1, items * width + head])
    steps = ("masking", "keys", "agreements and shares", "others' shares", "consistency", "unmasking")
    found = {step: statistics.median(published[step].values()) for step in steps}
    found["masking as sent here"] = statistics.median(sent["masking"].values())
    found["beside masking"] = sum(found[step] for step in steps[1:]) / found["masking"]
    found["server"] = sum(one[-1] for step, one in published.items() if step.startswith("server"))
    return found


def _session(seed: int, people: int, lengths: Sequence[int]) -> dict[str, dict[int, float]]:
    """A session with a sum of each of these lengths: milliseconds, by step and participant."""
    from sottovoce.exchange.secure import shamir
    from sottovoce.exchange.secure.client import Client
    from sottovoce.exchange.secure.group import group
    from sottovoce.exchange.secure.primitives import Identity, repeatable
    from sottovoce.exchange.secure.server import Phase, Server, Sum
    from sottovoce.experiments.reproduce.sessions import Clock, play

    shamir.multiply(1, 1)  # its tables are made once in a process
    rng = np.random.default_rng(seed)
    identities = sorted((Identity(rng.bytes(32)) for _ in range(people)), key=lambda one: one.public)
    everybody = group([one.public for one in identities], b"table 6", sums=len(lengths))
    clock = Clock()
    clients = [
        clock("keys", who, partial(Client, everybody, one, (), repeatable(one.public)))
        for who, one in enumerate(identities)
    ]  # they draw their keys
    vectors = [rng.integers(0, 2**BITS, length, dtype=np.uint32) for length in lengths]
    server = Server(everybody, Sum(BITS, lengths[0]))

    def begin() -> bool:
        if server.phase is Phase.IDLE:
            server.begin(Sum(BITS, lengths[server.number]))
        return server.phase is Phase.MASKED

    outcome = play(server, clients, partial(_mask, clients, vectors), begin=begin, clock=clock)
    assert len(outcome.sums) == len(lengths)
    return outcome.spent


def _mask(clients: Sequence["Client"], vectors: Sequence[NDArray[np.uint32]], who: int) -> bytes:
    return clients[who].mask(vectors[clients[who].number])
