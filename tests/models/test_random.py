"""`random` scores are fixed, spread over the scale, and different for everybody."""

import numpy as np

from sottovoce.models.interface import predict, score
from sottovoce.models.random import Random
from sottovoce.protocols.central import Central
from tests.networks import ratings, simulate


def test_random_is_fixed_spread_and_personal():
    simulation = simulate(Random(), ratings([[5] * 200, [4] * 200]), protocol=Central())
    of = [
        [score(Random(1, 5), simulation.tables, 0, simulation.people, p, j) for j in range(200)]
        for p in (0, 1)
    ]
    assert abs(np.corrcoef(of)[0, 1]) < 0.3
    again = [score(Random(1, 5), simulation.tables, 0, simulation.people, 0, j) for j in range(200)]
    assert again == of[0]
    guesses = [predict(Random(1, 5), simulation.tables, 0, simulation.people, 0, j) for j in range(200)]
    assert min(guesses) >= 1
    assert max(guesses) <= 5
    assert np.std(guesses) > 1
