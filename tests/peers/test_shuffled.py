"""`shuffled` views are drawn from caches, anew every few rounds, and can grow with a node's upload."""

import numpy as np

from sottovoce.combine.model_age import ModelAge
from sottovoce.models.mf import MF
from sottovoce.peers.interface import meet, period, renew
from sottovoce.peers.shuffled import Shuffled
from sottovoce.protocols.execute import absorb
from sottovoce.protocols.gossip import Gossip
from sottovoce.timing import synchronous
from tests.networks import advance_slowly, assert_same, ratings, simulate
from tests.peers.talking import check_growing_views, crowd, talk, talk_plainly, valid


def test_views_come_from_caches_and_change():
    peers, timing = Shuffled(view=3, cache=8, refresh=4), synchronous(40)
    views = meet(peers, timing, 1)
    before, first = views.neighbours.copy(), views.cache.copy()
    assert period(peers) == 4
    renew(peers, views, crowd(40), timing, 1, 4)
    valid(views.neighbours)
    assert views.neighbours.shape == (40, 3)
    assert all(set(view) <= set(cache) for view, cache in zip(views.neighbours, views.cache, strict=True))
    assert (views.cache != first).any()
    assert (views.neighbours != before).any()


def test_plain_selection_equals_compiled():
    chosen, views = talk(Shuffled(), 12, 2, 3)
    np.testing.assert_array_equal(talk_plainly(Shuffled(), views, 12, 2, 3), chosen)


def test_views_grow_with_upload():
    check_growing_views(Shuffled(view=3, cache=12, by_upload=True))


def test_models_of_nodes_with_few_links_are_passed_on_as_they_are():
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
    absorb(*s.driver.learning, s.tables, s.private, s.tables, 5, 0, 0, s.people, s.receivers, 1)
    np.testing.assert_array_equal(rows[5], rows[0])
    np.testing.assert_array_equal(s.people.steps, steps)
    absorb(*s.driver.learning, s.tables, s.private, s.tables, 6, 7, 7, s.people, s.receivers, 1)
    assert (rows[6] != rows[7]).any()
    assert s.people.steps[6] == steps[6] + 1
