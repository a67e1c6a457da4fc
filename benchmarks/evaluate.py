"""Splits, candidates, full-catalogue metrics and significance for MovieLens 1M, or data of its shape.

The original is used where it is at hand (`$SOTTOVOCE_DATA` or the cache).
"""

import statistics
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.gossip import community
from benchmarks.measure import Result, load, wall
from sottovoce import kernels
from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load as load_data
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.data.splits.temporal_holdout import TemporalHoldout
from sottovoce.errors import DataError
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.significance import compare
from sottovoce.metrics import LISTED, RANKED
from sottovoce.models.mf import MF
from sottovoce.state import all_together, new_people, whole

SHAPE = (6040, 3706, 166)
LIMIT = 2.0


def movielens() -> tuple[Interactions, str]:
    """The data, and what it is."""
    try:
        return load_data("ml-1m"), "MovieLens 1M"
    except DataError:
        return community(*SHAPE), "data of the shape of MovieLens 1M"


def _seconds(work: Callable[[], object], count: int = 5) -> float:
    """The median time of a call, after one that compiles."""
    work()
    times = []
    for _ in range(count):
        began = wall()
        work()
        times.append(wall() - began)
    return statistics.median(times)


def _within(name: str, took: float, what: str) -> Result:
    detail = f"{took:.2f} s: {what}; {kernels.threads()} threads, {load()}"
    return Result(name, took / LIMIT, f"{LIMIT:g} seconds", 1.0, detail)


def benchmarks(prefix: str) -> Iterator[Result]:
    """Each against the time that it may take."""
    data, what = movielens()
    schemes = {"leave-one-out": LeaveOneOut(), "local-holdout": LocalHoldout()}
    for name, scheme in schemes.items():
        if f"evaluate-{name}".startswith(prefix):
            took = _seconds(lambda scheme=scheme: scheme.split(data, 1))
            drawn = len(scheme.split(data, 1).candidates)
            yield _within(f"evaluate-{name}", took, f"{what} split, 100 candidates for {drawn:,} test items")
    if "evaluate-catalogue".startswith(prefix):
        split = TemporalHoldout().split(data, 1)
        generator, train = np.random.default_rng(0), split.train
        tables = whole(1, data.items, 6, 0)
        tables.rows[:] = generator.normal(size=tables.rows.shape)
        state = new_people(6, train.indptr, train.item, train.value, all_together(data.people))
        state.user[:] = generator.normal(size=state.user.shape)
        names = [name for name in RANKED + LISTED if name not in ("f1-list", "bias-disparity")]
        took = _seconds(
            lambda: evaluate(MF(factors=5), tables, state, split, metrics=names, candidates="all")
        )
        done = f"{len(names)} metrics for {data.people:,} people × {data.items:,} items of {what}"
        yield _within("evaluate-catalogue", took, f"{done}, {len(split.test):,} test items")
    if "evaluate-significance".startswith(prefix):
        a, b = np.random.default_rng(0).random((2, SHAPE[0]))
        took = _seconds(lambda: compare(a, b))
        yield _within("evaluate-significance", took, f"two runs compared over {SHAPE[0]:,} people")
