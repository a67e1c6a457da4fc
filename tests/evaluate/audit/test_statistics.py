"""Attacks on sums of statistics: exact where one person is in a sum, worthless where enough people are."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.evaluate.audit import statistics
from sottovoce.exchange.update import local_update
from sottovoce.models import als
from sottovoce.models.als import ALS
from sottovoce.protocols.federated import Federated
from sottovoce.state import gathered
from tests.networks import ratings, simulate

pytestmark = pytest.mark.usefixtures("uncompiled")
FACTORS, ITEMS = 6, 60


def contributions(people, seed=1, sweeps=0, density=0.15):
    """What each person of a community adds: rows [P, items, k], heads [P, h], vectors, items, and the model
    before."""
    rng = np.random.default_rng(seed)
    liking = rng.random((people, ITEMS)) < density * (0.3 + 1.4 * rng.random(ITEMS))
    liking[np.arange(people), rng.integers(0, ITEMS, people)] = True
    data = ratings(liking.astype(int).tolist())
    world = simulate(
        ALS(factors=FACTORS, regularization=0.05, held=0.0), data, protocol=Federated(), merge=Simple()
    )
    world.advance(sweeps)
    updates = gathered([ITEMS, 0], FACTORS + 1, world.shape.head, ITEMS)
    rows, heads = np.zeros((people, ITEMS, FACTORS)), np.zeros((people, world.shape.head))
    for person in range(people):
        local_update(world.model, world.tables, 0, updates, 0, world.people, person, 1)
        some = slice(updates.offset[0], updates.offset[1])
        rows[person, updates.ids[some]] = updates.rows[some, :FACTORS]
        heads[person] = updates.head[0]
    return rows, heads, world.people.user[:, :FACTORS].astype(np.float64), liking, world


def summed(rows, own, fewest=1):
    """A group's sum: items, rows and counts; rows of fewer contributors are withheld."""
    counts = own.sum(axis=0)
    items = np.flatnonzero(counts >= fewest)
    return items, rows.sum(axis=0)[items], counts[items]


def attack(found, true, own):
    return statistics.attack([statistics.Seen(found, true, own, np.arange(len(true)))])


def test_the_head_of_one_person_is_the_persons_vector():
    _, heads, true, _, _ = contributions(5)
    found, share = statistics.in_heads(heads, FACTORS)
    cosine = (found * true).sum(axis=1) / np.sqrt((true**2).sum(axis=1))
    np.testing.assert_allclose(np.abs(cosine), 1, atol=1e-5)
    np.testing.assert_allclose(share, 1, atol=1e-4)
    _, mixed = statistics.in_heads(heads.sum(axis=0, keepdims=True), FACTORS)
    assert mixed[0] < 0.9


def test_rows_of_one_contributor_give_vectors_and_items():
    rows, _, true, own, _ = contributions(8)
    items, total, counts = summed(rows, own)
    found = statistics.alone(items, total, counts)
    result = attack(found, true, own)
    single = own[:, own.sum(axis=0) == 1]
    assert result.people.value == pytest.approx(single.any(axis=1).mean())
    assert result.people.guessing == 0
    assert result.right == 1
    assert result.precision.value == 1
    assert result.recall.value == pytest.approx((single.sum(axis=1) / own.sum(axis=1)).mean())
    assert result.recall.value > 2 * result.recall.guessing


def test_withholding_rows_of_few_people_leaves_nobody_alone():
    rows, _, true, own, _ = contributions(8, density=0.4)
    found = statistics.alone(*summed(rows, own, fewest=3))
    result = attack(found, true, own)
    assert result.people.value == 0
    assert np.isnan(result.right)
    assert result.recall.value == 0


def test_differences_of_rows_tell_people_of_small_groups_apart():
    """Rows of three and more people are withheld from nobody, and still give everybody's vector."""
    rows, _, true, own, _ = contributions(6, density=0.5)
    found = statistics.differences(*summed(rows, own, fewest=3))
    small = attack(found, true, own)
    assert small.people.value == 1
    assert small.precision.value == 1
    assert small.recall.value > 0.3
    rows, _, true, own, _ = contributions(60, density=0.5)
    large = attack(statistics.differences(*summed(rows, own, fewest=3)), true, own)
    assert large.people.value == 0


def apart(rows, vectors):
    """1 − cos² of each row with a vector."""
    product = (rows * vectors).sum(axis=1) ** 2
    return 1 - product / ((rows**2).sum(axis=1) * (vectors**2).sum(axis=1))


def test_later_sweeps_need_the_model_which_everybody_has():
    """A row of one contributor is parallel to u once (1 − α) s M y is subtracted."""
    rows, _, true, own, world = contributions(8, sweeps=4)
    items, total, counts = summed(rows, own)
    size, head = FACTORS * (FACTORS + 1) // 2, world.tables.head[0].astype(np.float64)
    other, at = np.zeros((FACTORS, FACTORS)), np.tril_indices(FACTORS)
    other[at] = other[at[::-1]] = als.alikeness(head)[0] * head[size : 2 * size]
    alpha = als.unobserved_weight(world.model, als.mean_count(head), als.choices(head)[0])
    vectors = world.tables.rows[items, :FACTORS].astype(np.float64)
    bare, total = total, statistics.without_model(total, counts, vectors, other, alpha)
    single = counts == 1
    owner = own[:, items[single]].argmax(axis=0)
    assert apart(total[single], true[owner]).max() < 1e-6
    assert apart(bare[single], true[owner]).max() > 1e-4
    result = attack(statistics.alone(items, total, counts), true, own)
    assert result.people.value == (own[:, own.sum(axis=0) == 1].any(axis=1)).mean()
    assert result.precision.value == 1


def test_noise_hides_single_contributors():
    rows, _, true, own, _ = contributions(8)
    items, total, counts = summed(rows, own)
    noisy = total + np.random.default_rng(1).normal(size=total.shape) * np.abs(total).max()
    for found in (statistics.alone(items, noisy, counts), statistics.differences(items, noisy, counts)):
        result = attack(found, true, own)
        assert result.people.value <= 0.15
        assert not result.right > 0.1


def test_parallel_rows_are_found_whatever_their_length_and_sign():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(5, FACTORS))
    which = rng.integers(0, 5, 200)
    rows = vectors[which] * rng.normal(size=200)[:, None]
    found = statistics._parallel(np.arange(200), rows, fewest=2)
    assert len(found.vector) >= 5
    for vector, number in zip(found.vector, range(len(found.vector)), strict=True):
        owners = which[found.item[found.owner == number]]
        assert len(set(owners.tolist())) == 1
        cosine = vector @ vectors[owners[0]] / np.sqrt(vectors[owners[0]] @ vectors[owners[0]])
        assert abs(cosine) == pytest.approx(1)


def test_several_sums_count_everybody_once():
    groups = [contributions(8, seed=seed) for seed in (1, 2)]
    seen = [
        statistics.Seen(statistics.alone(*summed(rows, own)), true, own, np.arange(8) + 8 * n)
        for n, (rows, _, true, own, _) in enumerate(groups)
    ]
    both, apart = statistics.attack(seen), [statistics.attack([one]) for one in seen]
    assert both.people.people == 16
    assert both.people.value == pytest.approx(np.mean([one.people.value for one in apart]))
    assert both.recall.value == pytest.approx(np.mean([one.recall.value for one in apart]))
