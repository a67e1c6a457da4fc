"""Tables of both layouts, and the types that carry their width."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import kernels, state
from sottovoce.kernels import driver
from sottovoce.state import tables


@driver
def _find(tables, slot, items):
    return np.array([state.locate(tables, slot, i) for i in items]), state.width(tables)


def test_row_of_an_item_in_whole_tables():
    tables = state.whole(3, 5, 2, 0)
    places, width = _find(tables, 2, np.array([0, 4]))
    assert places.tolist() == [10, 14]
    assert width == 2


@given(st.lists(st.sets(st.integers(0, 30)), min_size=1, max_size=4))
def test_row_of_an_item_in_gathered_tables(sets):
    ids = [np.array(sorted(s), np.int32) for s in sets]
    tables = state.gathered([len(own) for own in ids], 3, 0)
    tables.ids[:] = np.concatenate(ids)
    for slot, held in enumerate(ids):
        expected = [tables.offset[slot] + held.tolist().index(i) if i in held else -1 for i in range(31)]
        assert _find(tables, slot, np.arange(31))[0].tolist() == expected
        assert [state.locate(tables, slot, i) for i in range(31)] == expected


def test_types_are_found_by_name():
    assert tables.Whole7 is state.table_type(7, "whole")
    assert tables.Gathered7 is state.table_type(7, "gathered")
    assert getattr(tables, state.table_type(9, "indexed").__qualname__) is state.table_type(9, "indexed")
    assert tables.Whole7Bfloat16 is type(state.whole(1, 1, 7, 0, "bfloat16"))
    assert tables.Whole7Bfloat16 is not tables.Whole7 is type(state.whole(1, 1, 7, 0))
    with pytest.raises(AttributeError):
        tables.Whole_7  # noqa: B018


def test_people_are_listed_by_slot():
    indptr, none = np.zeros(5, np.int64), np.empty(0, np.int32)
    hosts = state.hosted_by(np.array([1, 0, 1, 0], np.int32), 3)
    people = state.new_people(1, indptr, none, none.astype(np.float32), hosts)
    assert people.member.tolist() == [1, 3, 0, 2]
    assert people.first.tolist() == [0, 2, 4, 4]


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_dot_sums_in_a_fixed_order(count, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, count), dtype=np.float32)
    product = driver(_dot)(a, b, count)
    assert product == kernels.dot(a, b, count)
    assert product == pytest.approx(float(a.astype(float) @ b.astype(float)), rel=1e-5)


def _dot(a, b, count):
    return kernels.dot(a, b, count)
