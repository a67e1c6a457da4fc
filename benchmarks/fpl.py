"""An epoch of sFPL+ on a community of the size of Foursquare Brazil: 599,958 aggregations of one person each.

Against a limit in seconds that is meant for two idle cores, and that here all CPU time must keep to; and, in
time per triple, against the same loop in plain NumPy, one client at a time, and against the central BPR of
`implicit` in one thread, where that is installed.
"""

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Result, cpu, load, wall
from sottovoce.combine.aggregate.sum import Sum
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.exchange.steps.positive_feedback import PositiveFeedback
from sottovoce.models.bpr import BPR
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation

PEOPLE, ITEMS, INTERACTIONS = 17_473, 47_270, 599_958
SECONDS, FASTER = 15, 50
FACTORS, STEP = 20, 0.05
CLIENTS = 100
"""How many clients the loop in NumPy has."""


def brazil() -> Interactions:
    """Random data of this size. People have 16 items or more, and few items are met by many."""
    rng = np.random.default_rng(0)
    more = rng.multinomial(INTERACTIONS - 16 * PEOPLE, rng.dirichlet(np.full(PEOPLE, 1.0)))
    indptr = np.concatenate([[0], np.cumsum(16 + more)]).astype(np.int64)
    owner = np.repeat(np.arange(PEOPLE), np.diff(indptr))
    item = np.empty(INTERACTIONS, np.int64)
    again = np.arange(INTERACTIONS)
    while len(again):
        item[again] = (ITEMS * rng.random(len(again)) ** 2).astype(np.int64)
        _, first = np.unique(owner * ITEMS + item, return_index=True)
        again = np.setdiff1d(np.arange(INTERACTIONS), first)
    return Interactions(
        name="shape",
        indptr=indptr,
        item=item.astype(np.int32),
        value=np.ones(INTERACTIONS, np.float32),
        time=np.zeros(INTERACTIONS, np.int64),
        users=np.arange(PEOPLE).astype(str),
        catalog=Catalog("shape", np.arange(ITEMS).astype(str)),
        scale=(1.0, 1.0),
    )


def federation(train: Interactions, probability: float) -> Simulation:
    """sFPL+ that is ready to begin."""
    protocol, model = Federated(participants=1, aggregations=0.0), BPR(factors=FACTORS, step=STEP)
    steps = (PositiveFeedback(probability),)
    s = Simulation(model, protocol, train, 1, merge=Sum(), peers=Uniform(), rounds=10, steps=steps)
    s.prepare()
    return s


def one_at_a_time(s: Simulation, count: int) -> int:
    """The same, in NumPy: clients draw triples, and a server adds what they changed. Returns the triples."""
    rng, k, model, people = np.random.default_rng(1), FACTORS, s.model, s.people
    rows, users, made = s.tables.rows.copy(), people.user.copy(), int(model.triples)
    for person in rng.integers(0, PEOPLE, count):
        own, u = people.item[people.indptr[person] : people.indptr[person + 1]], users[person]
        changed: dict[int, Any] = {}
        for _ in range(made):
            i = int(rng.choice(own))
            while (j := int(rng.integers(ITEMS))) in own:
                pass
            q, r = rows[i], rows[j]
            pull = STEP / (1 + np.exp(q[k] - r[k] + u @ (q[:k] - r[:k])))
            for item, sign, shrink in (
                (i, pull, model.positive_regularization),
                (j, -pull, model.negative_regularization),
            ):
                moved = changed.setdefault(item, np.zeros(k + 1, np.float32))
                moved[:k] += sign * u - STEP * shrink * rows[item, :k]
                moved[k] += sign
            u += pull * (q[:k] - r[:k]) - STEP * model.user_regularization * u
        for item, moved in changed.items():
            rows[item] += moved
    return count * made


def _implicit(train: Interactions) -> float | None:
    """Seconds for each triple of central BPR in one thread; None if `implicit` is not installed."""
    if importlib.util.find_spec("implicit") is None:
        return None
    from implicit.cpu.bpr import BayesianPersonalizedRanking

    from sottovoce.evaluate.references._outside import consumed, limited

    took = []
    for epochs in (1, 6):  # what is done once drops out
        with limited():
            model = BayesianPersonalizedRanking(
                factors=FACTORS, learning_rate=STEP, iterations=epochs, num_threads=1, random_state=1
            )
            began = wall()
            model.fit(consumed(train), show_progress=False)
            took.append(wall() - began)
    return (took[1] - took[0]) / (5 * INTERACTIONS)


def benchmarks(prefix: str) -> Iterator[Result]:
    """All of them."""
    train = brazil()
    s = federation(train, 0.5)
    triples = INTERACTIONS * int(s.model.triples)
    busy, began = cpu(), wall()
    s.advance(1)
    busy, took = cpu() - busy, wall() - began
    what = f"{INTERACTIONS:,} aggregations of {int(s.model.triples)} triples, π = 0.5, {FACTORS} factors"
    detail = f"{what}: {took:.1f} s, {busy:.1f} s of CPU, {triples / took / 1e6:.2f} million triples a second"
    yield Result("fpl-sfpl-plus-epoch", busy / SECONDS, f"{SECONDS} s", 1.0, f"{detail}; {load()}")
    began = wall()
    count = one_at_a_time(s, CLIENTS)
    plain = (wall() - began) / count
    ours = took / triples
    detail = f"{1e6 * ours:.3f} µs for a triple, {1e6 * plain:.1f} µs in NumPy; {load()}"
    yield Result("fpl-triple-numpy", ours / plain, "NumPy, one client at a time", 1 / FASTER, detail)
    theirs = _implicit(train)
    if theirs is None:
        yield Result("fpl-triple-implicit", None, "implicit", None, "implicit is not installed")
        return
    detail = (
        f"{1e6 * ours:.3f} µs for a triple of sFPL+, {1e6 * theirs:.3f} µs in implicit's central BPR, "
        f"one thread each; {load()}"
    )
    yield Result("fpl-triple-implicit", ours / theirs, "implicit's central BPR", None, detail)
