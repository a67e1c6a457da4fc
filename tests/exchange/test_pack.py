"""What a simulated message holds is what a real one holds; and each link of the chain does its part."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.exchange import codec
from sottovoce.exchange.compression.delta import Delta
from sottovoce.exchange.compression.interface import Chain, Whole, chain
from sottovoce.exchange.compression.none import Everything
from sottovoce.exchange.compression.quantize import Quantize
from sottovoce.exchange.compression.subsample import Subsample
from sottovoce.exchange.message import Expect, emit, received
from sottovoce.exchange.pack import pack
from sottovoce.models.mf import MF
from tests.networks import communities, ratings, simulate

chains = st.builds(
    Chain, st.sampled_from([0.1, 0.4, 0.9, 1.0]), st.sampled_from([32, 16, 8]), st.booleans()
).filter(lambda made: made != Chain())


def packed(simulation, slot, number):
    """The message as the simulator has it, by plain Python."""
    pool = simulation.pool(1)
    s = simulation
    pack(s.chain, s.tables, slot, s.people, s.driver.reference, pool, 0, s.seed, number)
    return pool


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


def crowd(people=7, items=200, rated=30):
    rng = np.random.default_rng(2)
    board = np.zeros((people, items))
    for row in board:
        row[rng.choice(items, rated, replace=False)] = rng.integers(1, 6, rated)
    return ratings(board.tolist())


@pytest.mark.parametrize(("share", "own"), [(0.1, 20), (0.15, 30), (0.5, 30), (0.95, 30)])
def test_subsampling_sends_own_rows_first(share, own):
    """Algorithm 7: min(s, |D|) of one's own, at random, the rest of others."""
    data = crowd()
    s = simulate(MF(factors=3), data, chain=Chain(share=share))
    mine, counts = set(data.item[:30].tolist()), np.zeros(200)
    for number in range(300):
        ids = packed(s, 0, number).ids
        assert len(set(ids.tolist())) == int(share * 200)
        assert (np.diff(ids) > 0).all()
        assert len(mine & set(ids.tolist())) == own
        counts[ids] += 1
    # All of one kind are sent equally often.
    for kind, sent in ((sorted(mine), own), (sorted(set(range(200)) - mine), int(share * 200) - own)):
        expected = 300 * sent / len(kind)
        spread = np.sqrt(expected * (1 - sent / len(kind)))
        assert np.abs(counts[kind] - expected).max() <= 5 * spread


@pytest.mark.parametrize("bits", [16, 8])
def test_rounding_is_right_in_the_mean(bits):
    s = simulate(MF(factors=3), crowd(), chain=Chain(bits=bits))
    s.advance(3)
    weights = s.tables.rows[:200]
    steps = np.ptp(weights, axis=0) / (2**bits - 1)
    samples = np.array([packed(s, 0, number).rows for number in range(200)], np.float64)
    assert (np.abs(samples - weights) <= 1.01 * steps + 1e-6).all()
    assert (np.abs(samples.mean(0) - weights) <= 5 * steps / np.sqrt(4 * 200) + 1e-6).all()


def test_differences_lose_less():
    """With all at their common start, a difference says exactly zero, whatever the bits."""
    for delta, exact in ((True, True), (False, False)):
        s = simulate(MF(factors=3), crowd(), chain=Chain(bits=8, delta=delta))
        assert (packed(s, 0, 0).rows == s.tables.rows[:200]).all() == exact


def test_links_make_a_chain_in_any_order():
    made = Chain(0.2, 16, True)
    links = Subsample(0.2), Quantize(16), Delta()
    assert chain(links) == chain(links[::-1]) == made
    assert chain([]) == chain([Subsample(1.0)]) == chain([Everything()]) == Whole()
    assert chain([Everything(), *links]) == made
    assert isinstance(chain([]), Whole)


def test_fewer_rows_take_less_in_proportion_and_fewer_bits_what_they_save():
    def share(chain):
        return codec.payload(chain, 100, 6, 0)

    assert share(Whole()) == share(Chain(delta=True)) == 1
    assert share(Chain(share=0.2)) == 0.2
    for some in (1.0, 0.2):
        whole, coded = (codec.size(int(100 * some), 6, 0, some < 1, bits) for bits in (32, 8))
        assert share(Chain(some, 8)) == pytest.approx(some * coded / whole)
        assert share(Chain(some, 8)) > some * 8 / 32, "ages have as many bits as before"


def test_damaged_scales_are_refused():
    from sottovoce.errors import MessageError

    s = simulate(MF(factors=3), crowd(), chain=Chain(bits=8))
    message = emit(s.tables, 0, s.chain, s.people, s.driver.reference, 1, 0)
    for bad in (np.nan, np.inf, 1e38):
        scale = message.scale.copy()
        scale[1, 2] = bad
        with pytest.raises(MessageError):
            codec.encode(message._replace(scale=scale))
    with pytest.raises(MessageError, match="start"):
        received(message._replace(delta=True))
