"""FedFast: equal numbers from every cluster, and people who did not take part move with those who did."""

import numpy as np
import pytest

from sottovoce import kernels
from sottovoce.exchange import codec
from sottovoce.exchange.message import UPDATE
from sottovoce.kernels.kmeans import kmeans
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import train
from sottovoce.models.mf import MF
from sottovoce.protocols import aggregate
from sottovoce.protocols._participants import DONE, LOST, OFFLINE
from sottovoce.protocols.fedfast import FedFast, _in_turn, follow
from sottovoce.protocols.interface import aggregates
from sottovoce.timing import Timing
from tests.networks import copy_of, ratings, simulate

plain = aggregate._aggregate.plain


def crowd(people=40, items=30, share=0.3):
    rng = np.random.default_rng(5)
    return ratings((rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < share)).tolist())


def federation(protocol, data=None, model=None, **parts):
    data = crowd() if data is None else data
    return simulate(model or MF(factors=3), data, protocol=protocol, merge=aggregates(protocol), **parts)


@pytest.mark.parametrize("items", ["fedavg", "change"])
def test_two_rounds_by_hand(monkeypatch, items):
    """Whole models of participants, in NumPy as the algorithms of Muhammad et al. are written.

    The compiled loops run as the plain Python they are, so that no kernel is compiled for this model.
    """
    monkeypatch.setattr(aggregate, "_aggregate", lambda *a, batch: plain(*a))
    protocol = FedFast(participants=4, clusters=2, items=items, discount=0.5)
    fast, slow = (federation(protocol, crowd(9, 40), GMF(factors=2, negatives=1)) for _ in range(2))
    people, server = slow.people, slow.tables
    cluster = kmeans(people.user, 2, slow.seed, 0).label
    for number in (1, 2):
        steps, trained = fast.people.steps.copy(), people.user.copy()
        fast.advance(1)
        persons = np.flatnonzero(fast.people.steps > steps)
        assert len(persons) == 4
        assert (np.bincount(cluster[persons], minlength=2) == 2).all()
        own = [copy_of(server) for _ in persons]
        n = [train(slow.model, own[c], 0, people, p, slow.seed) for c, p in enumerate(persons)]
        people.steps[persons] += 1
        rows = np.array([c.rows for c in own], np.float64)
        if items == "fedavg":
            expected = np.average(rows, axis=0, weights=n)
        else:
            delta = np.abs(rows - server.rows).sum(axis=2)  # [participants, items]
            told = delta.sum(axis=0) > 0
            assert 0 < told.sum() < 40
            expected = server.rows.astype(np.float64)
            expected[told] = (delta[:, told, None] * rows[:, told]).sum(0) / delta[:, told].sum(0)[:, None]
        np.testing.assert_allclose(fast.tables.rows, expected, rtol=1e-5, atol=1e-6)
        head = np.average([c.head for c in own], axis=0, weights=n)
        np.testing.assert_allclose(fast.tables.head, head, rtol=1e-5, atol=1e-6)

        change = people.user - trained  # of participants; the others have not moved yet
        cluster = kmeans(people.user, 2, slow.seed, number).label
        for c in range(2):
            inside = np.intersect1d(persons, np.flatnonzero(cluster == c))
            for p in np.setdiff1d(np.flatnonzero(cluster == c), persons):
                people.user[p] += 0.5**number * (change[inside].mean(axis=0) if len(inside) else 0)
        np.testing.assert_array_equal(fast.kept["cluster"], cluster)
        np.testing.assert_allclose(fast.people.user, people.user, rtol=1e-4, atol=1e-6)
        server.rows[:], server.head[:], server.clock[:] = fast.tables.rows, fast.tables.head, number
        server.age[:], people.user[:] = fast.tables.age, fast.people.user


def test_the_same_number_from_every_cluster():
    """Twelve of clusters of 1, 5 and 30: one, five and six, because a small cluster cannot give more."""
    cluster = np.repeat([0, 1, 2], [1, 5, 30]).astype(np.int32)
    seen = np.zeros(36)
    for number in range(200):
        fate = np.full(36, DONE, np.int8)
        _in_turn(fate, cluster, 3, 12, 1, number)
        assert np.bincount(cluster[fate == DONE], minlength=3).tolist() == [1, 5, 6]
        seen += fate == DONE
    assert (seen[:6] == 200).all()
    np.testing.assert_allclose(seen[6:], 40, atol=25)


def test_what_is_left_over_falls_to_clusters_in_random_order():
    cluster = np.repeat([0, 1, 2], 10).astype(np.int32)
    more = np.zeros(3)
    for number in range(300):
        fate = np.full(30, DONE, np.int8)
        _in_turn(fate, cluster, 3, 7, 1, number)
        count = np.bincount(cluster[fate == DONE], minlength=3)
        assert sorted(count) == [2, 2, 3]
        more += count == 3
    np.testing.assert_allclose(more, 100, atol=30)


