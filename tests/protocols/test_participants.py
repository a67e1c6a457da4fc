"""Who takes part: once each in turn, as often as useful, and not who fails."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.kernels import LOSS, stream, uniform
from sottovoce.protocols._participants import EXPLORED, Aggregation, kept, terms
from sottovoce.protocols._participants import select as choose
from sottovoce.timing import Timing, present, synchronous


def select(memory, count, timing, terms, begin, seed, number):
    """The groups of the next aggregation of the only server."""
    everybody = np.arange(len(timing.upload))
    return choose(memory, count, Aggregation(everybody, timing, terms, begin, seed, 0, number))


@st.composite
def clocks(draw, timed):
    """Up to forty nodes, each with sessions of its own."""
    nodes = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sessions = rng.integers(0, 4, nodes)
    first = np.concatenate([[0], np.cumsum(sessions)])
    times = [np.sort(rng.random(2 * count) * 20) for count in sessions]
    since, until = (np.concatenate([t[side::2] for t in times] or [[]]) for side in (0, 1))
    ones = np.ones(nodes)
    return Timing(first, since, until, ones, ones, 0.0, 0.0, 1.0, timed=timed)


@given(clocks(timed=False), st.integers(1, 50), st.integers(0, 99))
def test_in_turn_everybody_online_is_asked_once_in_a_round(timing, count, seed):
    memory, number = kept("in-turn", count, len(timing.upload)), 0
    asked = terms(timing, 1.0, 0.0)
    for round in range(6):
        groups = select(memory, count, timing, asked, float(round), seed, number)
        online = present(timing, float(round))
        stay = online & present(timing, round + 1.0)  # a session that ends in between is another one
        assert groups.asked == online.sum()
        assert len(set(groups.persons)) == len(groups.persons)
        assert set(groups.persons[groups.heard]) <= set(np.flatnonzero(stay))
        assert online[groups.persons].all()
        assert len(groups.first) - 1 == max(1, -(-online.sum() // count))
        assert np.diff(groups.first).max() <= count
        number += len(groups.first) - 1
    always = synchronous(len(timing.upload))
    both = [select(memory, count, always, asked, 0.0, seed, number + n).persons for n in range(2)]
    assert sorted(both[0]) == sorted(both[1]) == list(range(len(timing.upload)))
    assert len(timing.upload) < 15 or list(both[0]) != list(both[1])


@given(clocks(timed=True), st.integers(1, 12), st.integers(0, 99))
def test_in_turn_aggregations_follow_each_other_through_the_order(timing, count, seed):
    """In time: nobody twice before everybody else had a turn, and who is offline is passed over."""
    memory, asked = kept("in-turn", count, len(timing.upload)), terms(timing, 0.5, 0.0)
    had = set()
    for number in range(12):
        begin = number * asked.length
        old = memory["turn"][0]
        groups = select(memory, count, timing, asked, begin, seed, number)
        assert len(groups.first) == 2
        online = present(timing, begin)
        assert groups.asked <= count
        assert (groups.asked == 0) == (not online.any())
        turn = memory["turn"][0]
        assert turn - old <= 1
        had = had if turn == old else set()
        assert not had & set(groups.persons)
        assert online[groups.persons].all()
        had |= set(groups.persons)


def is_online(timing, node, begin, end):
    """One session lasts from `begin` to beyond `end`."""
    own = range(timing.first[node], timing.first[node + 1])
    return any(timing.since[n] <= begin and end < timing.until[n] for n in own)


@given(
    clocks(timed=True),
    st.sampled_from([0.1, 1.0]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.0, 0.4]),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from([(0, "random"), (7, "in-turn")]),
    st.integers(0, 99),
)
def test_who_answers_and_who_is_heard(timing, size, latency, loss, dropout, selection, seed):
    """By the definitions: first the download, then the training, then the upload, until the round is over."""
    nodes, rng = len(timing.upload), np.random.default_rng(seed)
    speeds = {name: 2.0 ** rng.integers(-1, 2, nodes) for name in ("upload", "download")}
    timing = timing._replace(latency=latency, loss=loss, **speeds)
    length = 1 + size + 2 * latency
    asked = terms(timing, size, dropout)
    assert asked.length == pytest.approx(length)
    memory = kept(selection[1], selection[0], nodes)
    for number in range(6):
        begin = number * length
        groups = select(memory, selection[0], timing, asked, begin, seed, number)
        answers = {}
        for node in range(nodes):
            down = 1 / timing.download[node] + latency
            both = down + size / timing.upload[node] + latency
            chance = stream(seed, LOSS, node, number)
            lost = [uniform(chance, draw) < loss for draw in (0, 1)]
            reached = down < length + 1e-6 and is_online(timing, node, begin, begin + down) and not lost[0]
            if reached and uniform(chance, 2) >= dropout:
                intact = both < length + 1e-6 and is_online(timing, node, begin, begin + both)
                answers[node] = intact and not lost[1]
        found = dict(zip(groups.persons.tolist(), groups.heard.tolist(), strict=True))
        assert found.items() <= answers.items()
        if selection[0] == 0:
            assert found == answers
            assert groups.asked == sum(is_online(timing, node, begin, begin) for node in range(nodes))


def test_everybody_is_one_group_however_selected():
    always = synchronous(9)
    for selection in ("random", "in-turn", "useful"):
        memory = kept(selection, 0, 9)
        assert not memory
        groups = select(memory, 0, always, terms(always, 1.0, 0.0), 0.0, 1, 0)
        np.testing.assert_array_equal(groups.persons, np.arange(9))
        assert list(groups.first) == [0, 9]


@pytest.mark.parametrize("selection", ["random", "in-turn", "useful"])
def test_who_drops_out_was_asked(selection):
    always, memory = synchronous(500), kept(selection, 100, 500)
    asked = terms(always, 1.0, 0.2)
    number, told, done, dropped = 0, 0, 0, 0
    for _ in range(20):
        groups = select(memory, 100, always, asked, 0.0, 7, number)
        number += len(groups.first) - 1
        told, done, dropped = told + groups.asked, done + len(groups.persons), dropped + len(groups.dropped)
    assert told == 100 * number
    assert done + dropped == told
    assert dropped / told == pytest.approx(0.2, abs=0.04)


def test_useful_ones_are_asked_more_often_and_nobody_never():
    always, memory = synchronous(50), kept("useful", 5, 50)
    useful = np.linspace(0, 2, 50).astype(np.float32)
    asked, times = terms(always, 1.0, 0.0), np.zeros(50)
    for number in range(2010):
        groups = select(memory, 5, always, asked, 0.0, 3, number)
        memory["useful"][groups.persons] = useful[groups.persons]
        times[groups.persons] += 1
        if number == 9:
            assert (times == 1).all()  # who was never asked comes first
    rate = EXPLORED + (1 - EXPLORED) * useful  # their mean is 1
    assert times.min() > 0
    np.testing.assert_allclose(times / times.sum(), rate / rate.sum(), atol=0.006)


def test_who_never_answers_is_asked_like_the_least_useful():
    """Otherwise five who are too slow would be asked first for ever."""
    always = synchronous(50)
    slow = np.where(np.arange(50) < 5, 0.01, 1.0)
    timing, memory = always._replace(upload=slow, timed=True), kept("useful", 5, 50)
    asked, answers = terms(timing, 1.0, 0.0), 0
    for number in range(300):
        groups = select(memory, 5, timing, asked, 0.0, 3, number)
        memory["useful"][groups.persons[groups.heard]] = 1
        answers += np.count_nonzero(groups.heard)
    assert answers > 0.97 * 1500
