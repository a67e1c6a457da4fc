"""Fixed point: sums of integers are sums of numbers, and nothing overflows without a word."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.fixed import MOST_BITS, Fixed


@given(st.lists(st.lists(st.floats(-4, 4), min_size=3, max_size=3), min_size=1, max_size=9))
def test_a_sum_of_integers_is_the_sum_within_the_stated_precision(values: list[list[float]]) -> None:
    fixed = Fixed(20, 4.0, len(values))
    total = sum(fixed.encode(np.array(one)) for one in values)
    found = fixed.decode(np.asarray(total))
    assert np.abs(found - np.sum(values, axis=0)).max() <= fixed.precision + 1e-12


def test_the_bound_is_what_all_clients_at_the_limit_add_up_to() -> None:
    fixed = Fixed(3, 2.5, 7)
    assert (fixed.largest, fixed.bound, fixed.bits) == (20, 140, 9)
    total = 7 * fixed.encode(np.array([2.5, -2.5]))
    np.testing.assert_array_equal(fixed.decode(total), [17.5, -17.5])
    with pytest.raises(MessageError, match="larger than 7 participants"):
        fixed.decode(total + np.array([1, 0]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(MessageError, match="not finite"):
        Fixed(20, 4.0, 2).encode(np.array([0.0, bad]))
    with pytest.raises(MessageError, match="larger than"):
        Fixed(20, 4.0, 2).decode(np.array([bad]))


@pytest.mark.parametrize("bad", [4.001, -4.001, 1e300])
def test_what_is_above_the_limit_is_refused(bad: float) -> None:
    with pytest.raises(MessageError, match="4 is the largest"):
        Fixed(20, 4.0, 2).encode(np.array([0.0, bad]))


@pytest.mark.parametrize("bad", [Fixed(-1, 1.0, 1), Fixed(3, 0.0, 1), Fixed(3, np.nan, 1), Fixed(3, 1.0, 0)])
def test_a_form_that_is_none_is_refused(bad: Fixed) -> None:
    with pytest.raises(MessageError, match="not possible"):
        bad.check()


def test_sums_fit_64_bits() -> None:
    Fixed(40, 2.0**10, 2**10).check()
    with pytest.raises(MessageError, match=f"{MOST_BITS} is the most"):
        Fixed(40, 2.0**11, 2**10).check()
