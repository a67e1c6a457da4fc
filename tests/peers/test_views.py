"""Shuffled caches mix, forget who has left, and need no list of everybody; views follow quality."""

import numpy as np
import pytest

from sottovoce.kernels import SHUFFLE, below, stream
from sottovoce.peers._cyclon import LENGTH, answer, approach, learn, question, shuffle
from sottovoce.peers.interface import meet, renew
from sottovoce.peers.personalized import Personalized
from sottovoce.peers.shuffled import Shuffled
from sottovoce.state import new_receivers
from sottovoce.timing import synchronous


def crowd(count, memory=0):
    """Whom each of so many nodes has heard, which is nobody yet."""
    return new_receivers(count, memory).heard


def valid(known):
    """Others only, none of them twice."""
    for node, row in enumerate(known):
        there = row[row >= 0]
        assert node not in there
        assert len(set(there)) == len(there)
        assert (there < len(known)).all()


def test_shuffling_keeps_everybody_known_about_equally():
    views = meet(Shuffled(cache=10), synchronous(500), 1)
    first = views.cache.copy()
    spread = np.bincount(first.ravel(), minlength=500).std()
    timing = synchronous(500)
    for cycle in range(60):
        shuffle(views.cache, views.age, timing, float(cycle), 1, cycle)
    valid(views.cache)
    known = np.bincount(views.cache[views.cache >= 0], minlength=500)
    assert known.min() > 0
    assert known.std() < 0.8 * spread  # concentrated, where random graphs have a binomial spread
    kept = np.mean([len(set(a) & set(b)) for a, b in zip(first, views.cache, strict=True)])
    assert kept < 1  # ten random ones of 499 would share a fifth of a node


def test_shuffling_works_from_a_chain():
    """Nodes that know only the next ones come to know everybody."""
    cache = ((np.arange(60)[:, None] + np.arange(1, 5)) % 60).astype(np.int32)
    age = np.zeros_like(cache)
    met = [set(row) for row in cache]
    for cycle in range(300):
        shuffle(cache, age, synchronous(60), float(cycle), 1, cycle)
        met = [before | set(row) for before, row in zip(met, cache, strict=True)]
    valid(cache)
    assert min(map(len, met)) > 40


class Peer:
    """A node that has nothing but its own cache, and hears of others in messages."""

    def __init__(self, me, cache):
        self.me, self.cache, self.age = me, cache.copy(), np.zeros_like(cache)

    def prefetch(self, key):
        self.asked = approach(self.cache, self.age)
        self.sent = np.empty(len(self.cache), np.int64)
        told = np.empty(LENGTH, np.int32), np.empty(LENGTH, np.int32)
        self.count = question(self.cache, self.age, self.me, self.asked, key, self.sent, *told)
        return [part[: self.count + 1].copy() for part in told]

    def reply(self, asker, key, told):
        reply = np.empty(LENGTH, np.int32), np.empty(LENGTH, np.int32)
        count = answer(self.cache, self.age, self.me, asker, key, *told, len(told[0]), *reply)
        return [part[:count].copy() for part in reply]

    def hear(self, reply):
        learn(self.cache, self.age, self.me, *reply, len(reply[0]), self.sent, self.count)


def test_peers_that_only_send_messages_come_to_the_same_caches():
    nodes, timing = 40, synchronous(40)
    views = meet(Shuffled(cache=9), timing, 1)
    peers = [Peer(me, cache) for me, cache in enumerate(views.cache)]
    for cycle in range(12):
        key, order = stream(1, SHUFFLE, -1, cycle), list(range(nodes))
        for n in range(nodes):
            other = n + below(key, n, nodes - n)
            order[n], order[other] = order[other], order[n]
            me = peers[order[n]]
            told = me.prefetch(stream(1, SHUFFLE, me.me, cycle))
            me.hear(peers[me.asked].reply(me.me, stream(1, SHUFFLE, nodes + me.me, cycle), told))
        shuffle(views.cache, views.age, timing, float(cycle), 1, cycle)
    np.testing.assert_array_equal([peer.cache for peer in peers], views.cache)
    np.testing.assert_array_equal([peer.age for peer in peers], views.age)


