"""ALS from sums of statistics: the equations, and that sums in any place give the same model."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.kernels.symmetric import triangle
from sottovoce.models.als import ALS
from sottovoce.models.interface import score
from sottovoce.models.statistics import prepare, solve_vectors
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.state import slots_of
from tests.networks import ratings, simulate

PEOPLE, ITEMS, K = 40, 15, 3


def data():
    rng = np.random.default_rng(5)
    taste = rng.normal(size=(PEOPLE, 2)) @ rng.normal(size=(2, ITEMS))
    values = (taste > 0.5).astype(int)
    values[:, 0] |= ~values.any(axis=1)  # everybody has something
    return ratings(values.tolist())


def network(protocol, **settings):
    """Everybody trains on all items, and no item counts more than another."""
    model = ALS(factors=K, held=0.0, recency=False, **settings)
    return simulate(model, data(), protocol=protocol, merge=Simple())


def settings(s):
    """m [U], m̄, α, λ and κ of a network, by the formulas."""
    m = np.diff(s.people.indptr).astype(float)
    n, people = s.items, len(m)
    alpha = 0.7 * np.sqrt(m.mean() / n)
    ridge = 5.0 * (people / n) ** 0.1
    return m, m.mean(), alpha, ridge, ridge / (people * (m.mean() / n + alpha))


def dense(s):
    x = np.zeros((len(s.people.steps), s.items))
    for person in range(len(x)):
        x[person, s.people.item[s.people.indptr[person] : s.people.indptr[person + 1]]] = 1
    return x


def vectors(s, y, typical):
    """Everybody's u, solved exactly."""
    x, (m, _, _, ridge, _) = dense(s), settings(s)
    found = []
    for own, count, mean in zip(x, m, np.broadcast_to(typical, m.shape), strict=True):
        alpha = 0.7 * np.sqrt(mean / s.items)
        matrix = alpha * y.T @ y + (1 - alpha) * (y * own[:, None]).T @ y
        matrix += ridge * (count + alpha * s.items) / (mean + alpha * s.items) * np.eye(K)
        found.append(np.linalg.solve(matrix, own @ y))
    return np.array(found)


def test_the_first_sweep_follows_the_equations():
    s = network(Central(start="common"))
    y = s.tables.rows[:, :K].astype(float)
    x, (m, mean, alpha, _, kappa) = dense(s), settings(s)
    u = vectors(s, y, m)  # nobody knows the mean yet
    s.advance(1)
    g, other, c = u.T @ u / PEOPLE, (u * m[:, None]).T @ u / m.sum(), x.mean(axis=0)
    b = x.T @ u / PEOPLE
    for item in range(ITEMS):
        matrix = alpha * g + (1 - alpha) * c[item] * other + kappa * (alpha + c[item]) * np.eye(K)
        expected = np.linalg.solve(matrix, b[item])
        np.testing.assert_allclose(s.tables.rows[item, :K], expected, rtol=2e-4, atol=1e-5)
    np.testing.assert_allclose(s.tables.rows[:, K], c, rtol=1e-6)
    head, size = s.tables.head[0], triangle(K)
    new = s.tables.rows[:, :K].astype(float)
    np.testing.assert_allclose(head[:size], (new.T @ new)[np.tril_indices(K)], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(head[size : 2 * size], other[np.tril_indices(K)], rtol=1e-4, atol=1e-6)
    assert head[-2] == pytest.approx(mean)
    assert head[-1] == 1


def test_it_converges_to_exact_least_squares():
    """At the fixed point yⱼ solves its normal equations, with Σ u uᵀ over the people who have the item."""
    s = network(Central(start="common"))
    s.advance(60)
    y = s.tables.rows[:, :K].astype(float)
    x, (_, mean, alpha, _, kappa) = dense(s), settings(s)
    u = vectors(s, y, mean)
    for item in range(ITEMS):
        has = x[:, item]
        matrix = alpha * u.T @ u / PEOPLE + (1 - alpha) * (u * has[:, None]).T @ u / PEOPLE
        matrix += kappa * (alpha + has.mean()) * np.eye(K)
        np.testing.assert_allclose(y[item], np.linalg.solve(matrix, has @ u / PEOPLE), atol=2e-3)
    assert np.linalg.norm(y) > 1


def test_a_server_that_sums_gets_the_model_of_central_training():
    central, server = network(Central(start="common")), network(Federated(start="common"))
    for s in (central, server):
        s.advance(4)
    np.testing.assert_allclose(server.tables.rows, central.tables.rows, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(server.tables.head[0], central.tables.head[0], rtol=1e-3, atol=1e-4)


def test_people_score_with_a_vector_for_the_newest_model():
    s = network(Central(start="common"))
    s.advance(3)
    solve_vectors(s.model, s.tables, s.people, slots_of(s.people), s.seed)
    y, (m, mean, *_) = s.tables.rows[:, :K].astype(float), settings(s)
    u = vectors(s, y, mean)
    np.testing.assert_allclose(s.people.user[:, :K], u, rtol=1e-3, atol=1e-4)
    expected = u[7] @ y[2] + 5 / (5 + m[7]) * s.tables.rows[2, K]
    assert score(s.model, s.tables, 0, s.people, 7, 2) == pytest.approx(expected, abs=1e-3)


def test_an_item_that_nobody_has_ends_at_nothing():
    values = np.eye(6, 8, dtype=int) + np.eye(6, 8, k=1, dtype=int)
    values[:, 7] = 0
    s = simulate(ALS(factors=2), ratings(values.tolist()), protocol=Central(start="common"), merge=Simple())
    s.advance(3)
    assert np.abs(s.tables.rows[7]).max() < 0.1 * np.abs(s.tables.rows[1]).max()
    assert np.isfinite(s.tables.rows).all()


def test_an_item_that_appears_later_has_nothing_and_one_sweep_solves_it():
    """Its vector was 0, so people contribute u alone, as in a first sweep, but with C of the sweep before."""
    new, everything = ITEMS - 1, data()
    early = everything.take(everything.item != new)
    s = simulate(ALS(factors=K, held=0.0), early, protocol=Central(start="common"), merge=Simple())
    s.advance(4)
    assert s.tables.age[new] == 0
    assert not s.tables.rows[new].any()
    head, size, y = s.tables.head[0].copy(), triangle(K), s.tables.rows[:, :K].astype(float)
    s.provide(everything, None, None)
    before, (_, _, alpha, _, kappa) = np.diff(early.indptr).mean(), settings(s)
    u = vectors(s, y, before)
    s.advance(1)
    other = np.zeros((K, K))
    other[np.tril_indices(K)] = head[size : 2 * size]
    other = (other + np.tril(other, -1).T) * head[2 * size]
    c, g = dense(s)[:, new].mean(), u.T @ u / PEOPLE
    matrix = alpha * g + (1 - alpha) * c * other + kappa * (alpha + c) * np.eye(K)
    expected = 0.9 * np.linalg.solve(matrix, dense(s)[:, new] @ u / PEOPLE)
    np.testing.assert_allclose(s.tables.rows[new, :K], expected, rtol=1e-3, atol=1e-4)
    assert s.tables.rows[new, K] == pytest.approx(0.9 * c)
    assert s.tables.age[new] == 1
    assert np.abs(expected).max() > 0.01


def test_sums_of_people_without_items_are_finite():
    s = network(Federated(start="common"))
    prepare(s.model, s.tables, 0, np.zeros(s.tables.head.shape[1], np.float32), 3.0)
    assert np.isfinite(s.tables.head).all()
