"""Mean absolute error, by hand."""

import math

import pytest

from sottovoce.metrics.mae import absolute_error, mae


def test_by_hand() -> None:
    assert mae([1.0, 2.0, 5.0], [1.0, 4.0, 1.0]) == 2
    assert math.isnan(mae([], []))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_prediction_that_is_not_finite_has_an_infinite_error(bad: float) -> None:
    assert mae([bad, 3.0], [3.0, 3.0]) == math.inf
    assert absolute_error(bad, 3.0) == math.inf
