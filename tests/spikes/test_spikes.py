"""Before the layout of state is called done: models and protocols of later work run through the
same drivers, without a special case in them, and equal the slow network."""

import numpy as np
import pytest
from hypothesis import given, settings

from sottovoce.combine.linear import Linear
from sottovoce.models.mf import MF
from sottovoce.protocols import start
from sottovoce.protocols.gossip import Gossip
from sottovoce.state import people, whole
from tests.networks import advance_slowly, assert_same, communities, ratings, simulate
from tests.spikes.clusters import Clusters
from tests.spikes.federated import federated_round
from tests.spikes.gmf import GMF
from tests.spikes.performance import Performance


def groups(count=24, items=24, seed=3):
    """Two tastes, half of each consumed."""
    rng = np.random.default_rng(seed)
    liked = (np.arange(count)[:, None] % 2) == (np.arange(items)[None, :] % 2)
    return ratings((5 * (liked & (rng.random((count, items)) < 0.6))).tolist()), liked


def separation(simulation, liked):
    """How often a liked item scores above one that is not, over people."""
    from sottovoce.models import score

    shares = []
    for slot in range(simulation.tables.slots):
        for person in simulation.people.member[
            simulation.people.first[slot] : simulation.people.first[slot + 1]
        ]:
            state = simulation.model, simulation.tables, slot, simulation.people, person
            values = np.array([score(*state, j) for j in range(liked.shape[1])])
            shares.append((values[liked[person]][:, None] > values[~liked[person]]).mean())
    return np.mean(shares)


@settings(max_examples=10)
@given(communities(items=(3, 8)))
def test_gmf_gossip_equals_the_slow_network(data):
    if len(data) == 0:
        return
    fast, slow = (simulate(GMF(factors=3), data) for _ in range(2))
    fast.advance(3)
    advance_slowly(slow, 3)
    np.testing.assert_allclose(fast.tables.rows, slow.tables.rows, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(fast.tables.head, slow.tables.head, rtol=1e-3, atol=1e-5)
    np.testing.assert_array_equal(fast.tables.age, slow.tables.age)


def test_gmf_learns_under_gossip():
    data, liked = groups()
    simulation = simulate(GMF(factors=3, step=0.03), data, protocol=Gossip(pushes=2))
    simulation.advance(200)
    assert separation(simulation, liked) > 0.9  # chance is 0.5, popularity too


@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=3)], ids=["mf", "gmf"])
def test_federated_round_on_gathered_rows_equals_whole_tables(model):
    """A participant that holds only the rows it touches changes them as one that holds all."""
    data, _ = groups()
    persons = np.array([1, 4, 7, 8, 9, 10, 15, 20, 21], np.int32)
    alone_with_all = simulate(model, data)
    shape = alone_with_all.shape
    server = whole(1, data.items, shape.row, shape.head)
    crowd = people(shape.user, data.indptr, data.item, data.value, np.zeros(data.people, np.int32), 1)
    start(alone_with_all.model, server, crowd, 1, True)
    before = server.rows.copy()
    updates = federated_round(alone_with_all.model, server, crowd, persons, 1)

    from sottovoce.combine.none import Replace
    from sottovoce.protocols import alone, execute

    s = alone_with_all
    tables = s.tables, s.snapshots, s.reference
    execute(alone(data.people), Replace(), s.model, s.chain, *tables, s.people, 1, batch=data.people)
    total, contributors = np.zeros_like(before), np.zeros(data.items)
    for n, person in enumerate(persons):
        held = updates.ids[updates.offset[n] : updates.offset[n + 1]]
        change = s.tables.rows.reshape(data.people, data.items, -1)[person] - before
        np.testing.assert_array_equal(updates.rows[updates.offset[n] : updates.offset[n + 1]], change[held])
        np.testing.assert_array_equal(np.delete(change, held, axis=0), 0)
        np.testing.assert_array_equal(crowd.user[person], s.people.user[person])
        total[held] += change[held]
        contributors[held] += 1
    expected = before + total / np.maximum(contributors, 1)[:, None]
    np.testing.assert_allclose(server.rows, expected, rtol=1e-6, atol=1e-7)
    assert (server.age == (contributors > 0)).all()


@settings(max_examples=10)
@given(communities())
def test_clusters_share_a_table(data):
    fast, slow = (simulate(MF(factors=3), data, protocol=Clusters(size=2)) for _ in range(2))
    if fast.tables.slots < 2:
        return
    assert fast.tables.slots == -(-data.people // 2)
    fast.advance(3)
    advance_slowly(slow, 3)
    assert_same(fast, slow)


def test_performance_merging_scores_the_senders_table_with_the_receivers_person():
    data, _ = groups()
    weighting, _ = groups(seed=9)
    parts = {"merge": Performance(k=5, candidates=20), "weighting": weighting}
    fast, slow = (simulate(MF(factors=3), data, **parts) for _ in range(2))
    fast.advance(5)
    advance_slowly(slow, 5)
    assert_same(fast, slow)


def test_performance_merging_ignores_a_worthless_model():
    data, _ = groups()
    simulation = simulate(
        GMF(factors=3), data, merge=Performance(k=1, candidates=5), weighting=data, protocol=Gossip(pushes=2)
    )
    simulation.advance(40)
    from sottovoce.combine import standing

    s = simulation
    good = standing(s.merge, s.model, s.tables, 0, s.people, 0, 1)
    broken = type(s.tables)(*(a.copy() for a in s.tables))
    broken.rows[:] = 0
    bad = standing(s.merge, s.model, broken, 0, s.people, 0, 1)
    assert good > bad == 0


def test_row_age_rule_weighs_the_head_by_the_clock():
    data, _ = groups()
    simulation = simulate(GMF(factors=3), data, merge=Linear())
    simulation.advance(3)
    heads = simulation.tables.head
    assert np.isfinite(heads).all()
    assert len(np.unique(heads[:, 0])) > 1
