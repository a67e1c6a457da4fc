"""`local-holdout` holds out shares of each person's items, with candidates for each."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.data.splits.local_holdout import LocalHoldout
from tests.data.splits.histories import ITEMS, community, histories, rows_of


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
