"""`quantize` rounds numbers at random to one of their two neighbours, and is right in the mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.exchange.compression.interface import Chain, chain
from sottovoce.exchange.compression.quantize import Quantize, decoded, encoded, step_of
from sottovoce.models.mf import MF
from tests.exchange.packing import crowd, packed
from tests.networks import simulate


def test_bits_are_part_of_the_chain():
    assert chain([Quantize(16)]) == Chain(bits=16)
    assert chain([Quantize()]) == Chain(bits=8)


@given(
    st.floats(-100, 100, width=32),
    st.floats(0, 100, width=32),
    st.floats(0, 1, width=32),
    st.floats(0, 1, exclude_max=True, width=32),
    st.sampled_from([8, 16]),
)
def test_a_number_becomes_one_of_its_two_neighbours(low, length, at, draw, bits):
    low, high = np.float32(low), np.float32(low) + np.float32(length)
    value = np.float32(low + np.float32(at) * (high - low))
    step = step_of(low, high, bits)
    code = encoded(value, low, step, bits, draw)
    assert 0 <= code < 2**bits
    error = float(decoded(code, low, step)) - float(value)
    assert abs(error) <= float(step) * 1.01 + 1e-4


def test_codes_by_hand():
    """From 0 to 255 in 8 bits a step is 1, and 2.3 goes up with the chance 0.3."""
    low, high = np.float32(0), np.float32(255)
    assert step_of(low, high, 8) == 1
    assert [encoded(np.float32(2.3), low, np.float32(1), 8, draw) for draw in (0.0, 0.69, 0.71, 0.99)] == [
        2,
        2,
        3,
        3,
    ]
    assert encoded(high, low, np.float32(1), 8, 0.99) == 255
    assert step_of(np.float32(0.7), np.float32(0.7), 8) == 1
    assert decoded(3, np.float32(-1), np.float32(0.5)) == 0.5


@pytest.mark.parametrize("bits", [16, 8])
def test_rounding_is_right_in_the_mean(bits):
    s = simulate(MF(factors=3), crowd(), chain=Chain(bits=bits))
    s.advance(3)
    weights = s.tables.rows[:200]
    steps = np.ptp(weights, axis=0) / (2**bits - 1)
    samples = np.array([packed(s, 0, number).rows for number in range(200)], np.float64)
    assert (np.abs(samples - weights) <= 1.01 * steps + 1e-6).all()
    assert (np.abs(samples.mean(0) - weights) <= 5 * steps / np.sqrt(4 * 200) + 1e-6).all()
