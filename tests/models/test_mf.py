"""`mf` against Algorithm 6 written down in plain Python, and its start against Algorithm 5."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.models.interface import score
from sottovoce.models.mf import MF
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from tests.networks import communities, ratings, simulate


def algorithm_6(y, c, x, b, rated, eta, regularization, decay=0.0, age=None):
    """The update rule as printed, in double precision; `rated` is a list of (item, rating)."""
    for j, a in rated:
        step = eta / (1 + decay * age[j]) if decay else eta
        if age is not None:
            age[j] += 1
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


def rated_by(data, person):
    own = slice(data.indptr[person], data.indptr[person + 1])
    return list(zip(data.item[own], data.value[own], strict=True))


TABLE = [[1, 0, 2, 5], [0, 3, 0, 4], [5, 2, 0, 1]]


def test_steps_become_shorter_with_the_age_of_a_row():
    data, model = ratings(TABLE), MF(factors=3, step=0.05, epochs=2, decay=0.3)
    simulation = simulate(model, data, protocol=Central())
    y, c = simulation.tables.rows[:, :-1].astype(float), simulation.tables.rows[:, -1].astype(float)
    users, age = simulation.people.user.astype(float), np.zeros(4, int)
    simulation.advance(3)
    for _ in range(3):
        for person in range(3):
            x, b = users[person, :-1], users[person, -1]
            for _ in range(2):
                x, b = algorithm_6(y, c, x, b, rated_by(data, person), 0.05, 0.1, 0.3, age)
            users[person] = [*x, b]
    np.testing.assert_array_equal(simulation.tables.age, age)
    np.testing.assert_allclose(simulation.people.user, users, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(simulation.tables.rows, np.column_stack([y, c]), rtol=1e-4, atol=1e-4)


def test_a_client_knows_how_old_the_servers_rows_are():
    """With one person federation is training at that person's; a row has grown older by one each round."""
    data, model = ratings(TABLE[:1]), MF(factors=3, step=0.05, decay=0.3)
    simulation = simulate(model, data, protocol=Federated(), merge=MFFedAvg())
    y, c = simulation.tables.rows[:, :-1].astype(float), simulation.tables.rows[:, -1].astype(float)
    x, b, age = (
        simulation.people.user[0, :-1].astype(float),
        float(simulation.people.user[0, -1]),
        np.zeros(4),
    )
    simulation.advance(4)
    for _ in range(4):
        x, b = algorithm_6(y, c, x, b, rated_by(data, 0), 0.05, 0.1, 0.3, age)
    np.testing.assert_array_equal(simulation.tables.age, age)
    np.testing.assert_allclose(simulation.people.user[0], [*x, b], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(simulation.tables.rows, np.column_stack([y, c]), rtol=1e-4, atol=1e-4)


def test_without_a_decay_a_recipe_is_what_it_was():
    document = {"data": {"name": "ml-100k"}, "model": "mf"}
    assert "decay" not in Recipe.parse(document).resolved("rmse").model.settings
    assert Recipe.parse(document | {"model": {"name": "mf", "decay": 0.1}}).resolved("rmse") != (
        Recipe.parse(document).resolved("rmse")
    )


def test_start_is_algorithm_5():
    """Uniform factors such that predictions begin within the scale, and biases that add up to its low end."""
    data = ratings([[2, 0, 3], [0, 4, 0]] * 200, low=2, high=11)
    simulation = simulate(MF(factors=4), data, protocol=Gossip(start="independent"))
    limit = math.sqrt((11 - 2) / 4)
    for numbers in (simulation.tables.rows, simulation.people.user):
        assert (numbers[:, -1] == 2 / 2).all()
        factors = numbers[:, :-1].ravel()
        assert (factors < limit).all()
        assert stats.kstest(factors / limit, "uniform").pvalue > 0.01
    tables, people = simulation.tables, simulation.people
    predicted = [score(simulation.model, tables, n, people, n, 0) for n in range(data.people)]
    assert 2 < min(predicted) < max(predicted) < 11


def test_common_start_is_common_and_independent_is_not():
    data = ratings([[1, 0, 2], [0, 3, 0]])
    common = simulate(MF(), data)
    assert (common.tables.rows[:3] == common.tables.rows[3:]).all()
    assert (common.people.user[0] == common.people.user[1]).all()
    own = simulate(MF(), data, protocol=Gossip(start="independent"))
    assert (own.tables.rows[:3, 0] != own.tables.rows[3:, 0]).all()
    assert (own.people.user[0, :-1] != own.people.user[1, :-1]).all()
