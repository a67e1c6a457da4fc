"""Many integers in one: what is packed comes back, and sums do not carry over."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.packing import pack, slots, unpack

N = 2**255 + 95  # odd, of 256 bits; packing needs no factors


@given(st.data(), st.integers(2, 62), st.integers(1, 5), st.integers(0, 20))
def test_sums_of_plaintexts_are_sums_of_values(
    data: st.DataObject, bits: int, terms: int, length: int
) -> None:
    """Against Python's own integers, with every sum within its slot, however many are added."""
    most = (2 ** (bits - 1) - 1) // terms
    value = st.integers(-most, most)
    vectors = data.draw(
        st.lists(st.lists(value, min_size=length, max_size=length), min_size=1, max_size=terms)
    )
    fitting = slots(256, bits)
    packed = [pack(np.array(vector, np.int64), bits, fitting, N) for vector in vectors]
    summed = [sum(column) % N for column in zip(*packed, strict=True)]
    assert len(summed) == -(-length // fitting)
    found = unpack(summed, bits, fitting, N, length, terms)
    assert found.tolist() == [sum(column) for column in zip(*vectors, strict=True)]


def test_the_plaintext_is_the_sum_of_shifted_values() -> None:
    (plain,) = pack(np.array([3, -2, 5]), 8, 4, N)
    assert plain == 1 + 2**16 * (3 - 2 * 2**8 + 5 * 2**16)
    (plain,) = pack(np.array([3, -2]), 8, 2, N)
    assert plain == N + 1 + 2**16 * (3 - 2 * 2**8)


@given(st.integers(2, 62))
def test_as_many_slots_as_fit(bits: int) -> None:
    fitting = slots(256, bits)
    extreme = np.full(fitting, -(2 ** (bits - 1)) + 1)
    assert abs(pack(extreme, bits, fitting, N)[0] - N) <= N // 2
    assert 16 + (fitting + 1) * bits > 255


def test_sums_outside_of_all_slots_are_refused() -> None:
    for plain in (2**23, -(2**23) - 2**16):
        with pytest.raises(MessageError, match="does not fit its slots"):
            unpack([(1 + 2**16 * plain) % N], 8, 3, N, 3, 5)


def test_sums_of_more_plaintexts_than_agreed_are_refused() -> None:
    """Eight sevens in a slot of five bits carry over into the next one; the count tells."""
    one = pack(np.array([7, 0, -7, 0]), 5, 2, N)
    added = [8 * plain % N for plain in one]
    with pytest.raises(MessageError, match="has 8 terms, and 1 to 2 were agreed"):
        unpack(added, 5, 2, N, 4, 2)
    with pytest.raises(MessageError, match="has 1 and 2 terms"):
        unpack([one[0], 2 * one[1] % N], 5, 2, N, 4, 2)
    with pytest.raises(MessageError, match="has 0 terms"):
        unpack([0], 5, 2, N, 2, 2)


def test_a_key_that_holds_no_slot_is_refused() -> None:
    with pytest.raises(MessageError, match="longer key"):
        slots(32, 40)
