"""Peers are others, distinct, and everybody is met."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.peers.complete import Complete
from sottovoce.peers.interface import meet
from sottovoce.peers.k_out import KOut
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.interface import exchanges
from sottovoce.timing import synchronous


def talk(peers, nodes, pushes, rounds, seed=1):
    views = meet(peers, synchronous(nodes), seed)
    timing = synchronous(nodes)
    return np.array(
        [exchanges(Gossip(pushes), peers, views, timing, 1.0, seed, r)[0].receiver for r in range(rounds)]
    ), views


@given(
    st.sampled_from([Uniform(), KOut(4), Complete()]),
    st.integers(2, 20),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_nobody_talks_to_oneself_or_twice(peers, nodes, pushes, seed):
    chosen, views = talk(peers, nodes, pushes, 3, seed)
    known = views.neighbours.shape[1] if views.neighbours.size else nodes - 1
    sent = pushes if isinstance(peers, Complete) else min(pushes, known)
    chosen = chosen.reshape(3, nodes, sent)
    assert ((chosen >= 0) & (chosen < nodes)).all()
    assert (chosen != np.arange(nodes)[None, :, None]).all()
    if not isinstance(peers, Complete):
        assert all(len(set(view)) == sent for round in chosen for view in round)


def test_uniform_peers_are_uniform():
    chosen, _ = talk(Uniform(), 20, 1, 2000)
    counts = np.bincount(chosen[:, 0], minlength=20)[1:]
    assert counts.min() > 60
    assert counts.max() < 160


def test_views_last_as_long_as_they_should():
    chosen, _ = talk(Uniform(refresh=5), 30, 3, 10)
    assert (chosen[:5] == chosen[0]).all()
    assert (chosen[5] != chosen[0]).any()


def test_fixed_graphs_are_kept():
    chosen, views = talk(KOut(4), 30, 1, 200)
    assert views.neighbours.shape == (30, 4)
    for node in range(30):
        assert set(chosen[:, node]) == set(views.neighbours[node])


def test_small_networks_know_everybody():
    assert meet(KOut(20), synchronous(5), 1).neighbours.shape == (5, 4)


@pytest.mark.parametrize("peers", [Uniform(), KOut(3), Complete()])
def test_plain_selection_equals_compiled(peers):
    from sottovoce.peers.interface import select

    chosen, views = talk(peers, 12, 2, 3)
    for round in range(3):
        for node in range(12):
            slow = np.empty(2, np.int32)
            assert select(peers, views, synchronous(12), round, node, 1, round, slow) == 2
            assert slow.tolist() == chosen[round].reshape(12, 2)[node].tolist()
