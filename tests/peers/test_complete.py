"""`complete` peers are any others, drawn independently: messages of one cycle may meet."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sottovoce.peers.complete import Complete
from tests.peers.talking import talk, talk_plainly


@given(st.integers(2, 20), st.integers(1, 3), st.integers(0, 99))
def test_nobody_talks_to_oneself(nodes, pushes, seed):
    chosen, _ = talk(Complete(), nodes, pushes, 3, seed)
    chosen = chosen.reshape(3, nodes, pushes)
    assert ((chosen >= 0) & (chosen < nodes)).all()
    assert (chosen != np.arange(nodes)[None, :, None]).all()


def test_peers_are_equally_likely_and_may_be_drawn_twice():
    chosen, _ = talk(Complete(), 20, 2, 2000)
    pairs = chosen.reshape(2000, 20, 2)[:, 0]
    counts = np.bincount(pairs.ravel(), minlength=20)
    assert counts[0] == 0
    assert stats.chisquare(counts[1:]).pvalue > 0.001
    twice = (pairs[:, 0] == pairs[:, 1]).mean()
    assert abs(twice - 1 / 19) < 4 * np.sqrt(1 / 19 / 2000)


def test_plain_selection_equals_compiled():
    chosen, views = talk(Complete(), 12, 2, 3)
    np.testing.assert_array_equal(talk_plainly(Complete(), views, 12, 2, 3), chosen)
