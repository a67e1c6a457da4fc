"""How sessions are packed, dealt and counted, against plain counting and cases made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import registry
from sottovoce.errors import RecipeError
from sottovoce.simulate.churn import Sessions, dealt, draws, packed, sessions, statistics
from sottovoce.simulate.churn.always import Always

HOUR = 3600


def made(*nodes):
    """Sessions of nodes, each a list of (since, until) in hours."""
    first = np.cumsum([0, *(len(own) for own in nodes)])
    times = np.array([pair for own in nodes for pair in own], float).reshape(-1, 2) * HOUR
    return Sessions(first, times[:, 0], times[:, 1])


def seconds_online(own, length):
    """A mark for each second."""
    marks = np.zeros(length, bool)
    for since, until in own:
        marks[max(0, since) : max(0, until)] = True
    return marks


def check(found, nodes, seconds):
    """What `Timing` relies on."""
    assert found.first.dtype == np.int64
    assert found.first.shape == (nodes + 1,)
    assert (found.first[0], found.first[-1]) == (0, len(found.since))
    assert found.since.dtype == found.until.dtype == np.float64
    assert len(found.since) == len(found.until)
    assert (found.since >= 0).all()
    assert (found.since < found.until).all()
    assert (found.until <= seconds).all()
    for node in range(nodes):
        own = slice(found.first[node], found.first[node + 1])
        assert (found.since[own][1:] > found.until[own][:-1]).all()


@st.composite
def disjoint(draw):
    """A node's sessions, which may touch."""
    cuts = sorted(draw(st.lists(st.integers(-5, 45), max_size=12)))
    return [pair for pair in zip(cuts[::2], cuts[1::2], strict=False) if draw(st.booleans()) or pair[0] == 0]


@given(st.lists(disjoint(), min_size=1, max_size=4), st.integers(1, 40), st.randoms())
def test_packing_keeps_every_second(nodes, seconds, random):
    rows = [(node, *pair) for node, own in enumerate(nodes) for pair in own]
    random.shuffle(rows)
    node, since, until = np.array(rows, np.int64).reshape(-1, 3).T
    found = packed(node, since.astype(float), until.astype(float), len(nodes), seconds)
    check(found, len(nodes), seconds)
    for n, own in enumerate(nodes):
        ours = slice(found.first[n], found.first[n + 1])
        pairs = list(zip(found.since[ours].astype(int), found.until[ours].astype(int), strict=True))
        assert (seconds_online(pairs, 50)[:seconds] == seconds_online(own, 50)[:seconds]).all()


def test_dealt_sessions_follow_each_other_and_join_at_the_seam():
    known = made([(0, 1), (40, 48)], [], [(0, 3)])
    found = dealt(known, np.array([0, 2, 1, 1, 2, 0]), 2, 48 * HOUR, 60 * HOUR)
    check(found, 3, 60 * HOUR)
    assert found.first.tolist() == [0, 2, 2, 4]
    assert (found.since / HOUR).tolist() == [0, 40, 0, 48]
    assert (found.until / HOUR).tolist() == [1, 51, 3, 49]


def test_draws_are_those_of_the_node_whatever_the_network():
    assert (draws(3, 50, 7)[:20] == draws(3, 20, 7)).all()
    assert (draws(3, 50, 7) != draws(4, 50, 7)).any()
    assert (draws(3, 50, 7, 1) != draws(3, 50, 7)).any()
    assert set(draws(3, 200, 7)) == set(range(7))


def test_statistics_of_a_case_made_by_hand():
    four = made([(0, 1.5), (2.25, 2.5), (2.75, 4)], [(0.5, 2)], [], [(0, 4)])
    found = statistics(four, 4 * HOUR)
    assert found["online"] == pytest.approx((1.5 + 0.25 + 1.25 + 1.5 + 4) / 16)
    assert found["online_by_hour"] == pytest.approx([2.5 / 4, 2.5 / 4, 1.5 / 4, 2 / 4])
    assert found["joined_by_hour"] == [0.25, 0, 0.25, 0]  # twice in the third hour counts once
    assert found["left_by_hour"] == [0, 0.25, 0.5, 0]
    assert found["never"] == 0.25
    assert found["session_minutes"] == pytest.approx(8.5 * 60 / 3)
    assert found["bins_minutes"] == [0, 1, 2, 5, 10, 20, 30, 60, 120, 180, 240]
    complete, cut = found["complete"], found["cut"]
    assert (complete["sessions"], complete["mean_minutes"]) == (2, pytest.approx(52.5))
    assert complete["histogram"] == [0, 0, 0, 0, 1, 0, 0, 1, 0, 0]
    assert (cut["sessions"], cut["mean_minutes"]) == (3, pytest.approx(135))
    assert cut["histogram"] == [0, 0, 0, 0, 0, 0, 0, 2, 0, 1]


