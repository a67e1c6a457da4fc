"""Items that come later, against a queue that is written down one person and one item at a time."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.arrivals import Arrivals
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.data.splits.rating import Rating

ITEMS = 40
histories = st.lists(
    st.lists(st.tuples(st.integers(0, 24), st.integers(0, 9)), min_size=1, max_size=40),
    min_size=1,
    max_size=8,
)


def community(histories) -> Interactions:
    """People who met items at some time, some of them several times."""
    rows = [(person, item, time) for person, history in enumerate(histories) for item, time in history]
    user, item, time = zip(*rows, strict=True)
    catalog = Catalog("c", np.array([str(n) for n in range(ITEMS)]))
    return build("c", user, item, np.ones(len(rows)), time, catalog=catalog)


def held(part: Interactions, person: int) -> list[int]:
    """What a person has, in order of time."""
    return part.item[part.indptr[person] : part.indptr[person + 1]].tolist()


def met(train: Interactions, weighting: Interactions, person: int) -> list[int]:
    """The person's items by when they were first met; at one time, training comes first."""
    rows = [
        (part.time[n], place, n, part.item[n])
        for place, part in enumerate((train, weighting))
        for n in range(part.indptr[person], part.indptr[person + 1])
    ]
    return list(dict.fromkeys(int(item) for *_, item in sorted(rows)))


@given(histories, st.floats(0, 0.99), st.floats(0, 1), st.booleans(), st.integers(0, 99))
def test_a_queue(histories, share, part, refresh, seed):
    split = LocalHoldout(candidates=5).split(community(histories), seed)
    train, weighting, candidates = Arrivals(split, share, refresh, seed).after(part)
    assert len(candidates) == len(weighting)
    for person in range(train.people):
        order = met(split.train, split.weighting, person)
        judging = [item for item in order if item in held(split.weighting, person)]
        known = [item for item in order if item not in judging]
        later = known[len(known) - int(share * len(known)) :]
        known, came = known[: len(known) - len(later)], later[: int(part * len(later))]
        if refresh:
            first, began = len(judging), len(known) + len(judging)
            queue = judging + came
            size = int((began + len(came)) * first / began + 0.5)
            known, judging = known + queue[: len(queue) - size], queue[len(queue) - size :]
        else:
            known = known + came
        assert set(held(train, person)) == set(known)
        assert set(held(weighting, person)) == set(judging)
        everything = set(order) | set(held(split.test, person))
        for n in range(weighting.indptr[person], weighting.indptr[person + 1]):
            assert not everything & set(candidates[n].tolist())


@pytest.fixture
def split():
    random = np.random.default_rng(5)
    return LocalHoldout(candidates=5).split(
        community([[(n, n // 3) for n in random.permutation(25)] for _ in range(6)]), 1
    )


def test_who_waits_for_nothing_has_everything_at_once(split):
    train, weighting, candidates = Arrivals(split, 0.0, True, 1).after(0.0)
    for one, other in ((train, split.train), (weighting, split.weighting)):
        assert one.indptr.tolist() == other.indptr.tolist()
        assert one.item.tolist() == other.item.tolist()
    np.testing.assert_array_equal(candidates, split.weighting_candidates)


def test_nothing_is_judged_by_that_was_trained_on(split):
    arrivals = Arrivals(split, 0.6, True, 1)
    trained: list[set[int]] = [set() for _ in range(6)]
    sizes = []
    for part in np.linspace(0, 1, 12):
        train, weighting, _ = arrivals.after(part)
        for person in range(6):
            assert trained[person] <= set(held(train, person))
            trained[person] |= set(held(train, person))
            assert not trained[person] & set(held(weighting, person))
        sizes.append((len(train), len(weighting)))
    assert sizes[0] < sizes[-1]
    assert sizes[-1][1] / sum(sizes[-1]) == pytest.approx(sizes[0][1] / sum(sizes[0]), abs=0.05)
    assert len(arrivals) == 6 * int(0.6 * len(held(split.train, 0)))


def test_what_is_also_trained_on_judges_nothing(split):
    """Published splits have such items."""
    aside = split.weighting
    train = replace(split.train, indptr=aside.indptr, item=aside.item, value=aside.value, time=aside.time + 1)
    train, weighting, _ = Arrivals(replace(split, train=train), 0.0, True, 1).after(0.0)
    assert len(weighting) == 0
    assert len(train) == 2 * len(aside)


def test_without_a_weighting_set_new_items_are_trained_on():
    split = Rating(2).split(community([[(n, n) for n in range(20)]] * 3), 1)
    arrivals = Arrivals(split, 0.5, True, 1)
    half, whole = arrivals.after(0.0), arrivals.after(1.0)
    assert half.weighting is whole.weighting is None
    assert (len(half.train), len(whole.train)) == (3 * 9, len(split.train))
