"""Rounds among peers: what is counted, kept for later, relayed, and made room for."""

import itertools

import numpy as np
import pytest

from sottovoce.combine.none import Replace
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.models.mf import MF
from sottovoce.peers.k_out import KOut
from sottovoce.peers.personalized import Personalized
from sottovoce.protocols.central import Central
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate import planned
from sottovoce.simulate.churn.always import Always
from sottovoce.simulate.clock import clock
from sottovoce.simulate.links.unequal import Unequal
from sottovoce.simulate.planned import HELD
from tests.networks import ratings, simulate

pytestmark = pytest.mark.usefixtures("uncompiled")

DATA = ratings(np.random.default_rng(2).integers(0, 4, (8, 6)).tolist(), 1, 3)


def timed(seed=3, **parts):
    return simulate(MF(factors=3), DATA, timing=clock(Unequal(), Always(), 8, 9, seed), seed=seed, **parts)


@pytest.mark.parametrize("pushes", [1, 2])
def test_every_message_of_a_round_without_time_arrives_in_it(pushes):
    s = simulate(MF(factors=3), DATA, protocol=Gossip(pushes))
    traffic = s.driver.advance(3)
    assert traffic == (24 * pushes, 24 * pushes, 24 * pushes * s.message_bytes)
    assert s.people.steps.sum() == 24 * pushes
    assert len(s.driver.underway.sender) == 0
    assert s.driver.state() == {}


def test_what_has_not_arrived_is_on_its_way():
    s = timed()
    sent = sum(s.driver.send(round)[1] for round in range(4))
    traffic = s.driver.advance(4)
    assert traffic.messages == sent
    assert traffic.messages - traffic.arrived == len(s.driver.underway.sender) > 0
    assert s.people.steps.sum() == traffic.arrived
    assert (s.driver.underway.end > s.now).all()


def test_without_a_server_or_peers_everybody_trains_and_nothing_is_sent():
    s = simulate(MF(factors=3), DATA, protocol=Central())
    assert s.driver.advance(2) == (0, 0, 0)
    assert (s.people.steps == 2).all()
    assert s.round == 2


def test_differences_refer_to_a_start_without_anybody():
    s = simulate(MF(factors=3), DATA, chain=Chain(delta=True), protocol=Gossip(start="common"))
    np.testing.assert_array_equal(s.driver.reference.rows, s.tables.rows[:6])
    apart = simulate(MF(factors=3), DATA, chain=Chain(delta=True), protocol=Gossip(start="independent"))
    apart.driver._reference()
    assert len(np.unique(apart.people.user, axis=0)) == 8, "people keep the vectors that they start with"
    assert simulate(MF(factors=3), DATA).driver.reference.slots == 0


@pytest.mark.parametrize("chain", [Whole(), Chain(share=0.5)], ids=["whole", "subsampled"])
def test_room_grows_and_keeps_the_snapshots_there_are(chain):
    s = timed(chain=chain, merge=Replace())
    s.driver.advance(2)
    driver = s.driver
    used, before = driver.places, driver.snapshots
    assert 0 < used <= before.slots
    saved = {name: getattr(before, name)[: driver._extent(name)].copy() for name in HELD}
    driver._hold(3 * before.slots)
    assert driver.snapshots.slots >= 3 * before.slots
    for name, array in saved.items():
        np.testing.assert_array_equal(getattr(driver.snapshots, name)[: len(array)], array)
    held = 6 if chain.share == 1 else 3
    assert len(saved["rows"]) == used * held
    assert len(saved["ids"]) == (0 if chain.share == 1 else used * held)


def test_a_checkpoint_holds_messages_and_their_snapshots():
    s, other = timed(), timed()
    s.advance(3)
    state = {name: array.copy() for name, array in s.driver.state().items()}
    assert {name.split()[0] for name in state} == {"underway", "held"}
    other.driver.make_room(state)
    for name in s.driver.underway._fields:
        np.testing.assert_array_equal(
            getattr(other.driver.underway, name), getattr(s.driver.underway, name), err_msg=name
        )
    assert other.driver.places == s.driver.places
    empty = timed()
    empty.driver.make_room({})
    assert empty.driver.places == len(empty.driver.underway.sender) == 0


def renewing():
    peers = Personalized(view=2, refresh=2, exploration=1.0)
    return simulate(MF(factors=3), DATA, peers=peers, protocol=Gossip(relay=2))


def test_views_are_renewed_every_period():
    s = renewing()
    views = [s.views.neighbours.copy()]
    for _ in range(5):
        s.driver.advance(1)
        views.append(s.views.neighbours.copy())
    changed = [bool((a != b).any()) for a, b in itertools.pairwise(views)]
    assert changed == [False, False, True, False, True]


def test_relays_follow_renewed_views(monkeypatch):
    s = renewing()
    monkeypatch.setattr(planned, "renew", lambda peers, views, *rest: views.neighbours[3].fill(-1))
    s.driver.advance(2)
    assert not s.receivers.relayed.any()
    s.driver.advance(1)
    assert np.flatnonzero(s.receivers.relayed).tolist() == [3]


def test_models_of_nodes_with_few_links_are_relayed_from_the_beginning():
    assert not simulate(MF(factors=3), DATA, peers=KOut(2), protocol=Gossip(relay=2)).receivers.relayed.any()
    assert simulate(MF(factors=3), DATA, peers=KOut(2), protocol=Gossip(relay=3)).receivers.relayed.all()
