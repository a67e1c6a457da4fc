"""MovieLens 10M's size: 69,878 models of 10,677 items in 16 bits, 48 hours of gossip at low bandwidth.

A few of the 100 rounds are run, and the rest is reckoned from them; `FULL=1` runs all.
"""

import json
import os
import sys
from types import SimpleNamespace
from typing import Any

from benchmarks.measure import Result, apart, load, wall
from benchmarks.network.crowd import ROUNDS, crowd, gossip
from sottovoce.experiments.runs.machine import available_memory, duration, peak_memory
from sottovoce.models.mf import MF
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.memory import memory_needed

SHAPE, SOME, WARM = (69_878, 10_677, 143), 2, 4
LIMIT, STORAGE = 22 * 2**30, "bfloat16"


def measure(shape: tuple[int, int, int], rounds: int) -> dict[str, float]:
    """Seconds by the clock for messages that arrived, and the most memory held."""
    simulation = gossip(crowd(*shape), "uniform", storage=STORAGE)
    simulation.prepare()
    simulation.advance(WARM)  # as many messages arrive then as are sent, and as many copies are held as ever
    before, began = simulation.arrived, wall()
    simulation.advance(rounds - WARM)
    return {
        "seconds": wall() - began,
        "messages": simulation.arrived - before,
        "snapshots": simulation.driver.places / shape[0],
        "peak": peak_memory(),
    }


def _obstacle() -> str:
    """Why it cannot be measured here, if so."""
    sizes: Any = SimpleNamespace(people=SHAPE[0], items=SHAPE[1])
    needed = memory_needed(MF(factors=5), Gossip(), sizes, storage=STORAGE, timed=True)
    there = available_memory()
    if there < needed:
        return f"{there / 2**30:.1f} GiB are free, and {needed / 2**30:.1f} are needed"
    return ""


def result() -> Result:
    """Peak memory against what it may be."""
    name, against = "network-large", f"{LIMIT / 2**30:g} GiB, resident memory"
    if obstacle := _obstacle():
        return Result(name, None, against, 1.0, f"skipped: {obstacle}")
    rounds = ROUNDS if os.environ.get("FULL") else WARM + SOME
    found = apart(__name__, *SHAPE, rounds)
    each = found["seconds"] / found["messages"]
    whole = (
        f"{ROUNDS} rounds {'took' if rounds == ROUNDS else 'would take'} {duration(each * SHAPE[0] * ROUNDS)}"
    )
    return Result(
        name,
        found["peak"] / LIMIT,
        against,
        1.0,
        f"{found['peak'] / 2**30:.1f} GiB for {SHAPE[0]:,} nodes × {SHAPE[1]:,} items in {rounds} rounds, "
        f"{found['snapshots']:.2f} snapshots per model; {each * 1e6:.0f} µs a message by the clock; "
        f"{whole}; {load()}",
    )


if __name__ == "__main__":
    people, items, each, rounds = map(int, sys.argv[1:])
    print(json.dumps(measure((people, items, each), rounds)))
