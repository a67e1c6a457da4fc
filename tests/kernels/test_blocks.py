"""Products of small matrices: compiled, they are what plain NumPy computes, and touch nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.kernels import driver
from sottovoce.kernels.blocks import WIDE, add_outer, add_products, dots

TOLERANCE = {np.float32: 1e-5, np.float64: 1e-13}


@driver
def products(out, first, x, begin, weight, at, inputs, outputs, across, along):
    add_products(out, first, x, begin, weight, at, inputs, outputs, across, along)


@driver
def outer(total, at, error, first, x, begin, inputs, outputs, along):
    add_outer(total, at, error, first, x, begin, inputs, outputs, along)


@driver
def multiplied(out, vector, table, places):
    dots(out, vector, table, places)


@pytest.mark.parametrize("kind", TOLERANCE)
@settings(max_examples=60, deadline=None)
@given(
    inputs=st.integers(0, 13),
    outputs=st.integers(0, 13),
    vectors=st.integers(1, 5),
    turned=st.booleans(),
    begin=st.integers(0, 3),
    at=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_compiled_as_plain(kind, inputs, outputs, vectors, turned, begin, at, seed):
    rng = np.random.default_rng(seed)
    lanes, first = vectors * WIDE, begin + inputs + 1
    numbers = rng.normal(size=(first + outputs + 2, lanes)).astype(kind)
    weight = rng.normal(size=at + inputs * outputs + 2).astype(kind)
    strides = (outputs, 1) if turned else (1, inputs)  # weights by output, or by input
    found, expected = numbers.copy(), numbers.copy()
    products(found, first, found, begin, weight, at, inputs, outputs, *strides)
    add_products(expected, first, expected, begin, weight, at, inputs, outputs, *strides)
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE[kind], atol=TOLERANCE[kind] * 10)
    untouched = np.r_[:first, first + outputs : len(numbers)]
    np.testing.assert_array_equal(found[untouched], numbers[untouched])

    mine, theirs = weight.copy(), weight.copy()
    outer(mine, at, numbers, first, numbers, begin, inputs, outputs, inputs)
    add_outer(theirs, at, numbers, first, numbers, begin, inputs, outputs, inputs)
    np.testing.assert_allclose(mine, theirs, rtol=TOLERANCE[kind], atol=TOLERANCE[kind] * lanes)
    np.testing.assert_array_equal(mine[:at], weight[:at])
    np.testing.assert_array_equal(mine[at + inputs * outputs :], weight[at + inputs * outputs :])


def test_a_product_by_hand():
    x = np.zeros((3, WIDE), np.float32)
    x[0], x[1] = 2, np.arange(WIDE)
    products(x, 2, x, 0, np.array([3, 10], np.float32), 0, 2, 1, 1, 2)
    np.testing.assert_array_equal(x[2], 6 + 10 * np.arange(WIDE))
    total = np.ones(2, np.float32)
    outer(total, 0, x, 0, x, 0, 2, 1, 2)
    np.testing.assert_array_equal(total, [1 + 4 * WIDE, 1 + 2 * 28])


@pytest.mark.parametrize("kind", TOLERANCE)
@settings(max_examples=60, deadline=None)
@given(length=st.integers(0, 27), beyond=st.integers(0, 3), count=st.integers(0, 21), seed=st.integers(0, 99))
def test_rows_times_a_vector(kind, length, beyond, count, seed):
    """Also of a part of each row, up to the end of the table, and in an order that is the same everywhere."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(count + 1, length + beyond)).astype(kind)
    vector, places = rng.normal(size=length).astype(kind), rng.integers(0, count + 1, count).astype(np.int32)
    every, some, expected = (np.full(n, np.nan, kind) for n in (count + 1, count, count))
    multiplied(every, vector, table, None)
    multiplied(some, vector, table, places)
    dots(expected, vector, table, places)
    np.testing.assert_allclose(some, expected, rtol=TOLERANCE[kind], atol=TOLERANCE[kind] * 10)
    np.testing.assert_array_equal(some, every[places])
