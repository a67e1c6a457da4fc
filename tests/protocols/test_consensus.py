"""Consensus: sums without a server give what a server would."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.errors import RecipeError
from sottovoce.models.als import ALS
from sottovoce.models.mf import MF
from sottovoce.protocols.central import Central
from sottovoce.protocols.consensus import Consensus, grouped, push_count
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.interface import fitted
from tests.models.test_als import ITEMS, PEOPLE, K, data
from tests.networks import ratings, simulate


def network(protocol, model=None, **more):
    own = ALS(factors=K, held=0.0, recency=False)
    return simulate(model or own, data(), protocol=protocol, merge=MFFedAvg(), **more)


def models(simulation):
    return simulation.tables.rows.reshape(simulation.tables.slots, ITEMS, -1)


def test_with_many_pushes_everybody_has_the_central_model():
    central, peers = network(Central(start="common")), network(Consensus(pushes=60, bits=32, group=1))
    for s in (central, peers):
        s.advance(3)
    for model in models(peers):
        np.testing.assert_allclose(model, central.tables.rows, rtol=0.02, atol=5e-3)


@pytest.mark.parametrize("group", [1, PEOPLE])
def test_exact_sums_give_the_central_model(group):
    central = network(Central(start="common"))
    exact = network(Consensus(exact=True, group=group, fewest=1, spare=0))
    for s in (central, exact):
        s.advance(3)
    assert exact.tables.slots == 1
    np.testing.assert_allclose(exact.tables.rows, central.tables.rows, rtol=1e-2, atol=2e-3)


def test_a_model_that_trains_learns_without_a_server_what_it_learns_with_one():
    """MF-FedAvg, summed by push-sum."""
    model = MF(factors=2, step=0.1)
    server = network(Federated(start="common"), model)
    peers = network(Consensus(pushes=60, bits=32, group=1), model)
    exact = network(Consensus(exact=True, group=1), model)
    for s in (server, peers, exact):
        s.advance(4)
    moved = np.abs(server.tables.rows - network(Federated(start="common"), model).tables.rows).max()
    assert moved > 0.05
    np.testing.assert_allclose(exact.tables.rows, server.tables.rows, atol=1e-5)
    for one in models(peers):
        np.testing.assert_allclose(one, server.tables.rows, atol=0.02 * moved)


def test_rows_with_too_few_contributors_are_withheld_and_their_count_is_known():
    counts = np.bincount(data().item, minlength=ITEMS)
    fewest = int(np.sort(counts)[ITEMS // 2])
    some = network(Consensus(group=PEOPLE, fewest=fewest, spare=0))
    some.advance(1)
    rows = models(some)[0]
    np.testing.assert_array_equal(np.abs(rows[:, :K]).max(axis=1) > 0, counts >= fewest)
    np.testing.assert_allclose(rows[:, K], counts / PEOPLE, rtol=1e-3)


def test_a_row_that_is_withheld_for_once_keeps_its_vector():
    counts = np.bincount(data().item, minlength=ITEMS)
    s = network(Consensus(group=PEOPLE, fewest=1, spare=0))
    s.advance(1)
    before = models(s)[0].copy()
    assert (np.abs(before[:, :K]).max(axis=1) > 0).all()
    s.protocol = s.protocol._replace(fewest=int(counts.max()))
    s.advance(1)
    rows, known = models(s)[0], counts == counts.max()
    np.testing.assert_array_equal(rows[~known, :K], before[~known, :K])
    assert (rows[known] != before[known]).any()
    np.testing.assert_allclose(rows[:, K], counts / PEOPLE, rtol=1e-3)


@pytest.mark.parametrize(("people", "group", "sizes"), [(943, 128, 7), (100, 128, 1), (9, 1, 9)])
def test_groups_are_as_large_as_asked_for(people, group, sizes):
    everybody = np.ones(people, np.bool_)
    found = grouped(Consensus(group=group), everybody, everybody, 3, 0)
    assert len(found.first) - 1 == sizes
    assert sorted(found.member.tolist()) == list(range(people))
    assert np.diff(found.first).min() >= min(group, people)
    np.testing.assert_array_equal(found.place, found.member)


def test_a_group_from_which_too_many_drop_out_begins_again_without_them():
    there, stays = np.ones(12, np.bool_), np.ones(12, np.bool_)
    protocol = Consensus(group=6, spare=1)
    groups = grouped(protocol, there, stays, 3, 0)
    one, other = groups.member[:6], groups.member[6:]
    stays[one[:1]] = False
    stays[other[:2]] = False
    found = grouped(protocol, there, stays, 3, 0)
    assert np.diff(found.first).tolist() == [6, 4]
    assert found.stays.tolist() == [0] + [1] * 9
    assert sorted(found.place.tolist()) == sorted([*one[1:].tolist(), *other[2:].tolist()])


@pytest.mark.parametrize(("people", "group", "pushes"), [(943, 1, 13), (943, 128, 6), (100, 128, 0)])
def test_pushes_follow_from_the_number_of_groups(people, group, pushes):
    assert push_count(Consensus(group=group), people) == pushes
    assert push_count(Consensus(group=group, pushes=2), people) == 2


def test_messages_and_bytes_are_counted():
    s = network(Consensus(pushes=2, group=1))
    s.advance(1)
    assert s.messages == 2 * PEOPLE
    masked = network(Consensus(pushes=2, group=20))
    masked.advance(1)
    assert masked.messages > s.messages
    assert masked.bytes > s.bytes


def test_als_is_refused_where_nobody_sums():
    with pytest.raises(RecipeError, match="solved from sums"):
        network(Gossip())


@pytest.mark.parametrize(
    ("asked", "people", "count", "group"),
    [
        (0, 2000, 5000, 160),  # 5 % of 2000 × 50: 8 of 160 people have an item
        (0, 2000, 50_000, 128),
        (0, 2000, 100, 1024),
        (0, 100, 250, 100),  # few people are one group
        (7, 100, 250, 7),
    ],
)
def test_sparse_data_make_larger_groups(asked, people, count, group):
    values = np.zeros(50 * people, int)
    values[np.arange(count) * len(values) // count] = 1
    some = ratings(values.reshape(people, 50).tolist())
    assert fitted(Consensus(group=asked), some).group == group
    assert fitted(Gossip(), some) == Gossip()
