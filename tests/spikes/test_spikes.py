"""Before the layout of state is called done: protocols and rules of later work run through the same
drivers, without a special case in them, and equal the slow network."""

import numpy as np
from hypothesis import given, settings

from sottovoce.combine.linear import Linear
from sottovoce.combine.merge import merge
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.protocols.gossip import Gossip
from tests.networks import advance_slowly, assert_same, communities, ratings, simulate
from tests.spikes.clusters import Clusters


def groups(count=24, items=24, seed=3):
    """Two tastes, half of each consumed."""
    rng = np.random.default_rng(seed)
    liked = (np.arange(count)[:, None] % 2) == (np.arange(items)[None, :] % 2)
    return ratings((5 * (liked & (rng.random((count, items)) < 0.6))).tolist()), liked


def separation(simulation, liked):
    """How often a liked item scores above one that is not, over people."""
    from sottovoce.models.interface import score

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
    fast, slow = (simulate(GMF(factors=6, epochs=2), data) for _ in range(2))
    fast.advance(3)
    advance_slowly(slow, 3)
    np.testing.assert_allclose(fast.tables.rows, slow.tables.rows, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(fast.tables.head, slow.tables.head, rtol=1e-3, atol=1e-5)
    np.testing.assert_array_equal(fast.tables.age, slow.tables.age)


def test_gmf_learns_under_gossip():
    data, liked = groups()
    simulation = simulate(GMF(factors=6, epochs=2, step=0.03), data, protocol=Gossip(pushes=2))
    simulation.advance(200)
    assert separation(simulation, liked) > 0.8  # chance is 0.5, popularity too


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


def test_row_age_rule_weighs_the_head_by_the_clock():
    """A head belongs to no row, so rows that are older there do not count for it."""
    data, _ = groups()
    simulation = simulate(GMF(factors=6), data, merge=Linear())
    simulation.advance(1)
    tables, people = simulation.tables, simulation.people
    tables.clock[:2] = 6, 2
    tables.age[: data.items], tables.age[data.items : 2 * data.items] = 1, 9
    mine, theirs = tables.head[0].copy(), tables.head[1].copy()
    assert (mine != theirs).any()
    merge(simulation.merge, simulation.model, tables, 0, tables, 1, people, 0, simulation.seed, False)
    np.testing.assert_allclose(tables.head[0], 0.75 * mine + 0.25 * theirs, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(tables.head[1], theirs)
