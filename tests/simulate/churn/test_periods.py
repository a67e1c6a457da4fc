"""In each period, the wanted part of the nodes is offline, whoever was before."""

import numpy as np
import pytest

from sottovoce.kernels import CHURN, stream, uniform
from sottovoce.simulate.churn import sessions
from sottovoce.simulate.churn.periods import Periods
from tests.simulate.churn.test_churn import check

NODES, PERIODS, LENGTH = 2000, 7, 0.1


def online(found, time):
    """Who is online at a moment, session by session."""
    there = np.zeros(NODES, bool)
    for node in range(NODES):
        own = range(found.first[node], found.first[node + 1])
        there[node] = any(found.since[n] <= time < found.until[n] for n in own)
    return there


def test_everybody_is_offline_with_the_same_chance_in_each_period():
    found = sessions(Periods(0.3, LENGTH), NODES, PERIODS * LENGTH - 0.05, 3, None)
    check(found, NODES, PERIODS * LENGTH - 0.05)
    there = np.array([online(found, (n + 0.4) * LENGTH) for n in range(PERIODS)])
    assert there.mean(axis=1) == pytest.approx(0.7, abs=0.04)
    assert (there[1:] & there[:-1]).mean() == pytest.approx(0.49, abs=0.02), "periods are independent"
    for node in range(50):
        for period in range(PERIODS):
            assert there[period, node] == (uniform(stream(3, CHURN, node, period), 0) >= 0.3)


def test_nobody_is_ever_offline_with_chance_0():
    found = sessions(Periods(0.0, 5.0), 3, 12.0, 1, None)
    assert found.first.tolist() == [0, 1, 2, 3]
    assert found.until.tolist() == [12.0] * 3