def test_only_who_is_there_is_asked():
    fate = np.array([OFFLINE, DONE, LOST, DONE, OFFLINE], np.int8)
    cluster = np.array([0, 0, 0, 1, 1], np.int32)
    asked = fate.copy()
    _in_turn(asked, cluster, 4, 9, 1, 0)
    np.testing.assert_array_equal(asked, fate)
    _in_turn(asked, cluster, 4, 2, 1, 0)
    assert asked[3] == DONE
    assert np.count_nonzero(asked[:3]) == 1


def test_others_follow_the_mean_of_their_cluster():
    user = np.zeros((6, 2), np.float32)
    cluster = np.array([0, 0, 0, 1, 1, 2], np.int32)
    change = np.array([[1, 0], [3, 2]], np.float32)
    follow(user, cluster, np.array([0, 1]), change, 0.5)
    np.testing.assert_array_equal(user, [[0, 0], [0, 0], [1, 0.5], [0, 0], [0, 0], [0, 0]])
    follow(user, cluster, np.empty(0, np.int64), np.empty((0, 2), np.float32), 0.5)
    assert user.sum() == 1.5


def test_without_a_discount_nobody_moves_along():
    s = federation(FedFast(participants=12, clusters=3, discount=0.0))
    before = s.people.user.copy()
    s.advance(1)
    stayed = s.people.steps == 0
    assert stayed.sum() == 28
    np.testing.assert_array_equal(s.people.user[stayed], before[stayed])
    assert (s.people.user[~stayed] != before[~stayed]).any(axis=1).all()


def test_vectors_travel_both_ways():
    """With every model down and every change up: three factors and a bias, of four bytes each."""
    s = federation(FedFast(participants=12, clusters=3, dropout=0.3))
    s.advance(5)
    done = int(s.people.steps.sum())
    assert 25 < done < 60
    assert s.messages == 60 + done
    sent = int((s.people.steps * np.diff(crowd().indptr)).sum())
    empty, one = (codec.size(rows, 4, 0, True, kind=UPDATE) for rows in (0, 1))
    models = 60 * (codec.size(30, 4, 0, False) + 4 * s.shape.user)
    assert s.shape.user == 4
    assert s.bytes == models + done * (empty + 4 * s.shape.user) + sent * (one - empty)


def timing(nodes, **changes):
    none, speed = np.empty(0), np.full(nodes, 0.1)
    made = Timing(np.empty(0, np.int64), none, none, speed, speed, 0.0, 0.0, 10.0, timed=True)
    return made._replace(**changes)


@pytest.mark.parametrize("timed", [False, True])
def test_resumed_in_the_middle_it_ends_the_same(timed):
    until = np.random.default_rng(2).random(40) * 400
    clock = timing(40, first=np.arange(41), since=np.zeros(40), until=until) if timed else None
    protocol = FedFast(participants=12, clusters=3, dropout=0.1)
    whole, left, right = (federation(protocol, timing=clock, seed=4) for _ in range(3))
    whole.advance(20)
    left.advance(9)
    right.restore({name: array.copy() for name, array in left.state().items()})
    right.prepare()
    right.advance(11)
    assert whole.tables.clock[0] == (10 if timed else 20)
    for name, array in whole.state().items():
        if name != "seconds":
            np.testing.assert_array_equal(array, right.state()[name], err_msg=name)


def test_threads_do_not_change_the_result():
    results = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            if kernels.threads() < threads:
                pytest.skip("this machine has one core")
            s = federation(FedFast(participants=12, clusters=3))
            s.advance(5)
            results.append((s.tables.rows.copy(), s.people.user.copy()))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_who_leaves_or_is_slow_is_not_asked_in_vain():
    """As in `federated`: late answers do not count, and the server moves those who gave them."""
    upload = np.full(40, 0.1)
    upload[:10] = 0.05
    s = federation(FedFast(participants=40, clusters=2), timing=timing(40, upload=upload))
    before = s.people.user.copy()
    s.advance(2)
    assert (s.people.steps == 1).all()
    assert (s.messages, s.arrived) == (80, 70)
    # The others' vectors moved by the mean of their cluster: at most two ways, one for each.
    moved = (s.people.user - before)[:10]
    assert (moved != 0).any()
    assert len(np.unique(moved.round(4), axis=0)) <= 2


def test_people_who_start_alike_are_one_cluster():
    s = federation(FedFast(participants=12, clusters=3, start="common"))
    s.advance(1)
    assert s.people.steps.sum() == 12
    assert np.isfinite(s.people.user).all()
