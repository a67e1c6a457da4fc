"""Splits by time, against slow references and by what the papers say of their data."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import registry
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.load import load
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from sottovoce.data.splits.temporal_holdout import TemporalHoldout
from sottovoce.errors import RecipeError

ITEMS = 20

events = st.lists(
    st.lists(st.tuples(st.integers(0, ITEMS - 1), st.integers(0, 4)), min_size=1, max_size=15),
    min_size=1,
    max_size=10,
)


def community(histories: list[list[tuple[int, int]]]) -> Interactions:
    """Each person's items with their times; values number the rows as the source lists them."""
    rows = [(person, item, time) for person, own in enumerate(histories) for item, time in own]
    user, item, time = zip(*rows, strict=True)
    catalog = Catalog("c", np.array([str(n) for n in range(ITEMS)]))
    return build("c", user, item, np.arange(len(rows)), time, catalog=catalog, scale=(0, len(rows)))


def values_of(data: Interactions, person: int) -> list[float]:
    return data.value[data.indptr[person] : data.indptr[person + 1]].tolist()


@given(events, st.sampled_from(["last", "first"]), st.integers(0, 1000))
def test_leave_one_out(histories: list[list[tuple[int, int]]], ties: str, seed: int) -> None:
    data = community(histories)
    split = LeaveOneOut(candidates=6, ties=ties).split(data, seed)
    number = 0
    for person, own in enumerate(histories):
        rows = [(float(number + n), item, time) for n, (item, time) in enumerate(own)]
        number += len(own)
        latest = [value for value, _, time in rows if time == max(t for _, t in own)]
        held = [latest[-1] if ties == "last" else latest[0]] if len(own) > 1 else []
        assert values_of(split.test, person) == held
        assert sorted(values_of(split.train, person)) == [v for v, _, _ in rows if v not in held]
        met = {item for item, _ in own}
        for drawn in split.candidates[split.test.indptr[person] : split.test.indptr[person + 1]].tolist():
            kept = [item for item in drawn if item >= 0]
            assert len(set(kept)) == len(kept) == min(6, ITEMS - len(met))
            assert not met & set(kept)


@given(events, st.sampled_from([0.2, 0.1, 0.3, 0.5, 0.9]), st.sampled_from([0, 3]))
def test_temporal_holdout(histories: list[list[tuple[int, int]]], test: float, candidates: int) -> None:
    data = community(histories)
    split = TemporalHoldout(test, candidates).split(data, 1)
    tenths = round(10 * test)
    for person, own in enumerate(histories):
        rows = values_of(data, person)
        trained = math.ceil((10 - tenths) * len(own) / 10)
        assert values_of(split.train, person) == rows[:trained]
        assert values_of(split.test, person) == rows[trained:]
    assert split.candidates.shape == (len(split.test), candidates)
    assert split.metrics[:3] == ("precision", "recall", "f1")


def test_a_person_with_too_few_interactions_is_not_tested() -> None:
    data = community([[(n, n) for n in range(count)] for count in (1, 4, 5, 10)])
    split = TemporalHoldout().split(data, 1)
    assert np.diff(split.test.indptr).tolist() == [0, 0, 1, 2]
    assert np.diff(LeaveOneOut(5).split(data, 1).test.indptr).tolist() == [0, 1, 1, 1]


def test_seeds_draw_other_candidates_for_the_same_test_items() -> None:
    data = load("synthetic", users=60, items=200, seed=1)
    one, two, again = (LeaveOneOut().split(data, seed) for seed in (1, 2, 1))
    assert one.hash == again.hash != two.hash
    parts, others = one.manifest()["parts"], two.manifest()["parts"]
    assert parts == others
    assert one.manifest()["candidates"] != two.manifest()["candidates"]
    assert TemporalHoldout().split(data, 1).hash == TemporalHoldout().split(data, 2).hash


def test_settings_are_checked() -> None:
    for name, bad in (("leave-one-out", {"ties": "both"}), ("temporal-holdout", {"test": 1.0})):
        with pytest.raises(RecipeError, match=r"split\."):
            registry.build("split", name, bad, "split")


def test_ties_in_movielens(data_dir: Path) -> None:
    """The order of the file decides for 415 of 943 people, who have several latest interactions."""
    data = load("ml-100k", data_dir=data_dir)
    last, first = (LeaveOneOut(ties=ties).split(data, 1) for ties in ("last", "first"))
    assert len(last.test) == len(first.test) == 943
    assert len(last.train) == 100_000 - 943
    assert (last.test.time == first.test.time).all()
    assert np.count_nonzero(last.test.item != first.test.item) == 415


def test_the_italian_training_set_of_fpl(data_dir: Path) -> None:
    """Table 1, Anelli et al. 2020: 1,353 people with 54,088 training interactions."""
    data = load("foursquare-italy", data_dir=data_dir, min_user=20, filter="once")
    split = TemporalHoldout().split(data, 1)
    assert (data.people, len(split.train)) == (1353, 54_088)
    assert len(np.unique(split.train.item)) == 25_498


@pytest.mark.parametrize("split", [LeaveOneOut(), TemporalHoldout()])
def test_data_without_times_is_told(split: LeaveOneOut | TemporalHoldout) -> None:
    timed, at_once, untimed = (
        community([[(n, time(n)) for n in range(6)]] * 2) for time in (lambda n: n, lambda n: 7, lambda n: 0)
    )
    assert split.split(timed, 1).notes == ()
    for data in (at_once, untimed):
        assert "no times" in split.split(data, 1).notes[0]
