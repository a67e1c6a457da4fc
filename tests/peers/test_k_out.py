"""`k-out` is a fixed random graph: every node has k neighbours and talks to all of them in time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.peers.interface import meet
from sottovoce.peers.k_out import KOut
from sottovoce.timing import synchronous
from tests.peers.talking import talk, talk_plainly, valid


@given(st.integers(2, 20), st.integers(1, 3), st.integers(0, 99))
def test_nobody_talks_to_oneself_or_twice(nodes, pushes, seed):
    chosen, views = talk(KOut(4), nodes, pushes, 3, seed)
    valid(views.neighbours)
    sent = min(pushes, 4, nodes - 1)
    chosen = chosen.reshape(3, nodes, sent)
    assert all(len(set(view)) == sent for round in chosen for view in round)


def test_the_graph_is_kept():
    chosen, views = talk(KOut(4), 30, 1, 200)
    assert views.neighbours.shape == (30, 4)
    for node in range(30):
        assert set(chosen[:, node]) == set(views.neighbours[node])


def test_the_seed_decides_the_graph():
    one, same, other = (meet(KOut(4), synchronous(30), seed).neighbours for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_small_networks_know_everybody():
    assert meet(KOut(20), synchronous(5), 1).neighbours.shape == (5, 4)


def test_plain_selection_equals_compiled():
    chosen, views = talk(KOut(3), 12, 2, 3)
    np.testing.assert_array_equal(talk_plainly(KOut(3), views, 12, 2, 3), chosen)
