"""`temporal-holdout` holds out the last share of everybody's interactions."""

import math
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.load import load
from sottovoce.data.splits.temporal_holdout import TemporalHoldout
from tests.data.splits.timed import community, events, values_of


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


def test_the_italian_training_set_of_fpl(data_dir: Path) -> None:
    """Table 1, Anelli et al. 2020: 1,353 people with 54,088 training interactions."""
    data = load("foursquare-italy", data_dir=data_dir, min_user=20, filter="once")
    split = TemporalHoldout().split(data, 1)
    assert (data.people, len(split.train)) == (1353, 54_088)
    assert len(np.unique(split.train.item)) == 25_498