def test_who_left_is_forgotten():
    from sottovoce.timing import Timing

    nodes = 50
    views = meet(Shuffled(cache=8), synchronous(nodes), 1)
    timing: Timing = synchronous(nodes)
    gone = np.arange(nodes) < 10
    sessions = np.where(gone, 5.0, 1e9)
    timing = timing._replace(first=np.arange(nodes + 1), since=np.zeros(nodes), until=sessions)
    for cycle in range(80):
        shuffle(views.cache, views.age, timing, float(cycle), 1, cycle)
    left = views.cache[~gone]
    assert not np.isin(left, np.flatnonzero(gone)).any()


@pytest.mark.parametrize("others", ["shuffled", "everybody"])
@pytest.mark.parametrize(("exploration", "best"), [(0.0, 4), (0.4, 2), (0.5, 2), (1.0, 0)])
def test_views_take_the_best_and_explore(others, exploration, best):
    peers = Personalized(view=4, exploration=exploration, others=others, remember=6)
    crowded = crowd(40, memory=6)
    views = meet(peers, synchronous(40), 1)
    crowded[:, :5] = (np.arange(40)[:, None] + np.arange(1, 6)) % 40
    before = views.neighbours.copy()
    renew(peers, views, crowded, synchronous(40), 1, 10)
    valid(views.neighbours)
    assert (views.neighbours >= 0).all()
    np.testing.assert_array_equal(views.neighbours[:, :best], crowded[:, :best])
    if best < 4:
        assert (views.neighbours[:, best:] != before[:, best:]).any()
    assert (crowded[:, 0] >= 0).all()
    renew(peers._replace(forget=True), views, crowded, synchronous(40), 1, 20)
    assert (crowded < 0).all()


def test_who_remembers_nobody_explores():
    peers = Personalized(view=3, exploration=0.0)
    views = meet(peers, synchronous(30), 1)
    renew(peers, views, crowd(30, 5), synchronous(30), 1, 10)
    valid(views.neighbours)
    assert (views.neighbours >= 0).all()


@pytest.mark.parametrize("kind", [Shuffled, Personalized])
def test_views_grow_with_upload(kind):
    peers = kind(view=3, cache=12, by_upload=True)
    upload = np.r_[np.full(20, 0.2), np.full(20, 1.0), np.full(20, 1.8)]
    timing = synchronous(60)._replace(upload=upload)
    views = meet(peers, timing, 1)
    for round in (0, 10):
        if round:
            renew(peers, views, crowd(60, memory=5), timing, 1, round)
        valid(views.neighbours)
        sizes = (views.neighbours >= 0).sum(axis=1)
        assert sizes.reshape(3, 20).tolist() == [[1] * 20, [3] * 20, [5] * 20]


def test_models_of_nodes_with_few_links_are_passed_on_as_they_are():
    from sottovoce.combine.model_age import ModelAge
    from sottovoce.models.mf import MF
    from sottovoce.protocols.execute import absorb
    from sottovoce.protocols.gossip import Gossip
    from tests.networks import advance_slowly, assert_same, ratings, simulate

    rng = np.random.default_rng(1)
    data = ratings((rng.integers(1, 6, (12, 9)) * (rng.random((12, 9)) < 0.5)).tolist())
    upload = np.r_[np.full(4, 0.3), np.full(8, 1.35)]
    timing = synchronous(12)._replace(upload=upload, timed=True)
    parts = {
        "merge": ModelAge(),
        "peers": Shuffled(view=3, cache=6, by_upload=True),
        "protocol": Gossip(relay=2),
        "timing": timing,
    }
    fast, slow = (simulate(MF(factors=3), data, **parts) for _ in range(2))
    assert fast.receivers.relayed.tolist() == [True] * 4 + [False] * 8
    fast.advance(6)
    advance_slowly(slow, 6)
    assert_same(fast, slow)
    s, items = slow, data.items
    rows = s.tables.rows.reshape(12, items, -1)
    steps = s.people.steps.copy()
    assert (rows[0] != rows[5]).any()
    absorb(s.merge, s.model, s.tables, s.tables, 5, 0, 0, s.people, 1)
    np.testing.assert_array_equal(rows[5], rows[0])
    np.testing.assert_array_equal(s.people.steps, steps)
    absorb(s.merge, s.model, s.tables, s.tables, 6, 7, 7, s.people, 1)
    assert (rows[6] != rows[7]).any()
    assert s.people.steps[6] == steps[6] + 1
