"""`mf` against Algorithm 6 written down in plain Python, and its start against Algorithm 5."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.models.mf import MF
from sottovoce.protocols.central import Central
from tests.networks import communities, ratings, simulate


def algorithm_6(y, c, x, b, rated, step, regularization):
    """The update rule as printed, in double precision; `rated` is a list of (item, rating)."""
    for j, a in rated:
        error = a - x @ y[j] - b - c[j]
        y[j], x = (
            (1 - step * regularization) * y[j] + step * error * x,
            (1 - step * regularization) * x + step * error * y[j],
        )
        c[j] += step * error
        b += step * error
    return x, b


@given(communities(), st.integers(1, 3), st.sampled_from([1, 3]))
def test_training_is_algorithm_6(data, epochs, factors):
    model = MF(factors=factors, step=0.05, regularization=0.1, epochs=epochs)
    simulation = simulate(model, data, protocol=Central())
    y = simulation.tables.rows[:, :-1].astype(float)
    c = simulation.tables.rows[:, -1].astype(float)
    users = simulation.people.user.astype(float)
    simulation.advance(1)
    for person in range(data.people):
        own = slice(data.indptr[person], data.indptr[person + 1])
        rated = list(zip(data.item[own], data.value[own], strict=True))
        x, b = users[person, :-1], users[person, -1]
        for _ in range(epochs):
            x, b = algorithm_6(y, c, x, b, rated, 0.05, 0.1)
        np.testing.assert_allclose(simulation.people.user[person], [*x, b], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(simulation.tables.rows, np.column_stack([y, c]), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(
        simulation.tables.age, epochs * np.bincount(data.item, minlength=data.items)
    )


def test_start_is_algorithm_5():
    data = ratings([[1, 0, 2], [0, 3, 0]] * 50, low=1, high=5)
    simulation = simulate(MF(factors=4), data)
    factors, biases = simulation.tables.rows[:, :-1], simulation.tables.rows[:, -1]
    assert (biases == 0.5).all()
    assert (factors >= 0).all()
    assert (factors < math.sqrt(4 / 4)).all()
    predicted = simulation.people.user[0, :-1] @ factors[0] + 1
    assert 1 <= predicted <= 5


def test_common_start_is_common_and_independent_is_not():
    data = ratings([[1, 0, 2], [0, 3, 0]])
    common = simulate(MF(), data)
    assert (common.tables.rows[:3] == common.tables.rows[3:]).all()
    assert (common.people.user[0] == common.people.user[1]).all()
    from sottovoce.protocols.gossip import Gossip

    own = simulate(MF(), data, protocol=Gossip(start="independent"))
    assert (own.tables.rows[:3, 0] != own.tables.rows[3:, 0]).all()
    assert (own.people.user[0, :-1] != own.people.user[1, :-1]).all()
