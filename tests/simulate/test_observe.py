"""Observers see exactly what reaches them, and observing changes nothing."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.models.mf import MF
from sottovoce.peers.k_out import KOut
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.fedfast import FedFast
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.observe import SERVER, Observation, joined
from tests import networks
from tests.networks import advance_slowly, assert_same, ratings, simulate
from tests.simulate.test_virtual_time import network
from tests.spikes.clusters import Clusters

SOME = [1, 4]


def crowd(people=7, items=12):
    rng = np.random.default_rng(3)
    return ratings((rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < 0.4)).tolist())


def watching(server=False, nodes=(), first=2, last=3):
    """An observation, and the list that its records go to."""
    seen = []
    record = lambda round, records: seen.extend((round, one) for one in records)  # noqa: E731
    return Observation(server, np.array(nodes, np.int32), first, last, record), seen


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("chain", [Whole(), Chain(share=0.3), Chain(bits=8)], ids=["whole", "some", "coded"])
@pytest.mark.parametrize("timed", [False, True])
def test_nodes_see_what_they_receive(monkeypatch, chain, timed):
    """The same models, in the same order, as the slow network hands to these receivers."""
    data = crowd()
    watch, seen = watching(nodes=SOME, first=1, last=9)
    parts = {"chain": chain, "protocol": Gossip(pushes=2), "peers": KOut(3)}
    if timed:
        parts["timing"] = network(data.people, np.random.default_rng(2), unequal=True)
    free, fast, slow = (
        simulate(MF(factors=3), data, observation=one, **parts) for one in (None, watch, None)
    )
    taken = {node: [] for node in SOME}

    def absorb(rule, model, steps, hosted, tables, private, message, slot, origin, sender, *rest):
        if slot in taken:
            held = message.ids if len(message.ids) else np.arange(data.items)
            taken[slot].append((sender, held.copy(), message.rows.copy(), message.age.copy()))
        original(rule, model, steps, hosted, tables, private, message, slot, origin, sender, *rest)

    original = networks.absorb
    monkeypatch.setattr(networks, "absorb", absorb)
    for one in (free, fast):
        one.advance(4)
    advance_slowly(slow, 4)
    assert_same(fast, slow)
    assert_same(free, slow)
    found = {node: [] for node in SOME}
    for _, record in seen:
        assert not record["update"].any()
        for n, observer in enumerate(record["observer"].tolist()):
            own = slice(record["offset"][n], record["offset"][n + 1])
            found[observer].append(
                (record["sender"][n], *(record[name][own] for name in ("ids", "rows", "age")))
            )
    for node in SOME:
        assert len(taken[node]) > 1
        assert [sender for sender, *_ in found[node]] == [sender for sender, *_ in taken[node]]
        for ours, theirs in zip(found[node], taken[node], strict=True):
            for a, b in zip(ours[1:], theirs[1:], strict=True):
                np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("selection", ["random", "in-turn"])
def test_a_server_sees_the_updates_that_it_averages(selection):
    """In compiled code. The mean of what is recorded is what the model moves by."""
    data = crowd()
    watch, seen = watching(server=True, nodes=[2], first=2, last=2)
    protocol = Federated(participants=3, selection=selection)
    parts = {"protocol": protocol, "merge": Simple()}
    free, fast = (simulate(MF(factors=3), data, observation=one, **parts) for one in (None, watch))
    for one in (free, fast):
        one.advance(1)
    before = fast.tables.rows.copy()
    for one in (free, fast):
        one.advance(1)
    np.testing.assert_array_equal(fast.tables.rows, free.tables.rows)
    np.testing.assert_array_equal(fast.people.user, free.people.user)
    assert (fast.messages, fast.arrived, fast.bytes) == (free.messages, free.arrived, free.bytes)
    assert {round for round, _ in seen} == {2}
    moved = before.copy()
    for _, record in seen:
        if record["update"].all():
            assert (record["observer"] == SERVER).all()
            of = np.repeat(record["clock"], np.diff(record["offset"]))
            for version in np.unique(record["clock"]):  # each aggregation by itself
                total = np.zeros_like(moved)
                np.add.at(total, record["ids"][of == version], record["rows"][of == version])
                moved += total / (record["clock"] == version).sum()
        else:
            assert record["observer"].tolist() == [2]
            assert record["sender"].tolist() == [SERVER]
            np.testing.assert_array_equal(record["ids"], np.arange(data.items))
    np.testing.assert_allclose(fast.tables.rows, moved, rtol=1e-5, atol=1e-6)
    assert [record["update"].all() for _, record in seen].count(True) == 1, "a round is one record"
    asked = [person for _, record in seen if record["update"].all() for person in record["sender"].tolist()]
    assert sorted(asked) == sorted(set(asked))
    assert len(asked) == (3 if selection == "random" else data.people)
    fast.advance(2)
    assert {round for round, _ in seen} == {2}, "later rounds are not recorded"


def test_a_server_that_sees_vectors_sees_them():
    watch, seen = watching(server=True, first=1, last=1)
    s = simulate(
        MF(factors=3),
        crowd(),
        protocol=FedFast(participants=7, clusters=1, discount=0.0),
        merge=Simple(),
        observation=watch,
    )
    s.advance(1)
    ((_, record),) = seen
    assert len(record["sender"]) == 7
    np.testing.assert_array_equal(record["user"], s.people.user[record["sender"]])


@pytest.mark.usefixtures("uncompiled")
def test_an_observer_in_a_cluster_sees_what_the_cluster_receives():
    """People are named, not slots: person 4 is in the second cluster of three."""
    watch, seen = watching(nodes=[4], first=1, last=3)
    s = simulate(MF(factors=3), crowd(), protocol=Clusters(size=3), peers=KOut(2), observation=watch)
    s.advance(3)
    observers = {int(n) for _, record in seen for n in record["observer"]}
    senders = {int(n) for _, record in seen for n in record["sender"]}
    assert observers == {3}, "a cluster goes by the number of its first person"
    assert senders <= {0, 6}


def test_records_of_many_aggregations_become_one_of_each_kind(monkeypatch):
    """In their order, and no longer than agreed; records of sums stay as they are."""

    def record(sender, rows, update=True):
        flat = np.full(1, sender)
        return {
            **dict.fromkeys(("observer", "sender", "time", "number", "relayed", "clock", "size"), flat),
            "update": np.array([update]),
            "offset": np.array([0, rows]),
            "ids": np.arange(rows),
            "rows": np.full((rows, 2), sender),
            "age": np.zeros(rows),
            "head": np.zeros((1, 0)),
            "user": np.zeros((1, 0)),
        }

    many = [record(1, 2), record(9, 3, update=False), record(2, 0), {"sum_rows": np.ones(1)}, record(3, 1)]
    updates, model, sums = joined(many)
    assert updates["sender"].tolist() == [1, 2, 3]
    assert updates["offset"].tolist() == [0, 2, 2, 3]
    assert updates["rows"][:, 0].tolist() == [1, 1, 3]
    assert model["sender"].tolist() == [9]
    assert set(sums) == {"sum_rows"}
    monkeypatch.setattr("sottovoce.simulate.observe.CHUNK", 4)
    assert [one["sender"].tolist() for one in joined(many) if "update" in one] == [[1, 2], [3], [9]]
