"""`model-age` weighs whole models by their clocks (Algorithm 1, Belal et al. 2022)."""

import pytest

from sottovoce.combine.interface import weight
from sottovoce.combine.model_age import ModelAge
from tests.combine.merging import shares


def test_models_are_weighed_by_their_clocks():
    """Clocks of 3 and 9, whatever the ages of rows and the sizes of data are."""
    found = shares(ModelAge())
    assert found.rows == pytest.approx([9 / 12, 9 / 12])
    assert found.head == pytest.approx(9 / 12)
    assert (found.age, found.clock) == ([3, 3], 9)


@pytest.mark.parametrize(("mine", "theirs", "share"), [(1, 3, 0.75), (0, 0, 0), (2, 0, 0), (0, 2, 1)])
def test_untrained_models_have_no_weight(mine, theirs, share):
    assert weight(ModelAge(), float(mine), float(theirs)) == share
