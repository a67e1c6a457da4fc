"""`ials` against the normal equations solved by NumPy, and what a community knows together."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.models.ials import FEW, IALS, WEIGHTS
from sottovoce.protocols.central import Central
from sottovoce.protocols.gossip import Gossip
from tests.networks import communities, ratings, simulate


def train_slowly(model, y, counts, people, own, step):
    """One training as the module's equations say, in double precision; `y` without popularity."""
    counts[own] += 1
    shares = counts / people
    alpha = min(1.0, model.share * math.sqrt(shares.mean()))
    weight, target = np.full(len(y), alpha), np.zeros(len(y))
    weight[own] = target[own] = 1
    ridge = model.regularization * (1 + len(own) + alpha * len(y))
    gram = (y * weight[:, None]).T @ y + ridge * np.eye(y.shape[1])
    u = np.linalg.solve(gram, (y * weight[:, None]).T @ target)
    norm = u @ u
    if norm < 1e-20:
        return alpha, u, y
    further = np.minimum(model.stretch, 1 / (alpha + (1 - alpha) * shares))
    sigma = (step * weight * further / norm)[:, None]
    moved = y + sigma * np.outer(target - y @ u, u)
    return alpha, u, moved / (1 + model.regularization * sigma)


@given(communities(people=(1, 4)), st.sampled_from([2, 3]))
def test_training_solves_and_steps(data, factors):
    model = IALS(factors=factors, step=0.8, last_step=0.8, spread=1.0, regularization=0.1, calls=1)
    simulation = simulate(model, data, protocol=Central())
    y = simulation.tables.rows[:, 1:].astype(float)
    simulation.advance(1)
    counts = np.zeros(data.items)
    for person in range(data.people):
        own = data.item[data.indptr[person] : data.indptr[person + 1]]
        alpha, u, y = train_slowly(model, y, counts, person + 1, own, 0.8)
        user = simulation.people.user[person]
        np.testing.assert_allclose(user[1:factors], u, rtol=2e-3, atol=2e-4)
        np.testing.assert_allclose(user[[0, factors]], [4 * FEW / (FEW + len(own)), alpha], rtol=1e-5)
    np.testing.assert_allclose(simulation.tables.rows[:, 1:], y, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(simulation.tables.rows[:, 0], counts)
    assert simulation.tables.head[0, 0] == data.people


def test_the_step_falls_over_the_expected_trainings():
    data = ratings([[5, 5, 0, 0]] * 2)
    slow = simulate(IALS(factors=3, step=1.0, last_step=1e-6, calls=1), data, protocol=Central())
    slow.advance(1)
    before = slow.tables.rows.copy()
    slow.advance(1)
    assert np.abs(slow.tables.rows - before).max() < 1e-4


def test_steps_left_open_fit_the_protocol():
    data = ratings([[5, 5, 0, 0]] * 3)
    for protocol, step, spread in ((Gossip(), 1.5, 0.01), (Central(), 0.1, 0.1)):
        model = simulate(IALS(), data, protocol=protocol).model
        assert (model.step, model.last_step, model.spread) == (step, pytest.approx(step / 10), spread)


def test_every_row_ages_because_every_row_is_trained():
    data = ratings([[5, 0, 0], [0, 4, 0]])
    simulation = simulate(IALS(factors=3), data, protocol=Central())
    simulation.advance(2)
    assert simulation.tables.age.tolist() == [4, 4, 4]


def test_every_node_learns_how_many_people_have_an_item():
    """Merging averages, so that everybody comes near the shares that a count would give."""
    had = np.tril(np.ones((40, 40), int))[:, ::4]  # item j is had by 40 − 4j people
    simulation = simulate(IALS(factors=3), ratings((5 * had).tolist()), protocol=Gossip(pushes=3), rounds=30)
    simulation.advance(30)
    rows = simulation.tables.rows[:, 0].reshape(40, 10)
    shares = rows / simulation.tables.head[:, :1]
    np.testing.assert_allclose(shares, np.tile(had.mean(0), (40, 1)), atol=0.04)
    assert (np.diff(shares.mean(0)) < 0).all()


def test_items_that_come_later_are_counted_once():
    early, late = ratings([[5, 0, 0], [5, 5, 0]]), ratings([[5, 5, 0], [5, 5, 0]])
    simulation = simulate(IALS(factors=3, calls=4), early, protocol=Central())
    simulation.advance(1)
    np.testing.assert_allclose(simulation.tables.rows[:, 0], [1, 0.5, 0])
    simulation.provide(late, None, None)
    simulation.advance(2)
    assert simulation.tables.head[0, 0] == 2
    assert simulation.tables.rows[:, 0].sum() == pytest.approx(4)


def test_a_taste_that_nobody_has_leaves_the_list_to_popularity():
    """Items had at random, some by more people: vectors are noise, and the community notices."""
    rng = np.random.default_rng(3)
    had = rng.random((150, 60)) < np.linspace(0.5, 0.02, 60)
    data = ratings(np.where(had, 5, 0).tolist())
    split = LocalHoldout(candidates=20).split(data, 1)
    held = {"weighting": split.weighting, "candidates": split.weighting_candidates}
    simulation = simulate(IALS(factors=3), split.train, protocol=Central(), rounds=20, **held)
    simulation.advance(20)
    told = simulation.tables.head[0, 1:]
    assert WEIGHTS[np.argmax(told)] >= 1
    mixed = evaluate(simulation.model, simulation.tables, simulation.people, split, ks=(5,))
    popular = np.bincount(split.train.item, minlength=60)
    simulation.tables.rows[:, 0], simulation.tables.rows[:, 1:] = popular, 0
    alone = evaluate(simulation.model, simulation.tables, simulation.people, split, ks=(5,))
    assert mixed.metrics["ndcg@5"] > alone.metrics["ndcg@5"] - 0.01
