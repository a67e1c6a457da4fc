"""What splits at random have in common: chances, threads, seeds, hashes, settings."""

import numpy as np
import pytest

from sottovoce import kernels, registry
from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.split import Split
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.data.splits.rating import Rating
from sottovoce.errors import RecipeError
from tests.data.splits.histories import ITEMS, community


def test_all_items_are_equally_likely() -> None:
    data = community([list(range(10))] * 400)
    split = LocalHoldout(0.2, 0.2, candidates=5).split(data, 3)
    assert np.bincount(split.test.item, minlength=10)[:10] == pytest.approx(80, abs=32)
    assert np.bincount(split.candidates.ravel(), minlength=ITEMS)[10:] == pytest.approx(200, abs=60)
    rating = Rating(2).split(data, 3)
    assert np.bincount(rating.test.item, minlength=10)[:10] == pytest.approx(80, abs=32)


@pytest.mark.parametrize("name", ["rating", "local-holdout"])
def test_one_and_two_threads_agree_and_seeds_differ(name: str) -> None:
    data = load("synthetic", users=60, items=200, seed=1)
    scheme = registry.build("split", name, {}, "split")

    def hashed(threads: int, seed: int) -> str:
        with kernels.set_threads(threads):
            split: Split = scheme.split(data, seed)
            return split.hash

    assert hashed(1, 5) == hashed(2, 5)
    assert hashed(1, 5) != hashed(1, 6)


def test_the_hash_covers_everything() -> None:
    histories = [[1, 2, 3, 4], [2, 3, 5, 6]]
    data = community(histories)

    def parts(data: Interactions) -> Split:
        return LocalHoldout(candidates=3).split(data, 0)

    one = parts(data)
    assert parts(community(histories)).hash == one.hash
    assert parts(community(histories, ITEMS + 1)).hash != one.hash
    for name in ("train", "test", "weighting"):
        part = getattr(one, name)
        fields = {
            n: getattr(one, n) for n in ("train", "test", "weighting", "candidates", "weighting_candidates")
        }
        changed = Interactions(**{**vars(part), "value": part.value + 1})
        assert Split(one.name, **{**fields, name: changed}).hash != one.hash
    assert Split(one.name, **{**fields, "candidates": one.candidates + 1}).hash != one.hash
    assert Split("other", **fields).hash != one.hash


def test_settings_are_checked() -> None:
    for bad in ({"test": 0}, {"test": 1.0}, {"weighting": -0.1}, {"candidates": 0}):
        with pytest.raises(RecipeError, match=r"split\."):
            registry.build("split", "local-holdout", bad, "split")
    with pytest.raises(RecipeError, match=r"split\.holdout"):
        registry.build("split", "rating", {"holdout": 0}, "split")
    with pytest.raises(RecipeError, match="nothing to train on"):
        LocalHoldout(0.5, 0.5).split(community([[1, 2, 3]]), 0)


def test_a_manifest_says_what_was_used() -> None:
    data = community([[1, 2, 3, 4], [2, 3, 5, 6], [7]])
    one, two = (LocalHoldout(candidates=3).split(data, seed) for seed in (0, 1))
    said = one.manifest()
    assert said["sha256"] == one.hash
    assert said["split"] == one.name
    assert said["people"]["count"] == 3
    assert said["items"]["count"] == ITEMS
    assert said["parts"]["train"]["interactions"] == len(one.train)
    assert said["parts"]["test"]["people"] == 2
    assert said["candidates"]["test"]["each"] == 3
    assert said == LocalHoldout(candidates=3).split(data, 0).manifest()
    assert said["items"] == two.manifest()["items"]
    assert said["candidates"] != two.manifest()["candidates"]
    plain = Rating(1).split(data, 0).manifest()
    assert list(plain["parts"]) == ["train", "test"]
    assert plain["candidates"] == {}
