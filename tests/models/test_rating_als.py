"""Ratings from sums of statistics: the equations, and that sums in any place give the same model."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.none import Replace
from sottovoce.combine.sums.secure import Secure
from sottovoce.kernels.symmetric import triangle
from sottovoce.models.interface import predict, score
from sottovoce.models.rating_als import RatingALS
from sottovoce.models.statistics import solve_vectors
from sottovoce.protocols.central import Central
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.federated import Federated
from sottovoce.state import slots_of
from tests.networks import ratings, simulate

PEOPLE, ITEMS, K = 40, 15, 3
ZETA, RIDGE, BETA = 0.25, 7.0, 5.0
LOW, HIGH = 1.0, 5.0


def data():
    """Whole ratings of two tastes. The last item has none, and person 0 has two, of the same item."""
    rng = np.random.default_rng(5)
    taste = rng.normal(size=(PEOPLE, 2)) @ rng.normal(size=(2, ITEMS)) + rng.normal(size=ITEMS)
    values = np.clip(np.rint(3.4 + taste), LOW, HIGH) * (rng.random((PEOPLE, ITEMS)) < 0.6)
    values[:, ITEMS - 1] = 0
    values[0] = 0
    values[0, 3] = 5
    found = ratings(values.tolist())
    return replace(
        found,
        indptr=np.concatenate([[0], found.indptr[1:] + 1]),
        item=np.append(np.int32(3), found.item),
        value=np.append(np.float32(2), found.value),
        time=np.append(0, found.time),
    )


def network(protocol, merge=None, **settings):
    model = RatingALS(factors=K, **settings)
    return simulate(model, data(), protocol=protocol, merge=merge or Simple())


def central():
    return network(Central(start="common"))


class Slow:
    """The equations in NumPy, person by person and item by item."""

    def __init__(self, s):
        self.w = s.tables.rows[:, : K + 1].astype(float)
        self.count = np.zeros(ITEMS)
        self.m = np.zeros((K + 1, K + 1))
        self.mu, self.s, self.noise, self.sweeps = (LOW + HIGH) / 2, (HIGH - LOW) / 4, 0.5, 0
        indptr, item, value = s.people.indptr, s.people.item, s.people.value.astype(float)
        self.own = [(item[a:b], value[a:b]) for a, b in pairwise(indptr)]
        self.all = value

    def doubt(self):
        if self.sweeps == 0:
            return np.zeros(ITEMS)
        return self.noise / (RIDGE + self.count * np.trace(self.m[:K, :K]) / K)

    def person(self, items, values):
        """t, f [m, K + 1], A and (x, b)."""
        t = (values - self.mu) / self.s
        f = np.hstack([self.w[items, :K], np.ones((len(items), 1))])
        ridge = RIDGE + self.doubt()[items].sum()
        matrix = f.T @ f + np.diag([ridge] * K + [BETA])
        return t, f, matrix, np.linalg.solve(matrix, f.T @ (t - ZETA * self.w[items, K]))

    def sweep(self, exact=False):
        """A sweep; `exact` takes every item's own sum of P in place of nⱼ M."""
        g, own = np.zeros((ITEMS, K + 1)), np.zeros((ITEMS, K + 1, K + 1))
        total, wrong, doubt = np.zeros((K + 1, K + 1)), 0.0, self.doubt()
        for items, values in self.own:
            t, f, matrix, x = self.person(items, values)
            z, cov = np.append(x[:K], ZETA), self.noise * np.linalg.inv(matrix)
            p = np.outer(z, z)
            p[:K, :K] += cov[:K, :K]
            total += len(items) * p
            for n, j in enumerate(items):
                left = t[n] - x[K] - z @ self.w[j]
                wrong += left**2 + f[n] @ cov @ f[n] + doubt[j] * np.trace(p[:K, :K])
                own[j] += p
                if self.sweeps == 0:
                    g[j] += z * (t[n] - x[K])
                else:
                    shift = np.append(cov[:K] @ f[n], 0)
                    g[j] += z * left - shift + (p if exact else self.m) @ self.w[j]
        self.count = np.bincount(np.concatenate([items for items, _ in self.own]), minlength=ITEMS)
        new = total / len(self.all)
        if self.sweeps == 0:
            self.m = new
        for j in range(ITEMS):
            matrix = own[j] if exact else self.count[j] * self.m
            matrix = matrix + np.diag([RIDGE] * K + [BETA * ZETA**2])
            self.w[j] = np.linalg.solve(matrix, g[j])
        self.m, self.noise, self.sweeps = new, wrong / len(self.all), self.sweeps + 1
        self.mu, self.s = self.all.mean(), self.all.std()


