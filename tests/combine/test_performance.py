"""`performance` weighs models by their quality for the receiver (Algorithm 2, Belal et al. 2022)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.combine.interface import merge_statistic, weight
from sottovoce.combine.merge import merge
from sottovoce.combine.performance import Performance
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.models.mf import MF
from sottovoce.peers.interface import renew
from sottovoce.peers.personalized import Personalized
from sottovoce.protocols.gossip import Gossip
from sottovoce.state import new_receivers, remember
from tests.combine.merging import shares
from tests.networks import advance_slowly, assert_same, ratings, simulate


def community(people=12, items=30, seed=1):
    """Ratings, and others of the same people to weigh models with, each among five candidates."""
    rng = np.random.default_rng(seed)
    drawn = rng.permuted(np.tile(np.arange(items), (people, 1)), axis=1)
    table, held = np.zeros((people, items)), np.zeros((people, items))
    for person in range(people):
        table[person, drawn[person, :8]] = rng.integers(1, 6, 8)
        held[person, drawn[person, 8:12]] = 5
    weighting = ratings(held.tolist())
    candidates = np.repeat(drawn[:, 12:17], 4, axis=0).astype(np.int32)
    candidates[::3, -1] = -1
    return ratings(table.tolist()), {"weighting": weighting, "candidates": candidates}


def test_quality_is_what_evaluation_measures():
    """A model's quality equals the metric of the same name with the weighting set as the test set."""
    from sottovoce.data.split import Split, no_candidates

    data, parts = community()
    simulation = simulate(MF(factors=3), data, merge=Performance(k=2), **parts)
    simulation.advance(3)
    split = Split("test", data, parts["weighting"], None, parts["candidates"], no_candidates(None))
    state = simulation.model, simulation.tables, simulation.people
    found = evaluate(*state, split, ks=(2,), metrics=("hr", "ndcg", "f1-list")).per_user
    wanted = {
        "hr": found["hr@2"],
        "ndcg": found["ndcg@2"],
        "hr*ndcg": found["hr@2"] * found["ndcg@2"],
        "f1": found["f1-list@2"],
    }
    for metric, values in wanted.items():
        rule = Performance(metric, k=2)
        everybody = range(data.people)
        ours = [merge_statistic(rule, *state[:2], person, state[2], person, 1) for person in everybody]
        np.testing.assert_allclose(ours, values, rtol=1e-6, err_msg=metric)
        assert len(set(ours)) > 1


def test_who_cannot_tell_takes_the_mean():
    data, parts = community()
    parts["weighting"] = ratings((np.eye(12, 30) * 5).tolist())
    parts["candidates"] = parts["candidates"][:12]
    simulation = simulate(MF(factors=3), data, merge=Performance(), **parts)
    state = simulation.merge, simulation.model, simulation.tables, 0, simulation.people, 0, 1
    assert merge_statistic(*state) == 1
    assert weight(simulation.merge, 1.0, 1.0) == 0.5


@pytest.mark.parametrize(("mine", "theirs", "share"), [(1, 3, 0.75), (0, 0, 0), (2, 0, 0), (0, 2, 1)])
def test_models_of_no_quality_have_no_weight(mine, theirs, share):
    assert weight(Performance(), float(mine), float(theirs)) == share


def test_models_are_merged_by_their_quality():
    """A person with two weighting items: the own model ranks one of them first, the incoming one both."""
    data, held = ratings([[5, 0, 0, 0], [5, 0, 0, 0]]), ratings([[0, 5, 5, 0], [0, 0, 0, 0]])
    parts = {"weighting": held, "candidates": np.full((2, 1), 3, np.int32)}
    simulation = simulate(MF(factors=3), data, merge=Performance(k=1), **parts)
    tables, rows = simulation.tables, simulation.tables.rows.reshape(2, 4, 4)
    simulation.people.user[:], rows[:] = 0, 0
    rows[0, :, 3] = 0, 2, 0, 1  # biases alone: item 1 before the candidate, item 2 behind it
    rows[1, :, 3] = 0, 4, 2, 1
    state = simulation.merge, simulation.model, tables
    assert [merge_statistic(*state, slot, simulation.people, 0, 1) for slot in (0, 1)] == [0.5, 1]
    merge(*state, 0, tables, 1, simulation.people, 0, 1, False)
    np.testing.assert_allclose(rows[0, :, 3], [0, 2 + 2 * 2 / 3, 2 * 2 / 3, 1], rtol=1e-6)


def test_who_has_no_weighting_set_takes_the_mean():
    found = shares(Performance())
    assert found.rows == pytest.approx([1 / 2, 1 / 2])
    assert found.head == pytest.approx(1 / 2)
    assert (found.age, found.clock) == ([3, 3], 9)


def test_a_network_with_personal_peers_equals_the_slow_one():
    data, parts = community()
    peers = Personalized(view=2, exploration=0.5, refresh=2, remember=3, cache=4)
    parts |= {"merge": Performance("hr*ndcg", k=2), "peers": peers, "protocol": Gossip(pushes=2)}
    fast, slow, resumed = (simulate(MF(factors=3), data, **parts) for _ in range(3))
    fast.advance(7)
    for rounds in (2, 2, 2, 1):
        if slow.round:
            renew(peers, slow.views, slow.receivers.heard, slow.timing, slow.seed, slow.round)
        advance_slowly(slow, rounds)
    assert_same(fast, slow)
    np.testing.assert_array_equal(fast.receivers.heard, slow.receivers.heard)
    np.testing.assert_array_equal(fast.views.neighbours, slow.views.neighbours)
    assert (fast.receivers.heard >= 0).all()
    resumed.advance(4)
    later = simulate(MF(factors=3), data, **parts)
    later.restore({name: array.copy() for name, array in resumed.state().items()})
    later.advance(3)
    assert_same(fast, later)
    np.testing.assert_array_equal(fast.views.cache, later.views.cache)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=30), st.integers(1, 5))
def test_memory_is_sorted_and_keeps_the_latest(events, size):
    receivers = new_receivers(1, size)
    kept: list[tuple[int, float]] = []
    for sender, quality in events:
        remember(receivers, 0, sender, np.float32(quality))
        kept = [(float(quality), sender), *(entry for entry in kept if entry[1] != sender)]
        kept = sorted(kept, key=lambda entry: -entry[0])[:size]
        heard = [int(n) for n in receivers.heard[0] if n >= 0]
        assert heard == [sender for _, sender in kept]
        assert receivers.quality[0, : len(heard)].tolist() == [quality for quality, _ in kept]
