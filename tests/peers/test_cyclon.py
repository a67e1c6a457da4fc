"""Shuffled caches mix, forget nodes that left, and need no list of everybody (Voulgaris et al. 2005)."""

import numpy as np

from sottovoce.kernels import SHUFFLE, below, stream
from sottovoce.peers._cyclon import LENGTH, answer, approach, learn, question, shuffle
from sottovoce.peers.interface import meet
from sottovoce.peers.shuffled import Shuffled
from sottovoce.timing import Timing, synchronous
from tests.peers.talking import valid


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

    def ask(self, key):
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
            told = me.ask(stream(1, SHUFFLE, me.me, cycle))
            me.hear(peers[me.asked].reply(me.me, stream(1, SHUFFLE, nodes + me.me, cycle), told))
        shuffle(views.cache, views.age, timing, float(cycle), 1, cycle)
    np.testing.assert_array_equal([peer.cache for peer in peers], views.cache)
    np.testing.assert_array_equal([peer.age for peer in peers], views.age)


def test_who_left_is_forgotten():
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
