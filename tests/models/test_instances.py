"""Changes of single instances are added up item by item."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.models.instances import add_up
from sottovoce.state import gathered


@given(st.lists(st.integers(0, 6), max_size=20), st.integers(0, 3))
def test_each_item_has_one_row_with_the_sum_of_its_changes(ids, before):
    """At any place of the rows, whatever was written there before; items keep their order."""
    changes = gathered([before, 30], 2, 0, 7)
    changes.where[:] = 99
    count, first = len(ids), before
    changes.ids[first : first + count] = ids
    changes.rows[first : first + count] = np.arange(2 * count).reshape(count, 2)
    changes.offset[2] = first + count
    add_up(changes, 1)
    rows = np.arange(2 * count).reshape(count, 2)
    expected = {item: rows[[n for n in range(count) if ids[n] == item]].sum(axis=0).tolist() for item in ids}
    held = slice(first, changes.offset[2])
    found = dict(zip(changes.ids[held].tolist(), changes.rows[held].tolist(), strict=True))
    assert found == expected
    assert list(found) == list(expected)
