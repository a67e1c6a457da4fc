"""`subsample` sends some rows only, those of one's own items first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.exchange.compression.interface import Chain, chain, rows
from sottovoce.exchange.compression.subsample import Subsample, choose
from sottovoce.models.mf import MF
from sottovoce.state import hosted_by, new_people
from tests.exchange.packing import crowd, packed
from tests.networks import simulate


def test_the_share_is_part_of_the_chain():
    assert chain([Subsample(0.3)]) == Chain(share=0.3)
    assert [rows(Chain(share=0.3), items) for items in (1, 3, 10, 14)] == [1, 1, 3, 4]


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


@settings(max_examples=40)
@given(
    st.lists(st.sets(st.integers(0, 130), max_size=40), min_size=1, max_size=3),
    st.integers(1, 131),
    st.integers(0, 2**31),
)
def test_items_of_all_people_of_a_slot_come_first_and_no_item_twice(histories, count, key):
    """Over words of 64 items, and where all or nearly all rows are sent."""
    own = set().union(*histories)
    indptr = np.cumsum([0] + [len(one) for one in histories])
    item = np.array([j for one in histories for j in one], np.int32)
    hosts = hosted_by(np.zeros(len(histories), np.int32), 1)
    people = new_people(1, indptr, item, np.ones(len(item)), hosts)
    chosen = np.full(count, -1, np.int32)
    choose(people, 0, 131, key, chosen)
    assert (np.diff(chosen) > 0).all()
    assert 0 <= chosen[0] <= chosen[-1] < 131
    assert len(own & set(chosen.tolist())) == min(count, len(own))
