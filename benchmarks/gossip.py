"""Gossip matrix factorization against a copy of the same arrays, which memory traffic forces anyway."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks.measure import Result, cpu, load, pairs, wall
from sottovoce import kernels
from sottovoce.combine.linear import Linear
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.models.mf import MF
from sottovoce.peers.k_out import KOut
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.engine import Simulation

SHAPES = {"100k": (943, 1682, 96), "1m": (6040, 3952, 156)}


def community(people: int, items: int, each: int) -> Interactions:
    """Ratings of a given shape; what is liked does not matter here."""
    rng = np.random.default_rng(0)
    return Interactions(
        name="shape",
        indptr=np.arange(people + 1, dtype=np.int64) * each,
        item=np.concatenate([rng.permutation(items)[:each] for _ in range(people)]).astype(np.int32),
        value=rng.integers(1, 6, people * each).astype(np.float32),
        time=np.zeros(people * each, np.int64),
        users=np.arange(people).astype(str),
        catalog=Catalog("shape", np.arange(items).astype(str)),
        scale=(1.0, 5.0),
    )


def network(shape: str) -> Simulation:
    """A gossip network of this shape that has already talked for some rounds."""
    data = community(*SHAPES[shape])
    simulation = Simulation(MF(factors=5), Gossip(), data, 1, merge=Linear(), peers=KOut(20), rounds=100)
    simulation.advance(3)
    return simulation


def rounds(shape: str) -> Iterator[Result]:
    """One round (a push per node: merge and one local epoch) against a copy of all tables."""
    simulation = network(shape)
    tables = simulation.tables
    rows, age = np.empty_like(tables.rows), np.empty_like(tables.age)

    def copy(part: slice = slice(None)) -> None:
        np.copyto(rows[part], tables.rows[part])
        np.copyto(age[part], tables.age[part])

    def threaded_copy() -> None:
        bounds = np.linspace(0, len(age), kernels.threads() + 1).astype(int)
        for _ in pool.map(copy, map(slice, bounds[:-1], bounds[1:])):
            pass

    with kernels.set_threads(1):
        ours, theirs = pairs(lambda: simulation.advance(1), copy, cpu)
    yield Result(
        f"gossip-round-{shape}",
        ours / theirs,
        "one-thread copy, CPU seconds",
        2.7,
        f"{ours * 1e3:.1f} ms a round, {tables.slots / ours:,.0f} messages per CPU-second; "
        f"copy {theirs * 1e3:.1f} ms",
    )
    with ThreadPoolExecutor(kernels.threads()) as pool:
        ours, theirs = pairs(lambda: simulation.advance(1), threaded_copy, wall)
    yield Result(
        f"gossip-round-{shape}-threads",
        ours / theirs,
        f"{kernels.threads()}-thread copy, wall seconds",
        None,
        f"{ours * 1e3:.1f} ms a round, {tables.slots / ours:,.0f} messages per second; "
        f"copy {theirs * 1e3:.1f} ms; {load()}",
    )


def memory(shape: str) -> Iterator[Result]:
    """Snapshots that were ever in use; room for more is reserved, and takes no memory."""
    simulation = network(shape)
    simulation.advance(10)
    yield Result(
        f"gossip-memory-{shape}",
        simulation.driver.places / simulation.tables.slots,
        "size of the tables, for all snapshots in use",
        0.1,
        f"{simulation.driver.places} snapshots in use, room for {simulation.driver.snapshots.slots}, beside "
        f"{simulation.tables.slots} models, one push per node and round",
    )


def evaluation() -> Iterator[Result]:
    """Ranking 15 test items of every node against 100 candidates each, against a training round."""
    from sottovoce.data.splits.local_holdout import LocalHoldout

    split = LocalHoldout().split(community(*SHAPES["100k"]), seed=1)
    simulation = Simulation(
        MF(factors=5), Gossip(), split.train, 1, merge=Linear(), peers=KOut(20), rounds=100
    )
    with kernels.set_threads(1):
        ours, theirs = pairs(
            lambda: evaluate(simulation.model, simulation.tables, simulation.people, split),
            lambda: simulation.advance(1),
            cpu,
        )
    yield Result(
        "gossip-evaluation-100k",
        ours / theirs,
        "training round, CPU seconds",
        1.0,
        f"{ours * 1e3:.1f} ms to evaluate {split.test.people} people, {theirs * 1e3:.1f} ms a round",
    )


def benchmarks(prefix: str) -> Iterator[Result]:
    """All of them."""
    for shape in SHAPES:
        if f"gossip-round-{shape}".startswith(prefix):
            yield from rounds(shape)
        if f"gossip-memory-{shape}".startswith(prefix):
            yield from memory(shape)
    if "gossip-evaluation-100k".startswith(prefix):
        yield from evaluation()
