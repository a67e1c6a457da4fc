"""Items that are held back where there are no weighting sets: they serve as such, and then for training."""

from types import SimpleNamespace

import numpy as np

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.kernels import HELD, stream, uniform
from sottovoce.models.als import ALS
from sottovoce.models.chosen import CHOSEN, SCORES
from sottovoce.models.held_back import FEWEST, RIVALS, parted
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation
from sottovoce.state import each_alone, new_people, new_weighting
from tests.networks import ratings

PEOPLE, ITEMS, K, SHARE, SETTLED = 40, 30, 3, 0.3, 4


def data():
    rng = np.random.default_rng(5)
    taste = rng.normal(size=(PEOPLE, 2)) @ rng.normal(size=(2, ITEMS)) + rng.normal(size=ITEMS)
    values = (taste > 0.3).astype(int)
    values[0] = [1, 1] + [0] * (ITEMS - 2)  # too few to hold any back
    return ratings(values.tolist())


def person(items, weighting=None):
    """People, of whom there is one, with these items."""
    indptr, item = np.array([0, len(items)]), np.array(items, np.int32)
    return new_people(K, indptr, item, np.ones(len(items), np.float32), each_alone(1), weighting)


def network(train, weighting=None, candidates=None, **settings):
    model = ALS(factors=K, patience=2, regularization=1.0, **settings)
    everybody = {"merge": Simple(), "peers": None, "rounds": 9}
    return Simulation(
        model, Federated(start="common"), train, 1, **everybody, weighting=weighting, candidates=candidates
    )


def chosen(s):
    return s.tables.head[0, -2 - CHOSEN : -2].copy()


def test_what_is_held_back_depends_on_person_and_item_alone():
    items = np.random.default_rng(1).permutation(50)[:20]
    trained, held, rivals = parted(SHARE, 50, person(items), 0, 7)
    key = stream(7, HELD, 0, 0)
    expected = [item for item in items if uniform(key, item) < SHARE]
    assert held.tolist() == expected[::-1], "the latest first"
    assert trained.tolist() == [item for item in items if item not in expected]
    assert 0 < len(held) < 20
    assert rivals.shape == (len(held), RIVALS)
    assert not np.isin(rivals, items).any()
    assert 0.3 < (rivals >= 0).mean() < 0.9  # 30 of 50 items are unknown
    later = np.append(items, 49 if 49 not in items else 48)
    assert set(parted(SHARE, 50, person(later), 0, 7)[1][-len(held) :]) == set(held)


def test_who_has_a_weighting_set_or_few_items_holds_nothing_back():
    part = SimpleNamespace(indptr=np.array([0, 2]), item=np.array([8, 9]))
    drawn = np.array([[1, 2], [3, -1]], np.int32)
    own = list(range(7))
    trained, wanted, rivals = parted(0.9, 12, person(own, new_weighting(1, part, drawn)), 0, 1)
    assert (trained.tolist(), wanted.tolist()) == (own, [8, 9])
    np.testing.assert_array_equal(rivals, drawn)
    few = own[: FEWEST - 1]
    assert parted(0.9, 12, person(few), 0, 1)[0].tolist() == few
    assert parted(0.0, 12, person(own), 0, 1)[0].tolist() == own


def test_what_is_held_back_serves_as_weighting_set_and_then_for_training():
    train = data()
    ours = network(train, held=SHARE, settled=SETTLED)
    aside, drawn = np.zeros(len(train), np.bool_), []
    for n in range(PEOPLE):
        _, held, rivals = parted(SHARE, ITEMS, ours.people, n, ours.seed)
        own = slice(train.indptr[n], train.indptr[n + 1])
        aside[own] = np.isin(train.item[own], held)
        drawn.append(rivals[::-1] if len(held) else np.empty((0, RIVALS), np.int32))
    given = network(train.take(~aside), train.take(aside), np.concatenate(drawn), held=0.0)
    for s in (ours, given):
        s.advance(SETTLED)
    np.testing.assert_allclose(ours.tables.rows, given.tables.rows, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(chosen(ours), chosen(given), atol=1e-3)
    assert np.abs(chosen(ours)[:2]).max() > 0.1, "settings moved"
    assert ours.tables.head[0, -2] < np.diff(train.indptr).mean()
    before = chosen(ours)
    ours.advance(2)
    assert ours.tables.head[0, -2] == np.float32(np.diff(train.indptr).mean())
    np.testing.assert_allclose(
        ours.tables.rows[:, K], np.bincount(train.item, minlength=ITEMS) / PEOPLE, rtol=0.1
    )
    np.testing.assert_allclose(chosen(ours)[:2], before[:2], atol=1e-6)
    np.testing.assert_array_equal(chosen(ours)[SCORES:], before[SCORES:])


def test_with_weighting_sets_it_changes_nothing():
    split = LocalHoldout(candidates=8).split(data(), 1)
    parts = split.train, split.weighting, split.weighting_candidates
    some, none = network(*parts, held=0.5), network(*parts, held=0.0, recency=False)
    for s in (some, none):
        s.advance(3)
        s.own()
    np.testing.assert_array_equal(some.tables.rows, none.tables.rows)
    np.testing.assert_array_equal(some.tables.head, none.tables.head)
    np.testing.assert_array_equal(some.people.user, none.people.user)
