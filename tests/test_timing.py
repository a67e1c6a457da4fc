"""The clock: sessions, cycles and what gets through, against plain counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.kernels import LOSS, PHASE, driver, stream, uniform
from sottovoce.timing import Timing, arrives, cycle_load, first_tick, phase, present, stays, synchronous

moments = st.integers(0, 20).map(float)


@driver
def _stays(timing, node, begin, end):
    return stays(timing, node, begin, end)


def clock(*nodes, **changes):
    """A clock of nodes with these sessions, each a list of (since, until)."""
    first = np.cumsum([0, *(len(own) for own in nodes)])
    times = np.array([pair for own in nodes for pair in own], float).reshape(-1, 2)
    ones = np.ones(len(nodes))
    made = Timing(first, times[:, 0].copy(), times[:, 1].copy(), ones, ones, 0.0, 0.0, 1.0, timed=True)
    return made._replace(**changes)


@st.composite
def lives(draw):
    """A node's sessions, apart from each other."""
    cuts = sorted(draw(st.sets(st.integers(0, 20), max_size=10)))
    return list(zip(cuts[::2], cuts[1::2], strict=False))


@given(st.lists(lives(), min_size=1, max_size=4), moments, moments)
def test_a_node_stays_within_one_session(nodes, begin, length):
    timing = clock(*nodes)
    end = begin + length / 2
    for node, own in enumerate(nodes):
        expected = any(since <= begin and end < until for since, until in own)
        assert stays(timing, node, begin, end) == expected
        assert _stays(timing, node, begin, end) == expected
    there = [any(since <= begin < until for since, until in own) for own in nodes]
    assert present(timing, begin).tolist() == there


def test_a_session_begins_with_its_first_moment_and_ends_before_its_last():
    timing = clock([(1, 3), (4, 6)])
    assert [stays(timing, 0, t, t) for t in (0.9, 1, 2.9, 3, 4, 6)] == [False, True, True, False, True, False]
    assert not stays(timing, 0, 2, 3)
    assert not stays(timing, 0, 2, 5)  # away in between


def test_without_sessions_all_are_always_there():
    timing = synchronous(3)
    assert present(timing, 1e9).tolist() == [True] * 3
    assert stays(timing, 2, 0.0, 1e9)


def test_rounds_without_time_begin_together_and_take_one():
    timing = synchronous(3)
    assert cycle_load(timing, 0.1) == 1.0
    assert phase(timing, 2, 1.0, 7) == 0.0


def test_a_first_cycle_begins_at_a_random_moment_of_it():
    timing = clock(*[[(0, 9)]] * 50)
    assert cycle_load(timing, 0.1) == 0.1
    phases = [phase(timing, node, 4.0, 7) for node in range(50)]
    assert phases == [4.0 * uniform(stream(7, PHASE, node, 0), 0) for node in range(50)]
    assert 0 <= min(phases) < 1 < 3 < max(phases) < 4


@given(st.floats(0, 50), st.floats(0, 1, exclude_max=True), st.floats(0.05, 7))
def test_the_first_cycle_from_a_moment_on(begin, part, cycle):
    start = part * cycle
    tick = 0
    while start + tick * cycle < begin:
        tick += 1
    assert first_tick(begin, start, cycle) == tick


@pytest.mark.parametrize("loss", [0.0, 0.4])
def test_a_message_arrives_if_both_stay_and_it_is_not_lost(loss):
    timing = clock([(0, 5)], [(0, 9)], [(2, 9)], loss=loss)
    for number in range(20):
        kept = uniform(stream(7, LOSS, 0, number), 0) >= loss
        assert arrives(timing, 0, 1, 0.0, 4.0, 7, number) == kept
        assert not arrives(timing, 0, 1, 1.0, 5.0, 7, number)  # the sender leaves
        assert not arrives(timing, 0, 2, 1.0, 4.0, 7, number)  # the receiver is not there yet
