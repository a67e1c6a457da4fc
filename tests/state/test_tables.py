"""Tables of both layouts, and the types that carry their width."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import state
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
