"""Nodes that sum in groups through bytes end at the models of the simulation, bit by bit."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.errors import MessageError, RunError
from sottovoce.exchange.secure.group import group
from sottovoce.exchange.secure.primitives import Identity
from sottovoce.models.als import ALS
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.node import Community, Node
from sottovoce.node.group import GroupAdder
from sottovoce.protocols.consensus import Consensus
from sottovoce.simulate.world import Traffic
from tests.networks import simulate
from tests.node.simulated import ITEMS, assert_same, nodes_of
from tests.node.test_secure import PEOPLE, SECOND, crowd, names

pytestmark = pytest.mark.usefixtures("uncompiled")


def group_of(who: list[Identity], spare: int, label: bytes = b"sweep"):
    return group([one.public for one in who], label, len(who) - spare, sums=2)


def play(nodes: list[Node], leaves: Mapping[int, int] = {}, guards=()):
    """Sum in one group, and move; returns who adds, and the messages and bytes that were exchanged."""
    community, identities = nodes[0].community, names(len(nodes))
    together = group_of(identities, community.consensus.spare)
    updates = [node.group_update(together, one, guards) for node, one in zip(nodes, identities, strict=True)]
    adder = GroupAdder(community, together)
    letters, stage = {n: update.start() for n, update in enumerate(updates)}, 0
    messages, size = 0, 0
    while True:
        messages, size = messages + len(letters), size + sum(map(len, letters.values()))
        sent = []
        for n, letter in letters.items():
            if leaves.get(n, 99) > stage:
                sent += adder.receive(letter)
        sent = sent or ([] if adder.done else adder.timeout())
        messages, size = messages + len(sent), size + sum(len(one.data) for one in sent)
        letters, stage = {one.to: updates[one.to].receive(one.data) for one in sent}, stage + 1
        if adder.done:
            break
    for node, update in zip(nodes, updates, strict=True):
        if update.sums is not None:
            node.move(update.sums)
    return adder, messages, size


@settings(max_examples=15)
@given(
    st.sampled_from([GMF(factors=3, negatives=1), MF(factors=3), ALS(factors=3)]),
    st.sampled_from([MFFedAvg(), FedAvg()]),
    st.sampled_from([16, 32, 64]),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_models_and_bytes_are_those_of_the_simulator(model, rule, bits, fewest, seed):
    protocol = Consensus(group=PEOPLE, fewest=fewest, spare=1, modulus=bits)
    data = crowd(seed)
    simulated = simulate(model, data, merge=rule, protocol=protocol, seed=seed)
    assert simulated.driver.pushes == 0
    nodes = nodes_of(simulated, data, consensus=protocol, aggregate=rule)
    assert_same(simulated, nodes)
    for _ in range(3):
        before = simulated.messages, simulated.bytes
        simulated.advance(1)
        adder, messages, size = play(nodes)
        assert adder.failed is None
        assert_same(simulated, nodes)
        assert (simulated.messages - before[0], simulated.bytes - before[1]) == (messages, size)
    assert simulated.tables.clock.tolist() == [3] * PEOPLE


def test_who_leaves_between_the_sums_keeps_the_old_model():
    protocol = Consensus(group=PEOPLE, fewest=1, spare=2)
    data = crowd(5)
    simulated = simulate(ALS(factors=3), data, merge=MFFedAvg(), protocol=protocol)
    nodes = nodes_of(simulated, data, consensus=protocol)
    everybody, stays = np.ones(PEOPLE, np.bool_), np.arange(PEOPLE) != 2
    traffic = simulated.driver._begin(everybody, stays)
    simulated.driver._end(stays)
    before = nodes[2]._tables.rows.copy()
    _, messages, size = play(nodes, {2: SECOND})
    assert_same(simulated, nodes)
    np.testing.assert_array_equal(nodes[2]._tables.rows, before)
    assert traffic == Traffic(messages, messages - 1, size)


def test_too_many_leave_and_nobody_moves():
    community = Community(ITEMS, MF(factors=3), consensus=Consensus(group=PEOPLE, fewest=1, spare=1))
    nodes = [Node(community, ITEMS[n : n + 4]) for n in range(PEOPLE)]
    before = [node._tables.rows.copy() for node in nodes]
    adder, *_ = play(nodes, {1: SECOND, 3: SECOND})
    assert "Only 5 participants sent masked vectors, and 6 are needed" in adder.failed.reason
    for node, rows in zip(nodes, before, strict=True):
        np.testing.assert_array_equal(node._tables.rows, rows)


def test_masks_do_not_cancel_between_communities():
    protocol = Consensus(group=PEOPLE, fewest=1, spare=1)
    one, other = (Community(ITEMS, MF(factors=3), consensus=protocol, seed=seed) for seed in (1, 2))
    together = group_of(names(), 1)
    updates = [Node(one if n else other, ITEMS[:4]).group_update(together, names()[n]) for n in range(PEOPLE)]
    adder = GroupAdder(one, together)
    letters = [update.start() for update in updates]
    for _ in range(2):
        sent = [each for letter in letters for each in adder.receive(letter)]
        letters = [updates[each.to].receive(each.data) for each in sent]
    with pytest.raises(MessageError, match="about something else"):
        adder.receive(letters[0])


def test_groups_and_communities_that_are_refused():
    protocol = Consensus(group=PEOPLE, fewest=1, spare=1)
    community = Community(ITEMS, MF(factors=3), consensus=protocol)
    node, who = Node(community, ITEMS[:3]), names()
    for wrong, problem in (
        (group_of(who[:6], 1), "too small"),
        (group_of(who, 0), "6 must stay to the end"),
        (group([one.public for one in who], b"", 6, sums=1), "2 sums"),
    ):
        with pytest.raises(MessageError, match=problem):
            node.group_update(wrong, who[0])
        with pytest.raises(MessageError, match=problem):
            GroupAdder(community, wrong)
    with pytest.raises(RunError, match="under masks"):
        node.local_update(b"")
    with pytest.raises(RunError, match="does not sum in groups"):
        Node(Community(ITEMS, MF(factors=3)), ITEMS[:3]).group_update(group_of(who, 1), who[0])
    with pytest.raises(RunError, match="group = 3 or more"):
        Community(ITEMS, MF(factors=3), consensus=Consensus(group=1))
    with pytest.raises(RunError, match="not by both"):
        Community(ITEMS, MF(factors=3), consensus=protocol, sum="secure")


def test_a_node_refuses_groups_that_would_tell_it_apart(tmp_path):
    community = Community(ITEMS, MF(factors=3), consensus=Consensus(group=7, fewest=3, spare=0))
    nodes = [Node(community, ITEMS[n : n + 4]) for n in range(8)]
    play(nodes, guards=None)
    nodes[0].save(tmp_path / "node")
    again = Node.load(tmp_path / "node", community)
    assert [len(guard.earlier) for guard in again.guards] == [1, 1]
    with pytest.raises(MessageError, match="differs from an earlier one by 1 person"):
        again.group_update(group_of(names(8)[:7], 0), names(8)[0])


def test_everybody_answers_whatever_the_model_does_to_their_training():
    """Earlier sums may have been poisoned: a row that is too large must not show who has its item."""
    community = Community(ITEMS, MF(factors=3), consensus=Consensus(group=PEOPLE, fewest=1, spare=1))
    nodes = [Node(community, ITEMS[n : n + 3]) for n in range(PEOPLE)]
    for node in nodes:
        node._tables.rows[2] = 1e6
    adder, *_ = play(nodes)
    assert adder.failed is None
    assert all(np.isfinite(node._people.user).all() for node in nodes)
