"""Where people were before each interaction, and that what is held out is not told by it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data import places
from sottovoce.data.interactions import build
from sottovoce.data.load import load
from sottovoce.data.split import Split, no_candidates
from sottovoce.data.splits.local_holdout import LocalHoldout

rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 9), st.integers(0, 2)),
    min_size=1,
    max_size=40,
)


def parts_of(rows):
    data = build("x", [r[0] for r in rows], [r[1] for r in rows], None, [r[2] for r in rows])
    part = np.random.default_rng(len(rows)).integers(0, 3, len(rows))
    return data, [data.take(part == n) for n in range(3)]


def by_hand(part, *beside):
    """For each interaction of a part the last that is not later: of the other parts first, then its own."""
    found = []
    for person in range(part.people):
        known = [
            (t, n, k, j)
            for n, other in enumerate((*beside, part))
            for k in range(other.indptr[person], other.indptr[person + 1])
            for j, t in [(other.item[k], other.time[k])]
        ]
        for k in range(part.indptr[person], part.indptr[person + 1]):
            me = (part.time[k], len(beside), k, part.item[k])
            earlier = [entry for entry in sorted(known) if entry < me]
            found.append((earlier[-1][3], me[0] - earlier[-1][0]) if earlier else (-1, 0))
    return found


@given(rows)
def test_the_place_before_is_the_last_that_may_be_known(rows):
    data, (train, weighting, test) = parts_of(rows)
    split = Split("x", train, test, weighting, no_candidates(test), no_candidates(weighting))
    known = places.known(train, weighting)
    assert list(zip(*split.before, strict=True)) == by_hand(test, train, weighting)
    assert list(zip(known.before, known.gap, strict=True)) == by_hand(train)
    assert list(zip(known.weighting_before, known.weighting_gap, strict=True)) == by_hand(weighting, train)
    for person in range(data.people):
        own = [
            (part.time[k], n, k, part.item[k])
            for n, part in enumerate((train, weighting))
            for k in range(part.indptr[person], part.indptr[person + 1])
        ]
        assert known.here[person] == (max(own)[3] if own and train.time.any() else -1)


def test_without_times_nobody_was_anywhere():
    data = build("x", [0, 0, 1], [0, 1, 2])
    known = places.known(data)
    assert (known.before == -1).all()
    assert (known.here == -1).all()
    assert not known.place.any()  # and without coordinates all is in one place
    assert len(known.weighting_before) == 0


def test_nobody_trains_on_where_the_held_out_was():
    data = load("synthetic", users=50, items=60)
    split = LocalHoldout().split(data, 1)
    assert split.weighting is not None
    known, hidden = places.known(split.train, split.weighting), split.test
    for person in range(data.people):
        held = set(hidden.item[hidden.indptr[person] : hidden.indptr[person + 1]].tolist())
        aside = split.weighting.indptr[person : person + 2]
        assert not held & set(known.before[slice(*split.train.indptr[person : person + 2])].tolist())
        assert not held & set(known.weighting_before[slice(*aside)].tolist())
        assert known.here[person] not in held


def test_venues_of_pepper(data_dir: Path):
    """Locations with fewer than ten visitors are left out (Section 5.2, Belal et al. 2022)."""
    checkins = load("foursquare-nyc", version="10-core", data_dir=data_dir, duplicates="keep")
    once = load(checkins, duplicates="keep", min_visitors=10)
    assert (once.people, once.items, len(once)) == (1077, 1211, 47_187)
    kept = load(checkins, duplicates="keep", min_visitors=10, min_user=10)
    assert (kept.people, kept.items, len(kept)) == (950, 1167, 45_632)
    assert "an item of 10 people" in kept.source
    split = LocalHoldout().split(kept, 1)
    before, gap = split.before
    assert (before >= 0).mean() == pytest.approx(0.979, abs=1e-3)
    assert ((before >= 0) & (gap <= 6 * 3600)).mean() == pytest.approx(0.25, abs=0.01)
