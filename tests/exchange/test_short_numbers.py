"""Numbers of 16 bits: all of them mean something or are refused, and floats come back as they were."""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange.short_numbers import (
    LEAST,
    MOST,
    MOST_IN_HEAD,
    from_short,
    head_from_short,
    head_to_short,
    to_short,
    with_signs,
)

EVERY = np.arange(2**16, dtype=np.uint16)


def test_every_scale_is_there_and_back():
    codes = np.delete(EVERY, slice(1, 1024))
    values = from_short(codes)
    assert values[:2].tolist() == [0, LEAST]
    assert values[-1] == MOST
    assert (np.diff(values) > 0).all()
    np.testing.assert_array_equal(to_short(values), codes)
    np.testing.assert_array_equal(to_short(-values), codes)


def test_every_number_of_a_head_is_there_and_back():
    codes = np.delete(EVERY, slice(1, 1024))
    for top in (63, 127, 190):
        values = head_from_short(top, codes)
        found, back = head_to_short(values)
        assert found == top
        np.testing.assert_array_equal(back, codes)
        assert np.abs(values).max() == 2.0 ** (top - 127) * (2 - 2.0**-10)
    assert values.max() == MOST_IN_HEAD


def test_a_head_of_nothing():
    top, codes = head_to_short(np.array([0.0, -0.0], np.float32))
    assert (top, codes.tolist()) == (63, [0, 0])
    assert head_to_short(np.empty(0, np.float32))[0] == 63


@pytest.mark.parametrize("code", [1, 1023])
def test_codes_of_no_number_are_refused(code):
    with pytest.raises(MessageError, match="no number"):
        from_short(np.array([2000, code], np.uint16))
    with pytest.raises(MessageError, match="no number"):
        head_from_short(127, np.array([code], np.uint16))


def test_signs_are_told_beside_and_nothing_has_none():
    values = np.array([0, 1, 2], np.float32)
    assert with_signs(values, np.array([False, True, False])).tolist() == [0, -1, 2]
    with pytest.raises(MessageError, match="a 0 with a sign"):
        with_signs(values, np.array([True, False, False]))


@pytest.mark.parametrize("top", [0, 62, 191, 255])
def test_exponents_out_of_range_are_refused(top):
    with pytest.raises(MessageError, match="out of range"):
        head_from_short(top, np.zeros(1, np.uint16))


def test_what_does_not_fit_is_refused():
    for value in (LEAST / 2, MOST * 2, 1e-45, np.inf):
        with pytest.raises(MessageError):
            to_short(np.array([1, value], np.float32))
    with pytest.raises(MessageError, match="more digits"):
        to_short(np.array([1 + 2.0**-11], np.float32))
    for values in ([2.0**70], [1.0, 2.0**-63], [np.inf], [1 + 2.0**-11]):
        with pytest.raises(MessageError):
            head_to_short(np.array(values, np.float32))
