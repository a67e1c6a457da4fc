"""`uniform` peers are others, distinct, equally likely, and kept as long as the setting says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sottovoce.peers.uniform import Uniform
from tests.peers.talking import talk, talk_plainly


@given(st.integers(2, 20), st.integers(1, 3), st.integers(0, 99))
def test_nobody_talks_to_oneself_or_twice(nodes, pushes, seed):
    chosen, _ = talk(Uniform(), nodes, pushes, 3, seed)
    sent = min(pushes, nodes - 1)
    chosen = chosen.reshape(3, nodes, sent)
    assert ((chosen >= 0) & (chosen < nodes)).all()
    assert (chosen != np.arange(nodes)[None, :, None]).all()
    assert all(len(set(view)) == sent for round in chosen for view in round)


def test_peers_are_equally_likely():
    chosen, _ = talk(Uniform(), 20, 1, 2000)
    counts = np.bincount(chosen[:, 0], minlength=20)
    assert counts[0] == 0
    assert stats.chisquare(counts[1:]).pvalue > 0.001


def test_peers_are_kept_as_long_as_they_should():
    chosen, _ = talk(Uniform(refresh=5), 30, 3, 10)
    assert (chosen[:5] == chosen[0]).all()
    assert (chosen[5:] == chosen[5]).all()
    assert (chosen[5] != chosen[0]).any()


def test_plain_selection_equals_compiled():
    chosen, views = talk(Uniform(), 12, 2, 3)
    np.testing.assert_array_equal(talk_plainly(Uniform(), views, 12, 2, 3), chosen)
