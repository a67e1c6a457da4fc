"""Consensus: a push against a copy of the same arrays, the run of the default, the memory of a network."""

import sys
from collections.abc import Iterator

import numpy as np

from benchmarks.gossip import community
from benchmarks.measure import Result, apart, cpu, load, pairs, resident, wall
from sottovoce import kernels
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.data.load import load as load_data
from sottovoce.errors import DataError
from sottovoce.experiments.runs.machine import available_memory
from sottovoce.models.als import ALS
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.push_sum import numerators, push, pushes
from sottovoce.simulate.engine import Simulation
from sottovoce.state import Storage

SWEEPS, FACTORS = 5, 32
LIMITS: dict[Storage, float] = {"float32": 10.0, "bfloat16": 6.0}
"""GiB for 6,040 people and 3,706 items."""


def pushing() -> Iterator[Result]:
    """All nodes of MovieLens 100K push everything they have, in 8 bits."""
    nodes, items, row = 943, 1682, FACTORS + 1
    sums, rng = numerators(nodes, items, row, 1058), np.random.default_rng(1)
    sums.rows[:] = rng.standard_normal((items, 1, row))
    sums.rows[..., -1] = 1
    every, other = np.arange(nodes, dtype=np.int32), np.empty_like(sums.rows)
    messages = pushes(nodes, every, rng.permutation(every))
    with kernels.set_threads(1):
        ours, theirs = pairs(lambda: push(sums, 1, messages, 8), lambda: np.copyto(other, sums.rows), cpu)
    yield Result(
        "lead-push",
        ours / theirs,
        "one-thread copy, CPU seconds",
        2.5,
        f"{ours * 1e3:.1f} ms for {nodes} nodes × {items:,} items × {row} numbers; "
        f"copy {theirs * 1e3:.1f} ms",
    )


def running() -> Iterator[Result]:
    """Five sweeps on MovieLens 100K, with masked groups and without."""
    try:
        data = load_data("ml-100k")
    except DataError as error:
        yield Result("lead-run", None, "10 seconds", 1.0, f"skipped: {error.problem}")
        return
    for name, group in (("lead-run-masked", 128), ("lead-run-plain", 1)):
        parts = ALS(factors=FACTORS), Consensus(group=group), data, 1
        network = Simulation(*parts, merge=MFFedAvg(), peers=Uniform(), rounds=SWEEPS)
        network.prepare()
        began, used = wall(), cpu()
        network.advance(SWEEPS)
        took, used = wall() - began, cpu() - used
        sent = network.bytes / data.people / 1e6
        detail = f"{took:.1f} s for {SWEEPS} sweeps, {used:.1f} s of CPU; {sent:.2f} MB a person; {load()}"
        yield Result(name, took / 10, "10 seconds by the clock, two cores", 1.0, detail)


def memory() -> Iterator[Result]:
    """One sweep of a network as large as MovieLens 1M."""
    for storage, limit in LIMITS.items():
        name = f"lead-memory-{storage}"
        if available_memory() < 1.2 * limit * 2**30:
            yield Result(name, None, f"{limit:g} GiB, resident", 1.0, "skipped: too little memory is free")
            continue
        used = apart("benchmarks.lead", storage)
        detail = f"{used / 2**30:.2f} GiB for 6,040 nodes × 3,706 items × {FACTORS} factors"
        yield Result(name, used / 2**30 / limit, f"{limit:g} GiB, resident", 1.0, detail)


def benchmarks(prefix: str) -> Iterator[Result]:
    """All of this area."""
    for part, name in ((pushing, "lead-push"), (running, "lead-run"), (memory, "lead-memory")):
        if name.startswith(prefix) or prefix.startswith(name):
            yield from part()


def _occupied(storage: Storage) -> int:
    """Bytes that a network holds after one sweep."""
    parts = ALS(factors=FACTORS), Consensus(pushes=2, group=1), community(6040, 3706, 100), 1
    network = Simulation(*parts, merge=MFFedAvg(), peers=Uniform(), rounds=1, storage=storage)
    network.advance(1)
    return resident()


if __name__ == "__main__":
    chosen: Storage = "bfloat16" if sys.argv[1] == "bfloat16" else "float32"
    print(_occupied(chosen))
