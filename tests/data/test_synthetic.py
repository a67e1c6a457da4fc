"""The synthetic community: close to MovieLens 100K, of any size, and worth personalising for."""

from typing import Any

import numpy as np
import pytest

from sottovoce import kernels
from sottovoce.data import synthetic
from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.split import Split
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.errors import RecipeError

SEEDS = (0, 7, 123)


@pytest.fixture(scope="module", params=SEEDS)
def community(request: pytest.FixtureRequest) -> Interactions:
    return load("synthetic", seed=request.param)


def gini(counts: Any) -> float:
    ordered, n = np.sort(counts), len(counts)
    return float((2 * np.arange(1, n + 1) - n - 1) @ ordered / (n * ordered.sum()))


def test_close_to_movielens_100k(community: Interactions) -> None:
    """The figures of MovieLens 100K were measured on its `u.data`."""
    assert (community.people, community.items) == (943, 1682)
    assert len(community) == pytest.approx(100_000, rel=0.01)
    assert community.density == pytest.approx(0.0630, rel=0.01)
    stars = np.bincount(community.value.astype(int), minlength=6)[1:] / len(community)
    assert stars == pytest.approx([0.0611, 0.1137, 0.2715, 0.3417, 0.2120], abs=0.025)
    assert community.value.mean() == pytest.approx(3.53, abs=0.1)
    assert community.value.std() == pytest.approx(1.126, abs=0.05)
    activity = np.diff(community.indptr)
    assert activity.mean() == pytest.approx(106, rel=0.01)
    assert np.median(activity) == pytest.approx(65, rel=0.1)
    assert activity.min() == pytest.approx(20, abs=1)
    popularity = np.bincount(community.item, minlength=community.items)
    assert gini(popularity) == pytest.approx(0.629, abs=0.02)
    assert gini(activity) == pytest.approx(0.472, abs=0.03)
    assert np.median(popularity) == pytest.approx(27, abs=4)
    assert popularity.max() == pytest.approx(583, rel=0.25)


def test_ratings_vary_by_person_and_item_as_in_movielens_100k(community: Interactions) -> None:
    activity = np.diff(community.indptr)
    means = np.add.reduceat(community.value, community.indptr[:-1]) / activity
    assert means.std() == pytest.approx(0.445, abs=0.06)
    popularity = np.bincount(community.item, minlength=community.items)
    liked = np.bincount(community.item, community.value, minlength=community.items) / np.maximum(
        popularity, 1
    )
    spread = np.average((liked - community.value.mean()) ** 2, weights=popularity) ** 0.5
    assert spread == pytest.approx(0.517, abs=0.06)


def test_every_person_in_order_without_repeats(community: Interactions) -> None:
    for begin, end in zip(community.indptr, community.indptr[1:], strict=False):
        assert len(np.unique(community.item[begin:end])) == end - begin
        assert np.all(np.diff(community.time[begin:end]) >= 0)
    assert set(np.unique(community.value)) == {1, 2, 3, 4, 5}


def test_catalogue(community: Interactions) -> None:
    catalog = community.catalog
    assert catalog.titles is not None
    assert catalog.categories is not None
    assert catalog.coordinates is not None
    assert len(set(catalog.titles)) == len(catalog)
    assert len(set(catalog.categories)) == 18
    assert all(kind[0] in title for kind, title in zip(catalog.categories, catalog.titles, strict=True))
    assert catalog.coordinates.shape == (1682, 2)
    groups = np.array([kind[0] for kind in catalog.categories])
    within = [catalog.coordinates[groups == group].std(axis=0) for group in np.unique(groups)]
    assert np.mean(catalog.coordinates.std(axis=0)) > 2 * np.mean(within)


def hit_rate(split: Split, scores: Any, k: int = 20) -> float:
    """The share of test items with fewer than k of their 100 candidates scored as high."""
    who = np.repeat(np.arange(split.test.people), np.diff(split.test.indptr))
    rivals = scores[who[:, None], split.candidates]
    return float(np.mean((rivals >= scores[who, split.test.item][:, None]).sum(axis=1) < k))