def test_the_last_hour_may_be_short():
    found = statistics(made([(1, 1.25)], [(0, 1.5)]), 1.5 * HOUR)
    assert found["online_by_hour"] == pytest.approx([0.5, 0.75])
    assert found["left_by_hour"] == [0, 0.5]


def test_what_comes_after_the_end_does_not_count():
    """Sessions are drawn for one round more than a run has: they are cut where the run ends."""
    beyond = made([(0, 3)], [(0.5, 1.25), (2.25, 3)], [(0, 2)], [(2, 3)])
    found = statistics(beyond, 2 * HOUR)
    assert found == statistics(made([(0, 2)], [(0.5, 1.25)], [(0, 2)], []), 2 * HOUR)
    assert found["online"] == pytest.approx(4.75 / 8)
    assert (found["joined_by_hour"], found["left_by_hour"]) == ([0.25, 0], [0, 0.25])
    assert found["never"] == 0.25
    everybody = statistics(made([(0, 3)], [(0, 2.5)]), 2 * HOUR)
    assert (everybody["online"], everybody["session_minutes"]) == (1, None)


@given(st.lists(disjoint(), min_size=1, max_size=4))
def test_shares_by_hour_are_those_of_plain_counting(nodes):
    seconds = 30 * HOUR
    rows = np.array([(n, *pair) for n, own in enumerate(nodes) for pair in own], float).reshape(-1, 3)
    times = rows[:, 1:] * 1000
    found = packed(rows[:, 0].astype(np.int64), times[:, 0], times[:, 1], len(nodes), seconds)
    shares = statistics(found, seconds)
    marks = [seconds_online([(1000 * a, 1000 * b) for a, b in own], seconds)[:seconds] for own in nodes]
    assert shares["online_by_hour"] == pytest.approx(np.mean(marks, axis=0).reshape(30, HOUR).mean(axis=1))
    assert shares["online"] == pytest.approx(np.mean(marks))
    assert shares["never"] == np.mean([not mark.any() for mark in marks])
    steps = np.diff(np.array(marks, int), axis=1)
    for name, step in (("joined_by_hour", 1), ("left_by_hour", -1)):
        happened = np.concatenate([np.zeros((len(nodes), 1), bool), steps == step], axis=1)
        expected = happened.reshape(len(nodes), 30, HOUR).any(axis=2).mean(axis=0)
        assert shares[name] == pytest.approx(expected)


def test_without_churn_everybody_stays():
    found = sessions(Always(), 5, 7200.0, 1, None)
    assert [len(array) for array in found] == [0, 0, 0]
    shares = statistics(found, 7200.0)
    assert (shares["online"], shares["online_by_hour"], shares["never"]) == (1, [1, 1], 0)
    assert shares["joined_by_hour"] == shares["left_by_hour"] == [0, 0]
    assert shares["session_minutes"] is None
    assert shares["complete"]["mean_minutes"] is None


def test_a_network_without_anybody_has_statistics():
    shares = statistics(packed(np.empty(0, np.int64), np.empty(0), np.empty(0), 3, 7200.0), 7200.0)
    assert (shares["online"], shares["never"], shares["session_minutes"]) == (0, 1, None)


def test_recipes_find_them_by_name():
    assert registry.names("churn") == ["always", "periods", "phones", "stunner", "trace"]
    assert registry.build("churn", "always", {}, "churn") == Always()
    assert registry.build("churn", "stunner", {}, "churn").path is None
    assert registry.build("churn", "phones", {"online": 0.3}, "churn").online == 0.3
    with pytest.raises(RecipeError, match="rhythm"):
        registry.build("churn", "phones", {"rythm": 0.3}, "churn")
    with pytest.raises(RecipeError, match="path"):
        registry.build("churn", "trace", {}, "churn")
