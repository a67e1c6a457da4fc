"""Sessions are sorted, clipped, joined, and put together from those of others."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.simulate.churn.interface import Sessions
from sottovoce.simulate.churn.packing import dealt, draws, packed


def of(sessions, node):
    own = slice(sessions.first[node], sessions.first[node + 1])
    return list(zip(sessions.since[own].tolist(), sessions.until[own].tolist(), strict=True))


def test_sorted_clipped_and_joined():
    node = np.array([1, 0, 1, 1, 0, 2])
    since = np.array([50.0, -5.0, 10.0, 20.0, 90.0, 120.0])
    until = np.array([60.0, 5.0, 20.0, 30.0, 150.0, 130.0])
    found = packed(node, since, until, 4, 100.0)
    assert [of(found, n) for n in range(4)] == [[(0, 5), (90, 100)], [(10, 30), (50, 60)], [], []]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.lists(st.integers(0, 40), min_size=2, max_size=2, unique=True)),
        max_size=12,
    )
)
def test_nobody_is_online_longer_or_shorter_than_before(pieces):
    """Second by second; overlapping pieces of a node are left out beforehand."""
    there, kept = np.zeros((4, 40), bool), []
    for node, ends in pieces:
        low, high = sorted(ends)
        if not there[node, low:high].any():
            there[node, low:high] = True
            kept.append((node, low, high))
    columns = [np.array(column, float) for column in zip(*kept, strict=True)] or [np.empty(0)] * 3
    found = packed(columns[0].astype(np.int64), columns[1], columns[2], 4)
    again = np.zeros((4, 40), bool)
    for node in range(4):
        own = of(found, node)
        assert all(one[1] < other[0] for one, other in itertools.pairwise(own)), "those that touch are one"
        for low, high in own:
            again[node, int(low) : int(high)] = True
    np.testing.assert_array_equal(again, there)


def test_new_nodes_are_put_together_from_known_ones():
    """Known node 1, then known node 0 a span later; what is beyond the end is cut."""
    known = Sessions(np.array([0, 1, 3]), np.array([5.0, 0.0, 20.0]), np.array([10.0, 8.0, 30.0]))
    found = dealt(known, np.array([1, 0, 0, 1]), 2, 50.0, 75.0)
    assert of(found, 0) == [(0, 8), (20, 30), (55, 60)]
    assert of(found, 1) == [(5, 10), (50, 58), (70, 75)]


def test_draws_are_below_the_count_and_differ_by_run_and_step():
    found = draws(1, 300, 7)
    assert set(found.tolist()) == set(range(7))
    assert (draws(2, 300, 7) != found).any()
    assert (draws(1, 300, 7, step=1) != found).any()
    np.testing.assert_array_equal(draws(1, 10, 7), found[:10])
