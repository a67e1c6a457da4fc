"""`leave-one-out` holds out everybody's latest interaction."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.load import load
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from tests.data.splits.timed import ITEMS, community, events, values_of


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


def test_ties_in_movielens(data_dir: Path) -> None:
    """The order of the file decides for 415 of 943 people, who have several latest interactions."""
    data = load("ml-100k", data_dir=data_dir)
    last, first = (LeaveOneOut(ties=ties).split(data, 1) for ties in ("last", "first"))
    assert len(last.test) == len(first.test) == 943
    assert len(last.train) == 100_000 - 943
    assert (last.test.time == first.test.time).all()
    assert np.count_nonzero(last.test.item != first.test.item) == 415
