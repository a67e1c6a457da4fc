"""`decentralized-reptile` averages two starts and moves part of the way that training goes."""

import numpy as np
import pytest

from sottovoce.combine.decentralized_reptile import DecentralizedReptile
from sottovoce.combine.interface import weight
from sottovoce.models.mf import MF
from tests.combine.merging import shares
from tests.networks import advance_slowly, assert_same, copy_of, ratings, simulate


def community():
    rng = np.random.default_rng(1)
    table = rng.integers(1, 6, (8, 10)) * (rng.random((8, 10)) < 0.5)
    return ratings(table.tolist())


def test_gossip_equals_the_slow_network():
    parts = {"merge": DecentralizedReptile(step=0.25)}
    fast, slow = (simulate(MF(factors=3), community(), **parts) for _ in range(2))
    fast.advance(4)
    advance_slowly(slow, 4)
    assert_same(fast, slow)


def test_starts_are_averaged_whatever_they_are():
    found = shares(DecentralizedReptile())
    assert (found.rows, found.head) == ([0.5, 0.5], 0.5)
    assert (found.age, found.clock) == ([3, 3], 9)
    assert weight(DecentralizedReptile(), 1.0, 0.0) == 0.5


@pytest.mark.parametrize("step", [0.25, 1.0])
def test_a_start_moves_part_of_the_way_that_training_goes(step):
    from sottovoce.combine.interface import train_after_merge
    from sottovoce.models.interface import train

    simulation = simulate(MF(factors=3), community())
    model, people, vector = simulation.model, simulation.people, simulation.people.user.copy()
    trained, moved = copy_of(simulation.tables), copy_of(simulation.tables)
    train(model, trained, 3, people, 3, 1)
    people.user[:] = vector
    train_after_merge(DecentralizedReptile(step=step), model, moved, 3, people, 3, 1)
    before = simulation.tables.rows
    assert (trained.rows != before).any()
    np.testing.assert_allclose(moved.rows, before + step * (trained.rows - before), rtol=1e-6, atol=1e-7)