def als(split: Split, factors: int = 16, weight: float = 0.05, decay: float = 2.0, rounds: int = 5) -> Any:
    """Implicit ALS (Hu, Koren & Volinsky 2008), all people at once: scores for every pair."""
    seen = np.zeros((split.train.people, split.train.items), np.float32)
    seen[np.repeat(np.arange(len(seen)), np.diff(split.train.indptr)), split.train.item] = 1

    def solve(seen: Any, other: Any) -> Any:
        outer = (other[:, :, None] * other[:, None, :]).reshape(len(other), -1)
        gram = (1 - weight) * (seen @ outer).reshape(-1, factors, factors)
        gram += weight * other.T @ other + decay * np.eye(factors, dtype=np.float32)
        return np.linalg.solve(gram, (seen @ other)[:, :, None])[:, :, 0]

    items = np.random.default_rng(0).normal(0, 0.1, (split.train.items, factors)).astype(np.float32)
    for _ in range(rounds):
        people = solve(seen, items)
        items = solve(seen.T, people)
    return solve(seen, items) @ items.T


def test_a_personalized_model_clearly_beats_popularity(community: Interactions) -> None:
    """On MovieLens 100K, with this split: popularity 0.726, the same ALS 0.88."""
    split = LocalHoldout().split(community, 1)
    popular = np.bincount(split.train.item, minlength=split.train.items).astype(float)
    by_popularity = hit_rate(split, np.tile(popular, (split.train.people, 1)))
    assert by_popularity == pytest.approx(0.726, abs=0.03)
    assert hit_rate(split, als(split)) > by_popularity + 0.12


def test_seeds() -> None:
    one, same, other = (load("synthetic", users=50, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.item, same.item)
    assert np.array_equal(one.value, same.value)
    assert np.array_equal(one.time, same.time)
    assert one.catalog.titles == same.catalog.titles
    assert not np.array_equal(one.item[:50], other.item[:50])


def test_one_and_two_threads_agree() -> None:
    def items(threads: int) -> Any:
        with kernels.set_threads(threads):
            return load("synthetic", users=100, seed=3)

    one, two = items(1), items(2)
    for name in ("item", "value", "time"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_compiled_equals_plain_python() -> None:
    goods = synthetic.goods(5, 40, 3)
    indptr = np.concatenate(([0], np.cumsum(synthetic.activity(5, 12, 40, 8.0))))

    def filled(fill: Any) -> list[Any]:
        arrays = [np.empty(indptr[-1], kind) for kind in (np.int32, np.float32, np.int64)]
        fill(5, goods, indptr, *arrays)
        return arrays

    for compiled, plain in zip(filled(synthetic.fill), filled(synthetic.fill.plain), strict=True):
        assert np.array_equal(compiled, plain)


@pytest.mark.parametrize(
    "settings",
    [
        {"users": 2, "items": 10},
        {"users": 50, "items": 100, "mean": 25},
        {"users": 50, "items": 60, "groups": 200},
        {"users": 3000, "mean": 5},
        {"users": 100, "items": 20_000, "mean": 40, "groups": 1},
    ],
)
def test_any_size(settings: dict[str, Any]) -> None:
    data = load("synthetic", **settings)
    assert (data.people, data.items) == (settings["users"], settings.get("items", 1682))
    if "mean" in settings:
        assert len(data) / data.people == pytest.approx(settings["mean"], rel=0.05)
    for begin, end in zip(data.indptr[:200], data.indptr[1:201], strict=False):
        assert len(np.unique(data.item[begin:end])) == end - begin >= 1
    assert data.item.min() >= 0
    assert data.item.max() < data.items


def test_settings_are_checked() -> None:
    with pytest.raises(RecipeError, match=r"data\.users"):
        load("synthetic", users=1)
    with pytest.raises(RecipeError, match=r"data\.user is not .* 'users'"):
        load("synthetic", user=100)
    with pytest.raises(RecipeError, match=r"too much for 100 items.*25"):
        load("synthetic", items=100, mean=30)
