"""`popularity` ranks by the number of interactions and predicts mean ratings."""

import pytest

from sottovoce.models.interface import predict, score
from sottovoce.models.popularity import Popularity
from sottovoce.protocols.central import Central
from tests.networks import ratings, simulate


def test_popularity_counts_and_averages():
    simulation = simulate(Popularity(), ratings([[5, 0, 1], [4, 0, 0]]), protocol=Central())
    simulation.advance(1)
    state = simulation.model, simulation.tables, 0, simulation.people, 0
    assert [score(*state, j) for j in range(3)] == [2, 0, 1]
    assert [predict(*state, j) for j in range(3)] == pytest.approx([(9 + 3) / 3, 3, (1 + 3) / 2])
