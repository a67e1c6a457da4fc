"""Popularity and random, the two figures that stand beside every result."""

import numpy as np
import pytest

from sottovoce.models.interface import predict, score
from sottovoce.models.popularity import Popularity
from sottovoce.models.random import Random
from sottovoce.protocols.central import Central
from tests.networks import ratings, simulate


def test_popularity_counts_and_averages():
    simulation = simulate(Popularity(), ratings([[5, 0, 1], [4, 0, 0]]), protocol=Central())
    simulation.advance(1)
    state = simulation.model, simulation.tables, 0, simulation.people, 0
    assert [score(*state, j) for j in range(3)] == [2, 0, 1]
    assert [predict(*state, j) for j in range(3)] == pytest.approx([(9 + 3) / 3, 3, (1 + 3) / 2])


def test_random_is_fixed_spread_and_personal():
    simulation = simulate(Random(), ratings([[5] * 200, [4] * 200]), protocol=Central())
    of = [
        [score(Random(1, 5), simulation.tables, 0, simulation.people, p, j) for j in range(200)]
        for p in (0, 1)
    ]
    assert abs(np.corrcoef(of)[0, 1]) < 0.3
    guesses = [predict(Random(1, 5), simulation.tables, 0, simulation.people, 0, j) for j in range(200)]
    assert min(guesses) >= 1
    assert max(guesses) <= 5
    assert np.std(guesses) > 1
