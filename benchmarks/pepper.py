"""Rounds of PEPPER with GMF on MovieLens 100K, or on data of its shape: 943 nodes, three peers each.

Against a rate of messages that is meant for two idle cores, so that here the CPU time of a message must
keep to it; against the same network with merging by age, which shows what judging models costs; and
against the computation per node that Belal et al. (2022, Table 8) print for a run.
"""

import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.gossip import community
from benchmarks.measure import Result, cpu, load, wall
from sottovoce import kernels
from sottovoce.combine.model_age import ModelAge
from sottovoce.combine.performance import Performance
from sottovoce.data.interactions import Interactions
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.models.gmf import GMF
from sottovoce.peers.personalized import Personalized
from sottovoce.peers.shuffled import Shuffled
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.engine import Simulation

RATE = 15_000
"""Messages in a second of two idle cores."""
PUBLISHED_SECONDS, PUBLISHED_ROUNDS = 53.4, 283
"""What a node of Belal et al. 2022 (Table 8) computes until it converges, with three peers."""
ROUNDS = 5


def data() -> tuple[Interactions, str]:
    """MovieLens 100K where it is at hand, else data of its shape."""
    from sottovoce.data.load import load as read
    from sottovoce.errors import SottovoceError

    place = os.environ.get("SOTTOVOCE_DATA")
    try:
        return read("ml-100k", data_dir=Path(place) if place else None, implicit=True), "MovieLens 100K"
    except SottovoceError:
        return community(943, 1682, 106), "random data of the shape of MovieLens 100K"


def network(given: Interactions, merge: Any, peers: Any) -> Simulation:
    """A network that has done one round."""
    split = LocalHoldout().split(given, 1)
    s = Simulation(
        GMF(factors=8, step=0.01, epochs=2, batch=0),
        Gossip(pushes=3),
        split.train,
        1,
        merge=merge,
        peers=peers,
        rounds=300,
        weighting=split.weighting,
        candidates=split.weighting_candidates,
    )
    s.advance(1)
    return s


def _per_message(s: Simulation) -> tuple[float, float]:
    """Seconds of CPU and by the clock, the medians of some rounds."""
    used, took = [], []
    for _ in range(ROUNDS):
        sent, busy, began = s.messages, cpu(), wall()
        s.advance(1)
        used.append((cpu() - busy) / (s.messages - sent))
        took.append((wall() - began) / (s.messages - sent))
    return statistics.median(used), statistics.median(took)


def benchmarks(prefix: str) -> Iterator[Result]:
    """All of them."""
    given, what = data()
    s = network(given, Performance(), Personalized())
    (used, took), cores = _per_message(s), 2
    yield Result(
        "pepper-messages",
        RATE * used / cores,
        f"{RATE:,} messages/s of two cores, CPU seconds",
        1.0,
        f"{cores / used:,.0f} messages/s of two cores by CPU time, {1 / took:,.0f} by the clock; "
        f"{what}, {len(s.people.steps)} nodes, {kernels.threads()} threads; {load()}",
    )
    by_age, _ = _per_message(network(given, ModelAge(), Shuffled()))
    yield Result(
        "pepper-judging",
        used / by_age,
        "merging by age, CPU seconds",
        None,
        f"{1e6 * used:.0f} µs a message against {1e6 * by_age:.0f}: two models judged on the weighting set",
    )
    seconds = float(s.receivers.spent.mean()) / s.round * PUBLISHED_ROUNDS
    yield Result(
        "pepper-published",
        seconds / PUBLISHED_SECONDS,
        f"the published {PUBLISHED_SECONDS} s of computation per node",
        None,
        f"{PUBLISHED_SECONDS / seconds:.0f} times as fast: {seconds:.3f} s of a node's work in "
        f"{PUBLISHED_ROUNDS} rounds, by the clock of this machine",
    )
