"""Observers of sums among peers: what is recorded is what reached them, and changes nothing."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.exchange.update import local_update
from sottovoce.models.als import ALS
from sottovoce.protocols.consensus import Consensus
from sottovoce.state import gathered
from tests.networks import simulate
from tests.simulate.test_observe import crowd, watching

pytestmark = pytest.mark.usefixtures("uncompiled")
MODEL, PEOPLE, ITEMS = ALS(factors=3), 12, 24


def network(watch=None, **protocol):
    parts = {"protocol": Consensus(**protocol), "merge": Simple(), "observation": watch}
    return simulate(MODEL, crowd(PEOPLE, ITEMS), **parts)


def contributions(world):
    """What everybody adds: rows [P, items, w], heads [P, h]."""
    row, head = world.shape.row, world.shape.head
    updates = gathered([ITEMS, 0], row, head, ITEMS)
    rows, heads = np.zeros((PEOPLE, ITEMS, row), np.float32), np.zeros((PEOPLE, head), np.float32)
    for person in range(PEOPLE):
        local_update(world.model, world.tables, person, updates, 0, world.people, person, world.seed)
        some = slice(updates.offset[0], updates.offset[1])
        rows[person, updates.ids[some]], heads[person] = updates.rows[some], updates.head[0]
    return rows, heads


@pytest.mark.parametrize("bits", [8, 32])
@pytest.mark.parametrize("group", [1, 4])
def test_observing_changes_nothing(bits, group):
    watch, seen = watching(nodes=range(PEOPLE), first=1, last=2)
    one, other = (network(each, bits=bits, group=group, fewest=1, spare=0) for each in (watch, None))
    for each in (one, other):
        each.advance(2)
    np.testing.assert_array_equal(one.tables.rows, other.tables.rows)
    np.testing.assert_array_equal(one.tables.head, other.tables.head)
    assert {round for round, _ in seen} == {1, 2}


def test_a_first_push_is_half_of_a_persons_contribution():
    watch, seen = watching(nodes=range(PEOPLE), first=1, last=1)
    world = network(watch, bits=32, group=1)
    rows, heads = contributions(network(bits=32, group=1))
    world.advance(1)
    first = seen[0][1]
    assert set(first["number"].tolist()) == {0}
    assert first["update"].all()
    assert sorted(first["sender"].tolist()) == list(range(PEOPLE))
    for n, sender in enumerate(first["sender"]):
        some = slice(first["offset"][n], first["offset"][n + 1])
        assert first["ids"][some].tolist() == np.flatnonzero(rows[sender, :, -1]).tolist()
        np.testing.assert_array_equal(first["rows"][some], rows[sender, first["ids"][some]] / 2)
        np.testing.assert_allclose(first["head"][n], heads[sender] / 2, rtol=2e-3)
    assert len(seen) == world.driver.pushes


def test_later_pushes_are_what_their_senders_have():
    """All messages and what everybody keeps add up to all contributions, push by push."""
    watch, seen = watching(nodes=range(PEOPLE), first=1, last=1)
    world = network(watch, bits=32, group=1)
    rows, _ = contributions(network(bits=32, group=1))
    world.advance(1)
    held = rows.astype(np.float64)
    for _, record in seen:
        sent = np.zeros_like(held)
        for n, sender in enumerate(record["sender"]):
            some = slice(record["offset"][n], record["offset"][n + 1])
            sent[sender, record["ids"][some]] += record["rows"][some]
        np.testing.assert_allclose(sent[record["sender"]], held[record["sender"]] / 2, rtol=1e-5, atol=1e-7)
        held -= sent
        np.add.at(held, record["observer"], sent[record["sender"]])


def test_members_see_the_sum_of_their_group_and_no_row_of_few():
    watch, seen = watching(nodes=[2], first=1, last=1)
    world = network(watch, bits=32, group=4, fewest=2, spare=1)
    rows, heads = contributions(network(bits=32, group=4))
    world.advance(1)
    (record,) = (record for _, record in seen if "sum_senders" in record)
    members, items = record["sum_senders"], record["sum_items"]
    assert 2 in members
    assert len(members) >= 4
    assert record["sum_observer"].tolist() == [2]
    counts = rows[members, :, -1].sum(axis=0)
    np.testing.assert_array_equal(record["sum_counts"], counts)
    assert items.tolist() == np.flatnonzero(counts >= 3).tolist()
    np.testing.assert_allclose(record["sum_rows"], rows[members][:, items, :-1].sum(axis=0), atol=1e-6)
    np.testing.assert_allclose(record["sum_head"], heads[members].sum(axis=0), rtol=1e-5, atol=1e-5)
    assert len(record["rows"]) == len(record["sender"]) == 0
