"""Sets and draws without repetition, against Python's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.interactions import Catalog, build
from sottovoce.data.sampling import add, capacity, sample, search, seen, unseen

pytestmark = pytest.mark.usefixtures("uncompiled")


@given(st.lists(st.integers(0, 60), max_size=30))
def test_a_set_takes_every_number_once(values):
    table, held = np.full(capacity(len(values)), -1, np.int64), set()
    assert len(table) >= 2 * len(values)
    assert len(table) & (len(table) - 1) == 0
    for value in values:
        assert add(table, value) == (value not in held)
        held.add(value)
    assert set(table[table >= 0].tolist()) == held


@given(st.lists(st.integers(0, 20), max_size=15), st.integers(-1, 21))
def test_a_place_is_found_as_by_numpy(values, value):
    ordered = np.sort(np.array(values, np.int64))
    assert search(ordered, 0, len(ordered), value) == np.searchsorted(ordered, value)


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=1, max_size=5))
def test_distinct_items_and_those_left(histories):
    indptr = np.cumsum([0] + [len(one) for one in histories])
    found = seen(indptr, np.array([j for one in histories for j in one], np.int32))
    for person, own in enumerate(histories):
        items = found.ordered[indptr[person] : indptr[person] + found.counts[person]]
        assert items.tolist() == sorted(set(own))
        assert unseen(10, items).tolist() == sorted(set(range(10)) - set(own))


def drawn(seed=1, step=0, keys=None, wanted=3, people=200):
    """Everybody has items 0 and 1 of six; both are held out."""
    catalog = Catalog("c", np.arange(6).astype(str))
    data = build("c", np.repeat(np.arange(people), 2), np.tile([0, 1], people), catalog=catalog)
    return sample(seen(data.indptr, data.item), data, wanted, seed, step, keys)


def test_candidates_are_unseen_different_and_equally_likely():
    found = drawn()
    assert found.shape == (400, 3)
    assert all(len(set(row)) == 3 and min(row) >= 2 for row in found.tolist())
    counts = np.bincount(found.ravel(), minlength=6)
    assert counts[:2].tolist() == [0, 0]
    assert np.abs(counts[2:] - 300).max() < 5 * np.sqrt(400 * 0.75 * 0.25)


def test_where_too_few_are_left_all_are_drawn():
    found = drawn(wanted=5, people=3)
    assert [sorted(row) for row in found.tolist()] == [[-1, 2, 3, 4, 5]] * 6
    assert (found[:, 4] == -1).all()


def test_seeds_steps_and_keys_draw_others():
    """A person's key counts, not the person's number."""
    same = drawn(people=3)
    for other in (drawn(seed=2, people=3), drawn(step=1, people=3)):
        assert (other != same).any()
    keyed = drawn(people=3, keys=np.array([2, 0, 1]))
    np.testing.assert_array_equal(keyed, np.concatenate([same[4:], same[:4]]))
