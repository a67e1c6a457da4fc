"""Splits and candidates against slow references, and what they promise about every person."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels, registry
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.load import load
from sottovoce.data.split import Split
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.data.splits.rating import Rating
from sottovoce.errors import RecipeError

ITEMS = 30


def community(histories: list[list[int]], items: int = ITEMS) -> Interactions:
    pairs = [(person, item) for person, history in enumerate(histories) for item in history]
    user, item = zip(*pairs, strict=True)
    catalog = Catalog("c", np.array([str(n) for n in range(items)]))
    return build("c", user, item, np.arange(len(pairs)) % 5 + 1, catalog=catalog)


histories = st.lists(st.lists(st.integers(0, ITEMS - 1), min_size=1, max_size=40), min_size=1, max_size=12)


def rows_of(data: Interactions, person: int) -> list[tuple[int, float]]:
    part = slice(data.indptr[person], data.indptr[person + 1])
    return list(zip(data.item[part].tolist(), data.value[part].tolist(), strict=True))


def rating_reference(data: Interactions, holdout: int, seed: int, person: int) -> list[int]:
    """The held-out places: each place in turn, with the chance that is left over places left."""
    key = kernels.stream(seed, kernels.SPLIT, person, 0)
    count = len(rows_of(data, person))
    chosen: list[int] = []
    for n in range(count if count > holdout else 0):
        if kernels.uniform(key, n) < (holdout - len(chosen)) / (count - n):
            chosen.append(n)
    return chosen


@given(histories, st.integers(1, 12), st.integers(0, 2**31))
def test_rating(histories: list[list[int]], holdout: int, seed: int) -> None:
    data = community(histories)
    split = Rating(holdout).split(data, seed)
    for person in range(data.people):
        rows = rows_of(data, person)
        chosen = rating_reference(data, holdout, seed, person)
        assert len(chosen) == (holdout if len(rows) > holdout else 0)
        assert rows_of(split.test, person) == [rows[n] for n in chosen]
        assert rows_of(split.train, person) == [row for n, row in enumerate(rows) if n not in chosen]
    assert split.weighting is None
    assert split.candidates.shape == (len(split.test), 0)
    assert split.weighting_candidates.shape == (0, 0)


def holdout_reference(items: set[int], settings: LocalHoldout, seed: int, person: int) -> dict[int, str]:
    """Each distinct item in turn, to the test set, the weighting set or training, by what is left of each."""
    key = kernels.stream(seed, kernels.SPLIT, person, 0)
    left = {"test": 0, "weighting": 0}
    if len(items) >= 3:
        if settings.weighting:
            left["weighting"] = max(1, int(settings.weighting * len(items) + 0.5))
        room = len(items) - 1
        left["test"] = min(max(1, int(settings.test * len(items) + 0.5)), room - bool(settings.weighting))
        left["weighting"] = min(left["weighting"], room - left["test"])
    parts = {}
    for n, item in enumerate(sorted(items)):
        chance = kernels.uniform(key, n) * (len(items) - n)
        part = next(
            (p for p, upto in zip(left, np.cumsum(list(left.values())), strict=True) if chance < upto),
            "train",
        )
        parts[item] = part
        if part != "train":
            left[part] -= 1
    return parts


def candidates_reference(
    items: int, seen: set[int], wanted: int, rows: int, seed: int, person: int, step: int
):
    """Row by row the first steps of a shuffle of the unseen items."""
    key = kernels.stream(seed, kernels.NEGATIVES, person, step)
    pool = [item for item in range(items) if item not in seen]
    for row in range(rows):
        for n in range(min(wanted, len(pool))):
            other = n + kernels.below(key, row * wanted + n, len(pool) - n)
            pool[n], pool[other] = pool[other], pool[n]
        yield (pool + [-1] * wanted)[:wanted]


shares = st.sampled_from([(0.15, 0.15), (0.15, 0.0), (0.5, 0.45), (0.01, 0.9), (0.34, 0.2)])


@given(histories, shares, st.sampled_from([1, 7, 25]), st.integers(0, 2**31))
def test_local_holdout(
    histories: list[list[int]], shares: tuple[float, float], wanted: int, seed: int
) -> None:
    data = community(histories)
    settings = LocalHoldout(*shares, candidates=wanted)
    split = settings.split(data, seed)
    assert (split.weighting is None) == (shares[1] == 0)
    for person in range(data.people):
        rows = rows_of(data, person)
        seen = {item for item, _ in rows}
        parts = holdout_reference(seen, settings, seed, person)
        assert rows_of(split.train, person) == [row for row in rows if parts[row[0]] == "train"]
        for step, name, held, candidates in (
            (1, "test", split.test, split.candidates),
            (2, "weighting", split.weighting, split.weighting_candidates),
        ):
            if held is None:
                continue
            expected = [row for row in rows if parts[row[0]] == name]
            assert rows_of(held, person) == expected
            drawn = candidates[held.indptr[person] : held.indptr[person + 1]].tolist()
            assert drawn == list(
                candidates_reference(data.items, seen, wanted, len(expected), seed, person, step)
            )


@given(histories, st.integers(0, 100))
@settings(max_examples=30)
def test_what_local_holdout_promises(histories: list[list[int]], seed: int) -> None:
    data = community(histories)
    split = LocalHoldout(candidates=25).split(data, seed)
    assert split.weighting is not None
    for person in range(data.people):
        train, test, weighting = (
            {item for item, _ in rows_of(part, person)} for part in (split.train, split.test, split.weighting)
        )
        seen = {item for item, _ in rows_of(data, person)}
        assert train | test | weighting == seen
        assert len(train) + len(test) + len(weighting) == len(seen)
        assert train
        assert bool(test) == bool(weighting) == (len(seen) >= 3)
        if len(seen) >= 3:
            assert len(test) == len(weighting) == max(1, int(0.15 * len(seen) + 0.5))
        for row in split.candidates[split.test.indptr[person] : split.test.indptr[person + 1]]:
            drawn = [item for item in row.tolist() if item >= 0]
            assert len(set(drawn)) == len(drawn) == min(25, ITEMS - len(seen))
            assert not seen & set(drawn)


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