@pytest.mark.parametrize("sweeps", [1, 2, 4])
def test_sweeps_follow_the_equations(sweeps):
    s = central()
    slow = Slow(s)
    s.advance(sweeps)
    for _ in range(sweeps):
        slow.sweep()
    np.testing.assert_allclose(s.tables.rows[:, : K + 1], slow.w, rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(s.tables.rows[:, K + 1], slow.count / PEOPLE, rtol=1e-6)
    head, size = s.tables.head[0], triangle(K + 1)
    np.testing.assert_allclose(head[:size], slow.m[np.tril_indices(K + 1)], rtol=1e-3, atol=1e-4)
    assert 3 + head[size] == pytest.approx(slow.mu, abs=1e-5)  # a quarter of the scale is 1
    assert head[size + 1] == pytest.approx(slow.s, abs=1e-5)
    assert head[size + 2] == pytest.approx(slow.noise, rel=1e-3)
    assert head[size + 3] == pytest.approx(len(slow.all) / PEOPLE)
    assert head[size + 4] == sweeps


def test_it_converges_to_exact_least_squares():
    """A sweep with Σ P over the people who rated the item changes nothing any more."""
    s = central()
    slow = Slow(s)
    for _ in range(200):
        slow.sweep()
    s.advance(200)
    np.testing.assert_allclose(s.tables.rows[:, : K + 1], slow.w, atol=2e-3)
    before = slow.w.copy()
    slow.sweep(exact=True)
    np.testing.assert_allclose(slow.w, before, atol=1e-3)
    assert np.abs(before[:, :K]).max() > 0.2


def test_people_predict_with_a_vector_for_the_newest_model():
    s = central()
    slow = Slow(s)
    s.advance(3)
    for _ in range(3):
        slow.sweep()
    solve_vectors(s.model, s.tables, s.people, slots_of(s.people), s.seed)
    for person in (0, 7):
        x = slow.person(*slow.own[person])[3]
        for item in range(ITEMS):
            z = np.append(x[:K], ZETA)
            expected = slow.mu + slow.s * (x[K] + z @ slow.w[item])
            state = s.model, s.tables, 0, s.people, person, item
            assert score(*state) == pytest.approx(expected, abs=3e-3)
            assert predict(*state) == pytest.approx(np.clip(expected, LOW, HIGH), abs=3e-3)


def test_predictions_stay_within_the_scale():
    s = network(Central(start="common"), low=2.9, high=3.1)
    s.advance(2)
    found = [predict(s.model, s.tables, 0, s.people, n, j) for n in range(9) for j in range(ITEMS)]
    assert min(found) == pytest.approx(2.9)
    assert max(found) == pytest.approx(3.1)


def test_a_server_that_sums_gets_the_model_of_central_training():
    """Plain sums, and sums of integers under masks, of every row: none has too few contributors."""
    first = central()
    first.advance(3)
    for summed in ({}, {"sum": Secure(bits=64, fewest=1, threshold=1.0)}):
        parts = {"protocol": Federated(start="common"), "merge": Simple(), **summed}
        s = simulate(RatingALS(factors=K), data(), **parts)
        s.advance(3)
        np.testing.assert_allclose(s.tables.rows, first.tables.rows, rtol=5e-3, atol=2e-3)
        np.testing.assert_allclose(s.tables.head[0], first.tables.head[0], rtol=5e-3, atol=2e-3)


def test_push_sum_gives_everybody_the_central_model():
    one, peers = central(), network(Consensus(pushes=60, bits=32, group=1), Replace())
    for s in (one, peers):
        s.advance(3)
    for model in peers.tables.rows.reshape(PEOPLE, ITEMS, K + 2):
        np.testing.assert_allclose(model, one.tables.rows, rtol=0.02, atol=5e-3)


def test_an_item_that_nobody_rated_is_predicted_by_the_person_alone():
    s = central()
    s.advance(3)
    assert np.all(s.tables.rows[ITEMS - 1] == 0)
    bias = s.people.user[7, K + 1]
    assert score(s.model, s.tables, 0, s.people, 7, ITEMS - 1) == pytest.approx(bias)
    assert np.isfinite(s.tables.rows).all()


def test_equal_ratings_are_predicted():
    s = simulate(
        RatingALS(factors=K),
        ratings([[4, 4, 0], [4, 0, 4], [0, 4, 4]]),
        protocol=Central(start="common"),
        merge=Simple(),
    )
    s.advance(6)
    assert predict(s.model, s.tables, 0, s.people, 0, 2) == pytest.approx(4, abs=0.05)
