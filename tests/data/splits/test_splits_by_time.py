"""What splits by time have in common: too few interactions, seeds, settings, no times."""

import numpy as np
import pytest

from sottovoce import registry
from sottovoce.data.load import load
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from sottovoce.data.splits.temporal_holdout import TemporalHoldout
from sottovoce.errors import RecipeError
from tests.data.splits.timed import community


def test_a_person_with_too_few_interactions_is_not_tested() -> None:
    data = community([[(n, n) for n in range(count)] for count in (1, 4, 5, 10)])
    split = TemporalHoldout().split(data, 1)
    assert (np.diff(split.test.indptr) + split.missed).tolist() == [0, 0, 1, 2]
    assert split.tested.tolist() == [False, False, True, True]
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


@pytest.mark.parametrize("split", [LeaveOneOut(), TemporalHoldout()])
def test_data_without_times_is_told(split: LeaveOneOut | TemporalHoldout) -> None:
    timed, at_once, untimed = (
        community([[(n, time(n)) for n in range(6)]] * 2) for time in (lambda n: n, lambda n: 7, lambda n: 0)
    )
    assert not any("no times" in note for note in split.split(timed, 1).notes)
    for data in (at_once, untimed):
        assert "no times" in split.split(data, 1).notes[0]
