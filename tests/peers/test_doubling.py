"""Peers at distance 2^t reach everybody in the logarithm of their number, and pass over who is offline."""

import numpy as np
import pytest

from sottovoce.peers.doubling import Doubling
from sottovoce.peers.interface import nobody, select
from sottovoce.timing import synchronous
from tests.peers.talking import talk, talk_plainly


@pytest.mark.parametrize(("nodes", "distances"), [(2, [1]), (8, [1, 2, 4]), (13, [1, 2, 4, 8])])
def test_distances_double_and_begin_again(nodes, distances):
    chosen, views = talk(Doubling(), nodes, 1, 9)
    found = (chosen - np.arange(nodes)) % nodes
    assert found.tolist() == [[distances[t % len(distances)]] * nodes for t in range(9)]
    np.testing.assert_array_equal(talk_plainly(Doubling(), views, nodes, 1, 9), chosen)


@pytest.mark.parametrize("nodes", [2, 8, 13, 64])
def test_everybody_is_reached(nodes):
    chosen, _ = talk(Doubling(), nodes, 1, int(np.ceil(np.log2(nodes))))
    knows = np.eye(nodes, dtype=bool)
    for receivers in chosen:
        sent = knows.copy()
        for node, other in enumerate(receivers):
            knows[other] |= sent[node]
    assert knows.all()


def test_who_is_offline_is_passed_over():
    there = np.array([1, 1, 0, 0, 1, 1])
    first = np.concatenate([[0], np.cumsum(there)])
    timing = synchronous(6)._replace(first=first, since=np.zeros(4), until=np.full(4, 9.0))
    for cycle, receiver in ((0, 4), (1, 4), (2, 5)):
        chosen = np.full(1, -1, np.int32)
        assert select(Doubling(), nobody(), timing, 1.0, 1, 1, cycle, chosen) == 1
        assert chosen[0] == receiver
    alone = timing._replace(first=np.array([0, 0, 1, 1, 1, 1, 1]), since=np.zeros(1), until=np.full(1, 9.0))
    assert select(Doubling(), nobody(), alone, 1.0, 1, 1, 0, np.empty(1, np.int32)) == 0


def test_one_node_has_no_peers():
    assert select(Doubling(), nobody(), synchronous(1), 0.0, 0, 1, 0, np.empty(1, np.int32)) == 0
