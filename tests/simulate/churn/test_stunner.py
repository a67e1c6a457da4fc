"""Phones' logs become sessions: against the definition taken word by word, and the real sample."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.sources.stunner import COLUMNS
from sottovoce.errors import DataError
from sottovoce.simulate.churn import sessions, statistics
from sottovoce.simulate.churn.stunner import SEGMENT, SILENCE, Stunner, online, segments

DAY = 86400
START = 16800 * DAY  # the last day of 2015


def log(tmp_path, *rows):
    """A file of records (device, seconds after START, charging, plugged, connection)."""
    lines = [
        f"{device},{(START + at) * 1000},1,5,{charging},{plugged},50,{mode},LTE,-2,19"
        for device, at, charging, plugged, mode in rows
    ]
    path = tmp_path / "events.csv"
    path.write_text("\n".join([",".join(COLUMNS), *lines, ""]))
    return str(path)


def pairs(found, node):
    own = slice(found.first[node], found.first[node + 1])
    return list(zip(found.since[own], found.until[own], strict=True))


def is_online(times, ready, when):
    """The definition: for a minute, every moment has a record that holds and says that it is ready."""
    moments = [when - 60, when, *(t for t in times if when - 60 < t < when)]
    for moment in moments:
        last = max((n for n, t in enumerate(times) if t <= moment), default=-1)
        if last < 0 or last + 1 == len(times) or not ready[last] or times[last + 1] - times[last] > SILENCE:
            return False
    return True


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from([1, 20, 40, 59, 61, 100, 600, SILENCE, SILENCE + 1]), st.booleans()),
            min_size=1,
            max_size=8,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_online_is_as_defined(phones):
    times = [np.cumsum([gap for gap, _ in phone]) for phone in phones]
    ready = [np.array([on for _, on in phone]) for phone in phones]
    device = np.repeat(np.arange(len(phones)), [len(t) for t in times])
    found = online(device, np.concatenate(times).astype(float), np.concatenate(ready))
    for n in range(len(phones)):
        own = pairs(found, n)
        edges = [0.0, *(edge for pair in own for edge in pair), *(t + d for t in times[n] for d in (0, 60))]
        for when in {edge + step for edge in edges for step in (-0.5, 0.5)}:
            assert any(a < when < b for a, b in own) == is_online(times[n], ready[n], when)


def test_a_segment_by_hand(tmp_path):
    path = log(
        tmp_path,
        *((8, at, 2, 1, 1) for at in range(DAY - 3600, DAY + 3601, 600)),  # charging over midnight
        (8, DAY + 4200, 3, -1, 1),  # off the charger
        (8, DAY + 4800, 5, 1, 0),  # full, plugged in, on a mobile network
        (8, DAY + 5400, 5, -1, 1),  # full, not plugged in
        (8, DAY + 6000, 2, 1, -1),  # charging, not connected
        (8, DAY + 6600, 2, 2, 1),
        (8, DAY + 6600 + SILENCE + 1, 2, 2, 1),  # too long without a record
        (8, DAY + 6600 + SILENCE + 2, 3, -1, 1),
        (9, 100, 2, 1, 1),  # a single day makes no segment
        (9, 700, 2, 1, 1),
        (9, 700 - START, 2, 1, 1),  # wrong clocks: 1970, and far away
        (9, 700 + 10**12, 2, 1, 1),
    )
    found = segments(None, path)
    assert len(found.first) == 2
    assert pairs(found, 0) == [(DAY - 3540, DAY + 4200), (DAY + 4860, DAY + 5400)]


def test_segments_overlap_by_a_day(tmp_path):
    hours = (20, 30, 50)
    rows = [(3, hour * 3600 + at, 2, 1, 1) for hour in hours for at in (0, 600)]
    found = segments(None, log(tmp_path, *rows))
    assert pairs(found, 0) == [(h * 3600 + 60, h * 3600 + 600) for h in (20, 30)]
    assert pairs(found, 1) == [(h * 3600 + 60, h * 3600 + 600) for h in (30 - 24, 50 - 24)]


def test_longer_runs_take_further_segments(tmp_path):
    rows = [(3, hour * 3600 + at, 2, 1, 1) for hour in (20, 30, 50) for at in (0, 600)]
    churn = Stunner(log(tmp_path, *rows))
    found = sessions(churn, 40, 2.5 * SEGMENT, 1, None)
    assert len(found.first) == 41
    parts = {tuple(since // SEGMENT for since, _ in pairs(found, node)) for node in range(40)}
    assert parts <= {(0, 0, 1, 1, 2), (0, 0, 1, 1, 2, 2)}
    first = {pairs(found, node)[0][0] for node in range(40)}
    assert first == {20 * 3600 + 60, 6 * 3600 + 60}
    short = sessions(churn, 40, 86400.0, 1, None)
    for node in range(40):
        assert pairs(short, node) == [p for p in pairs(found, node) if p[1] <= 86400]


@pytest.mark.parametrize("rows", [[(1, 5, 2, 1, 1), (1, 65, 2, 1, 1)], [(1, -START, 2, 1, 1)]])
def test_too_short_a_log_is_refused(tmp_path, rows):
    with pytest.raises(DataError, match=r"events\.csv has no phone with records on two days .*'phones'"):
        segments(None, log(tmp_path, *rows))


def test_the_real_sample(data_dir):
    found = segments(data_dir)
    measured = statistics(found, SEGMENT)
    assert len(found.first) - 1 == 47
    assert len(found.since) == 267
    assert measured["online"] == pytest.approx(0.0588, abs=1e-4)
    assert measured["session_minutes"] == pytest.approx(29.93, abs=0.01)
    assert measured["never"] == pytest.approx(24 / 47)
    nodes = sessions(Stunner(), 2000, float(SEGMENT), 1, data_dir)
    assert statistics(nodes, SEGMENT)["online"] == pytest.approx(0.0588, abs=0.01)
