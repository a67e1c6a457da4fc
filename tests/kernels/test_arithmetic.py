"""Sums in a fixed order, and steps from one number to another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.kernels import driver
from sottovoce.kernels.arithmetic import between, dot_at


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_dot_sums_in_a_fixed_order(count, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, count), dtype=np.float32)
    product = driver(_dot)(a, b, count)
    assert product == kernels.dot(a, b, count)
    assert product == pytest.approx(float(a.astype(float) @ b.astype(float)), rel=1e-5)


def _dot(a, b, count):
    return kernels.dot(a, b, count)


def test_a_product_may_begin_anywhere():
    a, b = np.arange(1, 7, dtype=np.float32), np.arange(20, dtype=np.float32)
    assert dot_at(a, b, 3, 6) == sum((d + 1) * (d + 3) for d in range(6))
    assert dot_at(a, b, 3, 0) == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_counts_for_nothing_does_no_harm(bad):
    mine, bad = np.float32(2), np.float32(bad)
    with np.errstate(invalid="ignore"):
        assert between(mine, bad, np.float32(0)) == 2
        assert between(bad, mine, np.float32(1)) == 2
    assert between(mine, np.float32(6), np.float32(0.25)) == 3
    third = np.float32(1) / np.float32(3)
    assert between(third, third, np.float32(0.7)) == third
