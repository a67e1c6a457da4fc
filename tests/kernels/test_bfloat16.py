"""16-bit storage: numbers are rounded at random to one of their neighbours, and are right in the mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.kernels import dither, driver, from_float32, stream, to_float32


@driver
def _rounded(values, key, stored, loaded):
    for n in range(len(values)):
        stored[n] = from_float32(stored, values[n], dither(key, n // 2, n % 2))
        loaded[n] = to_float32(stored[n])


def rounded(values, key, run=_rounded):
    """Numbers that were stored in 16 bits and loaded again."""
    values = np.asarray(values, np.float32)
    stored, loaded = np.empty(values.shape, np.uint16), np.empty_like(values)
    run(values, np.uint64(key), stored, loaded)
    return loaded


@given(st.lists(st.floats(-(2.0**100), 2.0**100, width=32), max_size=40), st.integers(0, 2**64 - 1))
def test_a_stored_number_is_one_of_its_two_neighbours(values, key):
    values = np.array(values, np.float32)
    found = rounded(values, key)
    np.testing.assert_array_equal(found, rounded(values, key, _rounded.plain))
    below = (values.view(np.uint32) & 0xFFFF0000).view(np.float32)
    above = ((values.view(np.uint32) & 0xFFFF0000) + 0x10000).view(np.float32)
    assert ((found == below) | ((found == above) & (below != values))).all()
    np.testing.assert_array_equal(rounded(found, key ^ 1), found)


def test_numbers_that_diverged_stay_so():
    assert np.isnan(rounded([np.nan, -np.nan], 1)).all()
    assert rounded([np.inf, -np.inf], 1).tolist() == [np.inf, -np.inf]


def test_stored_numbers_are_right_in_the_mean():
    """Also when it is done again and again: small steps are not lost, as they would be to nearest."""
    generator = np.random.default_rng(1)
    values = generator.normal(size=50).astype(np.float32)
    means = rounded(np.repeat(values, 4000), stream(1, 2, 3, 4)).reshape(50, 4000).mean(1, np.float64)
    step = np.abs(values) * 2.0**-7
    assert (np.abs(means - values) < 5 * step / np.sqrt(4 * 4000)).all()
    walk = np.ones(2000, np.float32)
    for n in range(1000):
        walk = rounded(walk + np.float32(1e-4), stream(1, 2, 3, n))
    assert walk.mean() == pytest.approx(1.1, abs=0.004)


def test_rounding_bits_look_random():
    keys = stream(1, 2, 3, 4), stream(1, 2, 3, 5)
    columns = [[dither(key, n, half) for n in range(20_000)] for key in keys for half in (0, 1)]
    for column in columns:
        histogram = np.histogram(column, bins=64, range=(0, 2**16))[0]
        assert ((histogram - 312.5) ** 2 / 312.5).sum() < 110  # chi-square with 63 degrees of freedom
    together = np.corrcoef([*columns, np.roll(columns[0], 1)])
    assert np.abs(together - np.eye(5)).max() < 0.035
