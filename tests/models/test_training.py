"""Training on a model however it is stored, and towards a trained copy of it."""

import numpy as np

from sottovoce.models.mf import MF
from sottovoce.models.training import train_stored, train_towards
from tests.networks import copy_of, ratings, simulate


def community():
    rng = np.random.default_rng(1)
    table = rng.integers(1, 6, (8, 10)) * (rng.random((8, 10)) < 0.5)
    return ratings(table.tolist())


def test_a_step_goes_part_of_the_way():
    simulation = simulate(MF(factors=3), community())
    simulation.advance(2)
    model, tables, people = simulation.model, simulation.tables, simulation.people
    before, trained, half, all_of_it = (copy_of(tables) for _ in range(4))
    vector = people.user.copy()

    def go(way, *step):
        people.user[:] = vector
        way(*step)

    go(train_stored, trained, 3, model, people, 3, 1)
    assert (trained.rows != before.rows).any()
    go(train_towards, all_of_it, 3, model, people, 3, 1, 1.0)
    np.testing.assert_array_equal(all_of_it.rows, trained.rows)
    np.testing.assert_array_equal(all_of_it.age, trained.age)
    go(train_towards, half, 3, model, people, 3, 1, 0.5)
    np.testing.assert_allclose(half.rows, (before.rows + trained.rows) / 2, rtol=1e-6)
