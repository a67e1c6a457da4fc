"""Random draws of peers: distinct, online, others only, and equally likely."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.kernels import stream
from sottovoce.peers.drawing import among, bootstrap, distinct, draw_online
from sottovoce.timing import synchronous
from tests.peers.talking import valid

pytestmark = pytest.mark.usefixtures("uncompiled")


def some_online(nodes, there):
    """Nodes in `there` are always online, others never."""
    counts = np.array([n in there for n in range(nodes)])
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return synchronous(nodes)._replace(first=first, since=np.zeros(first[-1]), until=np.full(first[-1], 1e9))


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 2**31))
def test_numbers_do_not_repeat(count, wanted, key):
    chosen = np.empty(min(count, wanted), np.int32)
    distinct(stream(key, 1, 2, 3), count, chosen)
    assert len(set(chosen.tolist())) == len(chosen)
    assert all(0 <= n < count for n in chosen.tolist())


@pytest.mark.parametrize(("nodes", "count", "width"), [(30, 4, 4), (5, 9, 4)])
def test_an_introducer_names_others(nodes, count, width):
    known = bootstrap(nodes, count, 1)
    assert known.shape == (nodes, width)
    assert (known >= 0).all()
    valid(known)
    assert (bootstrap(nodes, count, 2) != known).any()


def test_all_numbers_are_equally_likely():
    counts = np.zeros(5)
    for key in range(400):
        chosen = np.empty(2, np.int32)
        distinct(stream(key, 1, 2, 3), 5, chosen)
        counts[chosen] += 1
    assert np.abs(counts - 160).max() < 5 * np.sqrt(400 * 0.4 * 0.6)


def test_only_known_nodes_that_are_online():
    known = np.array([3, 1, 4, -1], np.int32)
    chosen = np.empty(4, np.int32)
    found = among(known, synchronous(6), 0.0, 0, 1, 2, chosen)
    assert (found, sorted(chosen[:3].tolist())) == (3, [1, 3, 4])
    found = among(known, some_online(6, {1, 4, 5}), 0.0, 0, 1, 2, chosen)
    assert (found, sorted(chosen[:2].tolist())) == (2, [1, 4])
    assert among(np.full(4, -1, np.int32), synchronous(6), 0.0, 0, 1, 2, chosen) == 0


def test_draws_from_all_nodes_that_are_online():
    chosen = np.empty(6, np.int32)
    timing = some_online(8, {0, 2, 5, 7})
    assert draw_online(stream(1, 2, 3, 4), timing, 0.0, 2, False, chosen) == 3
    assert sorted(chosen[:3].tolist()) == [0, 5, 7]
    assert draw_online(stream(1, 2, 3, 4), timing, 0.0, 2, True, chosen) == 6
    assert set(chosen.tolist()) <= {0, 5, 7}
    assert draw_online(stream(1, 2, 3, 4), some_online(8, {2}), 0.0, 2, True, chosen) == 0
    assert draw_online(stream(1, 2, 3, 4), synchronous(4), 0.0, 2, False, chosen) == 3
