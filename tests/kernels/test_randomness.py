"""Random numbers: the same compiled and plain, different for every key, and they look random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.kernels import below, draw, driver, normal, stream, uniform


@driver
def _numbers(run, purpose, person, step, index):
    key = stream(run, purpose, person, step)
    return draw(key, index), uniform(key, index), below(key, index, 7), normal(key, index)


whole = st.integers(-(2**31), 2**31)


@given(whole, whole, whole, whole, st.integers(0, 2**40))
def test_plain_and_compiled_randomness_agree(run, purpose, person, step, index):
    assert _numbers(run, purpose, person, step, index) == pytest.approx(
        _numbers.plain(run, purpose, person, step, index), rel=1e-14
    )
    assert (
        _numbers(run, purpose, person, step, index)[:3]
        == _numbers.plain(run, purpose, person, step, index)[:3]
    )


@driver
def _sample(count):
    values = np.empty((count, 2))
    for n in range(count):
        values[n, 0] = uniform(stream(1, 2, n, 3), 4)
        values[n, 1] = normal(stream(1, 2, n, 3), 4)
    return values


def test_randomness_looks_random():
    sample = _sample(100_000)
    histogram = np.histogram(sample[:, 0], bins=100, range=(0, 1))[0]
    assert ((histogram - 1000) ** 2 / 1000).sum() < 150  # chi-square with 99 degrees of freedom
    assert abs(sample[:, 1].mean()) < 0.02
    assert abs(sample[:, 1].std() - 1) < 0.02
    assert abs(np.corrcoef(sample[1:, 0], sample[:-1, 0])[0, 1]) < 0.02


def test_every_part_of_a_key_counts():
    """Run, purpose, person, step and draw: with any of them changed, all of it is different."""
    keys = np.tile([1, 2, 3, 4, 5], (6, 1)) + 7 * np.eye(6, 5, dtype=int)
    with np.errstate(over="ignore"):
        found = [[int(draw(stream(*key[:4]), key[4])) for key in keys.tolist()] for _ in range(2)]
    assert found[0] == found[1]
    assert len(set(found[0])) == len(keys)


@given(st.integers(1, 2**31 - 1), st.integers(0, 2**40))
def test_numbers_below_a_bound_stay_there(bound, index):
    with np.errstate(over="ignore"):
        assert 0 <= below(stream(1, 2, 3, 4), index, bound) < bound
        assert 0 <= uniform(stream(1, 2, 3, 4), index) < 1
