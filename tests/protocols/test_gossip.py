"""Gossip: who hosts whom, how often people train, whose models are passed on, and which messages there are.

`tests/simulate` compares whole runs with a slow network.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.models.mf import MF
from sottovoce.peers.complete import Complete
from sottovoce.peers.interface import Views
from sottovoce.peers.k_out import KOut
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.interface import exchanges, hosts, nodes, relays, trainings
from sottovoce.simulate.churn.always import Always
from sottovoce.simulate.clock import clock
from sottovoce.simulate.links.unequal import Unequal
from sottovoce.timing import synchronous
from tests.events import sent
from tests.networks import ratings, simulate

DATA = ratings(np.eye(6).tolist())


def test_everybody_has_a_model():
    found = hosts(Gossip(), DATA, 1)
    assert (found.first.tolist(), found.member.tolist()) == ([0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5])
    assert nodes(Gossip(), DATA, 1) == 6


def test_people_train_once_for_every_message_they_may_expect():
    """As many as they send; with time, as many as a link carries in a round."""
    assert trainings(Gossip(pushes=3), False, 1.0) == 3
    assert trainings(Gossip(pushes=3), True, 0.25) == 4


def test_models_of_nodes_with_few_links_are_passed_on():
    none = np.empty(0, np.int32)
    known = np.array([[1, 2, -1], [0, -1, -1], [-1, -1, -1], [0, 1, 2]], np.int32)
    views = simulate(MF(factors=3), DATA, peers=KOut(2)).views._replace(neighbours=known)
    assert relays(Gossip(relay=2), views).tolist() == [False, True, True, False]
    assert len(relays(Gossip(), views)) == 0
    assert len(relays(Gossip(relay=2), views._replace(neighbours=none.reshape(0, 0)))) == 0
    assert isinstance(views, Views)


def as_rows(messages):
    columns = messages.sender, messages.receiver, messages.start, messages.end, messages.number
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.usefixtures("uncompiled")
@settings(max_examples=25)
@given(
    st.sampled_from([Uniform(), KOut(2), Complete()]), st.integers(1, 3), st.booleans(), st.integers(0, 99)
)
def test_messages_are_those_of_the_definition(peers, pushes, timed, seed):
    """Cycle by cycle and node by node, over links of unequal speed and in rounds without time."""
    timing = clock(Unequal(), Always(), 6, 4, seed, None) if timed else None
    if timing is not None:  # some download more slowly than others upload
        timing = timing._replace(download=timing.download[::-1] * np.linspace(0.2, 1, 6))
    s = simulate(MF(factors=3), DATA, peers=peers, protocol=Gossip(pushes), seed=seed, timing=timing)
    count = 0
    for round in range(3):
        found, all_sent = exchanges(s.protocol, s.peers, s.views, s.timing, 0.5, seed, round)
        expected = list(sent(s, round * s.timing.round, (round + 1) * s.timing.round, pushes, 0.5))
        assert all_sent == len(expected)
        assert (found.place == -1).all()
        rows = [(m.sender, m.receiver, m.start, m.end, m.number) for m in expected if m.arrives]
        np.testing.assert_allclose(as_rows(found), sorted(rows), rtol=1e-12)
        count += all_sent
    assert count >= 6


@pytest.mark.usefixtures("uncompiled")
def test_a_round_without_time_is_a_cycle_of_everybody():
    s = simulate(MF(factors=3), DATA, protocol=Gossip(pushes=2))
    found, count = exchanges(s.protocol, s.peers, s.views, synchronous(6), 1.0, 1, 5)
    assert count == 12
    assert np.bincount(found.sender).tolist() == [2] * 6
    assert (found.sender != found.receiver).all()
    assert (found.start == 5).all()
    assert ((found.end > 5.5) & (found.end <= 6)).all()
    assert sorted(found.number.tolist()) == [10] * 6 + [11] * 6
