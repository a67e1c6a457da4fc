"""Root mean squared error: by hand and by its kernel."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.metrics.rmse import rmse, squared_error


def test_by_hand() -> None:
    assert rmse([1.0, 2.0, 5.0], [1.0, 4.0, 1.0]) == pytest.approx(math.sqrt(20 / 3))
    assert math.isnan(rmse([], []))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_prediction_that_is_not_finite_has_an_infinite_error(bad: float) -> None:
    assert rmse([bad, 3.0], [3.0, 3.0]) == math.inf
    assert squared_error(bad, 3.0) == math.inf


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1))
def test_equals_its_kernel(pairs: list[tuple[float, float]]) -> None:
    predicted, actual = zip(*pairs, strict=True)
    mean = math.fsum(squared_error(p, a) for p, a in pairs) / len(pairs)
    assert rmse(predicted, actual) == pytest.approx(math.sqrt(mean))
