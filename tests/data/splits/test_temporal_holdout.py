"""`temporal-holdout` holds out the last share of everybody's interactions."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.splits.temporal_holdout import TemporalHoldout
from tests.data.splits.timed import community, events, values_of


def item_ids(data: Interactions) -> list[str]:
    ids: list[str] = data.catalog.ids[data.item].tolist()
    return ids


def items_of(data: Interactions, person: int) -> list[str]:
    return item_ids(data)[data.indptr[person] : data.indptr[person + 1]]


@given(events, st.sampled_from([0.2, 0.1, 0.3, 0.5, 0.9]), st.sampled_from([0, 3]))
def test_temporal_holdout(histories: list[list[tuple[int, int]]], test: float, candidates: int) -> None:
    data = community(histories)
    split = TemporalHoldout(test, candidates).split(data, 1)
    tenths = round(10 * test)
    for person, own in enumerate(histories):
        rows = values_of(data, person)
        trained = math.ceil((10 - tenths) * len(own) / 10)
        assert values_of(split.train, person) == rows[:trained]
        known = set(item_ids(split.train))
        held = [(value, item) for value, item in zip(rows, items_of(data, person), strict=True)][trained:]
        assert values_of(split.test, person) == [value for value, item in held if item in known]
        missed = [value for value, item in held if item not in known]
        assert split.missed[person] == len(missed)
        assert split.tested[person] == bool(held)
        if split.beyond is not None:
            assert values_of(split.beyond, person) == missed
    assert set(split.train.catalog.ids.tolist()) == set(item_ids(split.train))
    assert split.candidates.max(initial=-1) < split.train.items == split.test.items == split.known(data).items
    assert split.candidates.shape == (len(split.test), candidates)
    assert split.metrics[:3] == ("precision", "recall", "f1")


@given(events)
def test_the_earliest_can_be_held_out(histories: list[list[tuple[int, int]]]) -> None:
    data = community(histories)
    split = TemporalHoldout(0.3, earliest=True).split(data, 1)
    assert split.name == "temporal-holdout(test=0.3, earliest=True)"
    for person, own in enumerate(histories):
        held = len(own) - math.ceil(7 * len(own) / 10)
        assert values_of(split.train, person) == values_of(data, person)[held:]


def test_the_italian_training_set_of_fpl(data_dir: Path) -> None:
    """Table 1, Anelli et al. 2020: 1,353 people with 54,088 training interactions."""
    data = load("foursquare-italy", data_dir=data_dir, min_user=20, filter="once")
    split = TemporalHoldout().split(data, 1)
    assert (data.people, len(split.train)) == (1353, 54_088)
    assert data.items == 29_772
    assert len(np.unique(split.train.item)) == split.train.items == 25_498
    assert "4,274 of 29,772 items" in split.notes[-1]


def test_candidates_are_unseen_items_of_the_training_set() -> None:
    """Item 9 is only in a test set; item 4 was consumed later by the person who could be asked about it."""
    orders = (0, 1, 2, 3, 4), (0, 5, 6, 7, 4), (1, 2, 4, 8, 9)
    histories = [[(item, time) for time, item in enumerate(order)] for order in orders]
    split = TemporalHoldout(candidates=20).split(community(histories), 1)
    ids = split.train.catalog.ids
    assert sorted(ids.tolist()) == [str(n) for n in range(9)]
    for person, unseen in ((0, {"5", "6", "7", "8"}), (1, {"1", "2", "3", "8"})):
        row = split.candidates[split.test.indptr[person]]
        assert {str(ids[j]) for j in row if j >= 0} == unseen
    assert split.beyond is not None
    assert split.beyond.catalog.ids[split.beyond.item].tolist() == ["9"]
    one = split.among(np.array([True, False, True]))
    assert one.missed.tolist() == [0, 0, 1]
    assert one.hash != replace(one, beyond=None).hash
