"""`dataset-size` weighs models by the data behind them (Algorithm 1, Belal et al. 2022)."""

import pytest

from sottovoce.combine.dataset_size import DatasetSize
from sottovoce.combine.interface import weight
from sottovoce.models.mf import MF
from tests.combine.merging import shares
from tests.networks import ratings, simulate


def test_models_are_weighed_by_their_number_of_interactions():
    """8 and 2 interactions, whatever the ages are."""
    found = shares(DatasetSize())
    assert found.rows == pytest.approx([2 / 10, 2 / 10])
    assert found.head == pytest.approx(2 / 10)
    assert (found.age, found.clock) == ([3, 3], 9)


def test_a_model_knows_how_much_data_its_people_have():
    simulation = simulate(MF(factors=3), ratings([[5, 0, 1, 2], [0, 4, 0, 0], [0, 0, 0, 0]]))
    assert simulation.tables.size.tolist() == [3, 1, 0]


@pytest.mark.parametrize(("mine", "theirs", "share"), [(1, 3, 0.75), (0, 0, 0), (2, 0, 0), (0, 2, 1)])
def test_models_without_data_have_no_weight(mine, theirs, share):
    assert weight(DatasetSize(), float(mine), float(theirs)) == share
