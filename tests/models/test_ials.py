"""`ials` against the normal equations solved by NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.models.ials import IALS
from sottovoce.protocols.central import Central
from tests.networks import communities, ratings, simulate


def train_slowly(model, y, own, step):
    """One training as the module's equations say, in double precision."""
    weight = np.full(len(y), model.unobserved)
    target = np.zeros(len(y))
    weight[own] = target[own] = 1
    gram = (y * weight[:, None]).T @ y + model.regularization * np.eye(model.factors)
    u = np.linalg.solve(gram, (y * weight[:, None]).T @ target)
    norm = u @ u
    if norm < 1e-20:
        return u, y
    moved = y + step / norm * np.outer(weight * (target - y @ u), u)
    return u, moved / (1 + model.item_regularization * step / norm)


@given(communities(people=(1, 4)), st.sampled_from([1, 3]))
def test_training_solves_and_steps(data, factors):
    model = IALS(factors=factors, step=0.8, last_step=0.8, spread=1.0, regularization=0.5)
    simulation = simulate(model, data, protocol=Central())
    y = simulation.tables.rows.astype(float)
    simulation.advance(1)
    for person in range(data.people):
        u, y = train_slowly(model, y, data.item[data.indptr[person] : data.indptr[person + 1]], 0.8)
        np.testing.assert_allclose(simulation.people.user[person], u, rtol=2e-3, atol=2e-4)
    np.testing.assert_allclose(simulation.tables.rows, y, rtol=2e-3, atol=2e-3)


def test_the_step_falls_over_the_expected_trainings():
    data = ratings([[5, 5, 0, 0]] * 2)
    slow = simulate(IALS(factors=3, step=1.0, last_step=1e-6, calls=1), data, protocol=Central())
    slow.advance(1)
    before = slow.tables.rows.copy()
    slow.advance(1)
    assert np.abs(slow.tables.rows - before).max() < 1e-4


def test_steps_left_open_fit_the_protocol():
    data = ratings([[5, 5, 0, 0]] * 3)
    assert simulate(IALS(), data).model[4:6] == (1.5, 0.3)
    assert simulate(IALS(), data, protocol=Central()).model[4:6] == (0.1, 0.01)


def test_only_own_items_age():
    data = ratings([[5, 0, 0], [0, 4, 0]])
    simulation = simulate(IALS(factors=3), data, protocol=Central())
    simulation.advance(2)
    assert simulation.tables.age.tolist() == [2, 2, 0]
