"""The generator keeps what it promises, over seeds; and what the docstring says about it is measured."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.data.sources import stunner
from sottovoce.errors import RecipeError
from sottovoce.kernels import set_threads
from sottovoce.simulate.churn import sessions, statistics
from sottovoce.simulate.churn.phones import Phones, _draw, _shape

DAYS = 2 * 86400.0


def pairs(found, node):
    own = slice(found.first[node], found.first[node + 1])
    return found.since[own], found.until[own]


@pytest.fixture(scope="module", params=[1, 2, 3])
def measured(request):
    return statistics(sessions(Phones(), 20_000, DAYS, request.param, None), DAYS)


def test_a_fifth_is_online_for_81_minutes(measured):
    assert measured["online"] == pytest.approx(0.2, abs=0.006)
    assert measured["session_minutes"] == pytest.approx(81.368, rel=0.03)
    assert (
        measured["complete"]["mean_minutes"] < measured["session_minutes"] < measured["cut"]["mean_minutes"]
    )


def test_the_day_has_its_rhythm_from_the_first_hour_on(measured):
    hours = np.arange(48) + 0.5
    expected = 0.2 * (1 + 0.25 * np.cos(2 * np.pi * (hours - 2) / 24))
    assert measured["online_by_hour"] == pytest.approx(expected, abs=0.01)
    joined = np.reshape(measured["joined_by_hour"], (2, 24)).mean(axis=0)
    left = np.reshape(measured["left_by_hour"], (2, 24)).mean(axis=0)
    assert joined.max() > 1.5 * joined.min()
    assert joined[15:24].sum() > left[15:24].sum()
    assert joined[3:12].sum() < left[3:12].sum()


def test_sessions_are_short_or_last_all_night(measured):
    bins, counts = measured["bins_minutes"], np.add(*(measured[k]["histogram"] for k in ("complete", "cut")))
    share = dict(zip(bins, np.cumsum(counts) / counts.sum(), strict=False))  # by the lower edge of a bin
    assert share[20] == pytest.approx(0.49, abs=0.02)  # up to 30 minutes
    assert share[5] == pytest.approx(0.21, abs=0.02)  # up to 10
    assert 1 - share[360] == pytest.approx(0.024, abs=0.006)  # more than 480


@pytest.mark.parametrize(
    ("churn", "seconds"),
    [
        (Phones(online=0.6, rhythm=0.0), DAYS),
        (Phones(online=0.5, session=30, rhythm=0.7), DAYS),
        (Phones(online=0.05, session=300, rhythm=0.4), 5 * 86400.0),
    ],
)
def test_other_settings_hold_too(churn, seconds):
    found = statistics(sessions(churn, 10_000, seconds, 5, None), seconds)
    assert found["online"] == pytest.approx(churn.online, rel=0.06)
    assert found["session_minutes"] == pytest.approx(churn.session, rel=0.06)
    hours = np.arange(len(found["online_by_hour"])) + 0.5
    expected = churn.online * (1 + churn.rhythm * np.cos(2 * np.pi * (hours - 2) / 24))
    assert found["online_by_hour"] == pytest.approx(expected, abs=0.03)


@settings(max_examples=30)
@given(
    st.floats(0.01, 0.6),
    st.floats(1, 500),
    st.floats(0, 0.2),
    st.integers(1, 30),
    st.floats(100, 400_000),
    st.integers(0, 2**40),
)
def test_sessions_are_in_order_and_inside(online, session, rhythm, nodes, seconds, run):
    found = sessions(Phones(online, session, rhythm), nodes, seconds, run, None)
    assert found.first.shape == (nodes + 1,)
    assert (found.first.dtype, found.since.dtype, found.until.dtype) == (np.int64, np.float64, np.float64)
    assert found.first[-1] == len(found.since) == len(found.until)
    for node in range(nodes):
        since, until = pairs(found, node)
        assert (since >= 0).all()
        assert (since < until).all()
        assert (since[1:] > until[:-1]).all()
        assert (until <= seconds).all()


def test_a_node_does_the_same_in_any_network_and_for_longer():
    small, large = (sessions(Phones(), nodes, DAYS, 7, None) for nodes in (5, 300))
    longer = sessions(Phones(), 5, 2 * DAYS, 7, None)
    for node in range(5):
        since, until = pairs(small, node)
        assert np.array_equal((since, until), pairs(large, node))
        assert np.array_equal(since, pairs(longer, node)[0][: len(since)])
        assert np.array_equal(until, np.minimum(pairs(longer, node)[1][: len(until)], DAYS))


def test_seeds_differ_and_repeat():
    one, again, other = (sessions(Phones(), 300, DAYS, run, None) for run in (1, 1, 2))
    with set_threads(1):
        alone = sessions(Phones(), 300, DAYS, 1, None)
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(one, alone, strict=True))
    assert len(one.since) != len(other.since)


def test_plain_code_equals_compiled():
    nodes, shape = 40, _shape(Phones(), DAYS)
    fast = sessions(Phones(), nodes, DAYS, 3, None)
    since, until, count = np.zeros(len(fast.since)), np.zeros(len(fast.since)), np.zeros(nodes, np.int64)
    _draw.plain(fast.first, since, until, count, shape, 3)
    assert count.tolist() == np.diff(fast.first).tolist()
    np.testing.assert_allclose(since, fast.since, rtol=1e-9)
    np.testing.assert_allclose(until, fast.until, rtol=1e-9)


@pytest.mark.parametrize(
    ("churn", "said"),
    [
        (Phones(online=0.9), r"online = 0\.9 is too much for a rhythm of 0\.25.*below 0\.760"),
        (Phones(session=2000), r"rhythm = 0\.25 is too strong for sessions of 2000 minutes.*at most 0\.\d+"),
    ],
)
def test_what_cannot_be_is_refused(churn, said):
    with pytest.raises(RecipeError, match=said):
        sessions(churn, 10, DAYS, 1, None)


def test_days_of_nodes_are_like_those_of_real_phones(data_dir):
    value, count = stunner.distribution("online_percent_of_day", data_dir)
    real = np.repeat(value, count)
    found = sessions(Phones(online=0.133), 20_000, 86400.0, 1, None)
    node = np.repeat(np.arange(20_000), np.diff(found.first))
    ours = np.bincount(node, found.until - found.since, minlength=20_000) / 864
    at = [50, 75, 90, 95, 99]
    assert np.percentile(real, at).tolist() == [7, 20, 32, 42, 87]
    assert np.percentile(ours, at) == pytest.approx([6, 19, 37, 50, 84], abs=2)
    assert np.mean(real < 1) == pytest.approx(0.12, abs=0.005)
    assert np.mean(ours < 1) == pytest.approx(0.30, abs=0.01)


def test_the_mean_session_of_the_collection(data_dir):
    kept, left = (
        stunner.distribution(f"online_to_{what}_seconds", data_dir) for what in ("online", "offline")
    )
    seconds = sum((value * count).sum() for value, count in (kept, left))
    assert seconds / left[1].sum() / 60 == pytest.approx(8.4, abs=0.05)
