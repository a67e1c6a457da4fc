"""`delta` sends differences to the common start."""

import numpy as np

from sottovoce.exchange.compression.delta import Delta
from sottovoce.exchange.compression.interface import Chain, chain
from sottovoce.exchange.message import emit, received
from sottovoce.models.mf import MF
from tests.exchange.packing import crowd, packed
from tests.networks import simulate


def test_it_is_part_of_the_chain():
    assert chain([Delta()]) == Chain(delta=True)


def test_differences_lose_less():
    """With all at their common start, a difference says exactly zero, whatever the bits."""
    for delta, exact in ((True, True), (False, False)):
        s = simulate(MF(factors=3), crowd(), chain=Chain(bits=8, delta=delta))
        assert (packed(s, 0, 0).rows == s.tables.rows[:200]).all() == exact


def test_what_travels_is_the_difference_and_what_arrives_the_model(uncompiled):
    s = simulate(MF(factors=3), crowd(), chain=Chain(share=0.5, delta=True))
    s.advance(2)
    message = emit(s.tables, 3, s.chain, s.people, s.driver.reference, s.seed, 0)
    rows, start = s.tables.rows[600:800][message.ids], s.driver.reference.rows[message.ids]
    np.testing.assert_array_equal(message.rows, rows - start)
    assert (message.rows[message.age == 0] == 0).all()
    assert (message.rows != 0).any()
    np.testing.assert_allclose(received(message, s.driver.reference).rows, rows, atol=1e-6)
