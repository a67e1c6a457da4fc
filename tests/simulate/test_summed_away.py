"""Sums among peers in virtual time, where people are away, drop out, are alone or have nothing."""

import numpy as np

from sottovoce.protocols.consensus import Consensus, grouped
from tests.models.test_als import ITEMS, PEOPLE, data
from tests.networks import ratings
from tests.simulate.sweeps import clock, network, some_sessions


def test_who_was_away_takes_a_peers_model_and_goes_on():
    length = network(clock()).driver.schedule.length
    away = {
        3: [(0.0, 0.5 * length), (1.9 * length, 1e6)],  # misses one end, and is back before the next
        5: [(0.0, 0.5 * length), (0.8 * length, 1e6)],  # is back within the sweep
        7: [(1.5 * length, 1e6)],  # comes in the middle of the second
    }
    timing = clock(sessions=some_sessions(away))
    s = network(timing, rounds=40)
    models = s.tables.rows.reshape(PEOPLE, ITEMS, -1)
    start, seen = models[3].copy(), {}
    while s.driver.sweep < 5:
        seen[s.driver.sweep] = models.copy(), s.tables.clock.copy()
        s.advance(1)
    rows, clocks = seen[2]  # in the second sweep
    np.testing.assert_array_equal(rows[3], start)
    assert clocks.tolist() == [0 if node in (3, 7) else 1 for node in range(PEOPLE)]
    rows, clocks = seen[3]
    assert (clocks == 2).all()
    for node in (3, 7):
        assert any((rows[node] == rows[n]).all() for n in range(PEOPLE) if n not in (3, 7))
    rows, clocks = seen[4]
    assert (clocks == 3).all()
    assert all((rows[3] != rows[n]).any() for n in range(PEOPLE) if n != 3), "it goes on by itself"


def test_dropouts_inside_masked_groups():
    """A group that loses more than `spare` begins again without them, and exchanges all of it once more."""
    protocol = Consensus(pushes=2, group=20, fewest=2, spare=1)
    everybody = np.ones(PEOPLE, np.bool_)
    groups = grouped(protocol, everybody, everybody, 1, 0)
    one, other = groups.member[:20], groups.member[20:]
    left = [*one[:1], *other[:3]]
    plan = network(clock(), protocol).driver.schedule
    sessions = some_sessions({node: [(0.0, plan.setup / 2)] for node in left})
    s = network(clock(sessions=sessions), protocol)
    traffic = s.driver._begin(*s.driver.schedule.at_begin(0))
    weight = s.driver.sums.head[:, -1]
    np.testing.assert_allclose(weight[one], [0] + [1] * 19, rtol=1e-5)
    np.testing.assert_allclose(weight[other], [0] * 3 + [1] * 17, rtol=1e-5)
    rows = []
    for members in (one, other[3:]):  # who dropped out after the first sum is counted in it
        counts = np.bincount(np.concatenate([_items(n) for n in members]), minlength=ITEMS)
        rows.append(np.count_nonzero(counts >= 3))
    sizes = [plan._sums(*(np.array([n]) for n in each)) for each in ((20, 19, rows[0]), (20, 17, rows[1]))]
    sizes.append(plan._sums(*(np.array([n]) for n in (17, 17, rows[1]))))
    assert traffic.messages == sum(messages[0] for messages, _ in sizes)
    assert traffic.bytes == sum(size[0] for _, size in sizes)
    assert traffic.messages - traffic.arrived == 4


def _items(person):
    everything = data()
    return everything.item[everything.indptr[person] : everything.indptr[person + 1]]


def test_nobody_online_and_nothing_happens():
    s = network(clock(sessions=[[(1e5, 1e6)]] * PEOPLE), Consensus(pushes=3, group=10))
    before = s.tables.rows.copy()
    s.advance(30)
    assert s.messages == s.bytes == 0
    np.testing.assert_array_equal(s.tables.rows, before)
    assert not s.tables.clock.any()


def test_one_person_learns_from_nobody_else():
    alone = ratings([[1, 0, 1, 1, 0]])
    free = network(clock(1), Consensus(group=1), alone)
    free.advance(5)
    assert free.messages == 0
    assert free.tables.clock[0] > 1
    masked = network(clock(1), Consensus(), alone)
    masked.advance(5)
    assert masked.tables.clock[0] == 0, "a sum over one person is that person's"


def test_somebody_without_items_takes_part():
    values = np.zeros((PEOPLE, ITEMS))
    values[: PEOPLE - 1] = 1
    s = network(clock(), Consensus(pushes=3, group=1), ratings(values.tolist()))
    s.advance(8)
    assert s.driver.sweep > 1
    assert np.isfinite(s.tables.rows).all()
    assert s.tables.clock.min() == s.tables.clock.max() > 0
