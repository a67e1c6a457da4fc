"""Models in 32 bits or 16: how they are read and rounded. `tests/simulate` has whole networks of 16 bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.state import OLDEST, is_bfloat16, limited, opened, rounding, roundings, whole


def filled(storage, width=3):
    """Two models of four items whose numbers both storages can hold."""
    tables = whole(2, 4, width, 1, storage)
    numbers = np.arange(8 * width, dtype=np.float32).reshape(8, width)
    tables.rows[:] = numbers if storage == "float32" else numbers.view(np.uint32) >> 16
    tables.age[:], tables.head[:, 0] = np.arange(8), [0.25, 0.5]
    tables.clock[:], tables.size[:] = [3, 4], [30, 40]
    return tables, numbers


@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
def test_a_model_is_read_as_the_only_one_in_float32(storage):
    tables, numbers = filled(storage)
    one = opened(tables, 1)
    assert (type(one).storage, one.slots, one.offset.tolist()) == ("float32", 1, [0, 4])
    np.testing.assert_array_equal(one.rows, numbers[4:])
    assert (one.age.tolist(), one.head.tolist()) == ([4, 5, 6, 7], [[0.5]])
    assert (one.clock.tolist(), one.size.tolist()) == ([4], [40])
    assert np.shares_memory(one.rows, tables.rows) == (storage == "float32")
    assert np.shares_memory(one.head, tables.head)
    assert bool(is_bfloat16(tables)) == (storage == "bfloat16")


@given(st.integers(0, 2**40))
def test_ages_stay_where_their_storage_ends(age):
    for storage, most in (("float32", OLDEST), ("bfloat16", 65_535)):
        assert limited(whole(1, 1, 1, 0, storage), age) == min(age, most)


@pytest.mark.parametrize("width", [4, 5])
def test_random_bits_of_many_rows_are_those_of_each(width):
    """An even width is drawn flat, in another order of loops."""
    tables, key = whole(1, 9, width, 0, "bfloat16"), 12345
    with np.errstate(over="ignore"):
        bits = np.zeros(4 * width, np.uint32)
        roundings(tables, key, 3, 7, bits)
        expected = [rounding(tables, key, item, d) for item in range(3, 7) for d in range(width)]
    assert bits.tolist() == [int(one) for one in expected]
    assert len(set(bits.tolist())) > 2 * width
    assert max(bits) < 2**16


def test_32_bits_need_no_random_bits():
    bits = np.full(8, 9, np.uint32)
    roundings(whole(1, 9, 2, 0), 1, 0, 4, bits)
    assert (bits == 9).all()
