"""What a simulated message holds is what a real one holds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Chain
from sottovoce.exchange.message import Expect, emit, received
from sottovoce.models.mf import MF
from tests.exchange.packing import packed
from tests.networks import communities, simulate

chains = st.builds(
    Chain, st.sampled_from([0.1, 0.4, 0.9, 1.0]), st.sampled_from([32, 16, 8]), st.booleans()
).filter(lambda made: made != Chain())


@settings(max_examples=40)
@given(communities(people=(2, 7), items=(2, 40)), chains, st.integers(0, 2**31), st.integers(0, 99))
def test_a_real_message_is_the_simulated_one(data, made, seed, number):
    s = simulate(MF(factors=3), data, chain=made, seed=seed)
    s.advance(2)
    message = emit(s.tables, 0, made, s.people, s.driver.reference, seed, number)
    encoded = codec.encode(message)
    rows = len(message.rows)
    assert len(encoded) == codec.size(rows, 4, 0, made.share < 1, made.bits)
    arrived = received(codec.decode(encoded, Expect(data.items, 4, 0)), s.driver.reference)
    expected = packed(s, 0, number)
    for name in ("rows", "age", "head", "clock", "ids"):
        np.testing.assert_array_equal(getattr(arrived, name), getattr(expected, name), err_msg=name)
