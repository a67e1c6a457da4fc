"""A federated round of a million clients against one pass over the same ratings in one place.

`python -m benchmarks.network.federated [PEOPLE]` prints what was measured, in CPU seconds and bytes.
"""

import json
import sys

from benchmarks.measure import Result, apart, cpu, load, wall
from benchmarks.network.crowd import ROUNDS, SEED, crowd
from sottovoce import kernels
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.none import Replace
from sottovoce.experiments.runs.machine import peak_memory
from sottovoce.models.mf import MF
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation

PEOPLE, ITEMS, EACH, TIMES = 1_000_000, 20_000, 20, 5
LIMIT = 4 * 2**30


def measure(people: int) -> dict[str, list[float] | int]:
    """The least CPU seconds of a round and their wall seconds, with all threads and with one; peak memory."""
    data = crowd(people, ITEMS, EACH)
    found: dict[str, list[float] | int] = {}
    both = {
        "federated": Simulation(
            MF(factors=5), Federated(), data, SEED, merge=MFFedAvg(), peers=Uniform(), rounds=ROUNDS
        ),
        "central": Simulation(
            MF(factors=5), Central(), data, SEED, merge=Replace(), peers=Uniform(), rounds=ROUNDS
        ),
    }
    for threads, name in ((0, ""), (1, " alone")):
        with kernels.set_threads(threads):
            times: dict[str, list[tuple[float, float]]] = {kind: [] for kind in both}
            for simulation in both.values():
                simulation.prepare()
                simulation.advance(1)
            for _ in range(TIMES):
                for kind, simulation in both.items():
                    used, began = cpu(), wall()
                    simulation.advance(1)
                    times[kind].append((cpu() - used, wall() - began))
            found |= {kind + name: list(min(taken)) for kind, taken in times.items()}
    return found | {"peak": peak_memory()}


def result() -> Result:
    """The ratio of CPU seconds as people run it, with all threads."""
    found = apart(__name__, PEOPLE)
    (ours, by_clock), (theirs, central_by_clock) = found["federated"], found["central"]
    alone = found["federated alone"][0] / found["central alone"][0]
    return Result(
        "network-federated",
        ours / theirs,
        "central SGD pass over the same ratings, CPU seconds",
        5.0,
        f"{ours:.2f} s a round of {PEOPLE:,} clients with {EACH} of {ITEMS:,} items, {theirs:.2f} s a pass; "
        f"by the clock {by_clock:.2f} s and {central_by_clock:.2f} s; the form for one thread {alone:.2f}×; "
        f"peak {found['peak'] / 2**30:.2f} GiB (at most {LIMIT / 2**30:g}); best of {TIMES}, {load()}",
        fits=found["peak"] < LIMIT,
    )


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if sys.argv[1:] else PEOPLE)))
