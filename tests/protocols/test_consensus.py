"""Consensus: sums without a server give what a server would."""

import numpy as np
import pytest

from sottovoce.combine.none import Replace
from sottovoce.errors import RecipeError
from sottovoce.models.als import ALS
from sottovoce.models.mf import MF
from sottovoce.protocols.central import Central
from sottovoce.protocols.consensus import Consensus, groups
from sottovoce.protocols.gossip import Gossip
from tests.models.test_als import ITEMS, PEOPLE, K, data
from tests.networks import simulate


def network(protocol, model=None):
    return simulate(model or ALS(factors=K), data(), protocol=protocol, merge=Replace())


def test_with_many_pushes_everybody_has_the_central_model():
    central, peers = network(Central(start="common")), network(Consensus(pushes=60, bits=32, group=1))
    for s in (central, peers):
        s.advance(3)
    models = peers.tables.rows.reshape(PEOPLE, ITEMS, K + 1)
    for model in models:
        np.testing.assert_allclose(model, central.tables.rows, rtol=0.02, atol=5e-3)


def test_a_group_of_everybody_sums_exactly_but_withholds_rare_rows():
    central, peers = network(Central(start="common")), network(Consensus(pushes=0, group=PEOPLE, fewest=1))
    for s in (central, peers):
        s.advance(3)
    for model in peers.tables.rows.reshape(PEOPLE, ITEMS, K + 1):
        np.testing.assert_allclose(model, central.tables.rows, rtol=1e-2, atol=2e-3)
    counts = np.bincount(data().item, minlength=ITEMS)
    fewest = int(np.sort(counts)[ITEMS // 2])
    some = network(Consensus(pushes=0, group=PEOPLE, fewest=fewest))
    some.advance(1)
    np.testing.assert_array_equal(some.tables.rows[:ITEMS, K] > 0, counts >= fewest)


@pytest.mark.parametrize(("people", "group", "sizes"), [(943, 128, 7), (100, 128, 1), (9, 1, 9)])
def test_groups_are_as_large_as_asked_for(people, group, sizes):
    first, member = groups(Consensus(group=group), people, 3)
    assert len(first) - 1 == sizes
    assert sorted(member.tolist()) == list(range(people))
    assert np.diff(first).min() >= min(group, people)


def test_messages_and_bytes_are_counted():
    s = network(Consensus(pushes=2, group=1))
    s.advance(1)
    assert s.messages == 2 * PEOPLE
    masked = network(Consensus(pushes=2, group=20))
    masked.advance(1)
    assert masked.messages == 5 * PEOPLE
    assert masked.bytes > s.bytes


def test_als_is_refused_where_nobody_sums():
    with pytest.raises(RecipeError, match="solved from sums"):
        network(Gossip())


def test_models_without_statistics_are_refused():
    with pytest.raises(RecipeError, match="has none"):
        network(Consensus(), MF(factors=2))
