"""Merging two models, whichever rule weighs them: which rows take part, and to what precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.combine.linear import Linear
from sottovoce.combine.merge import ROWS
from sottovoce.state import whole
from tests.combine.merging import merged, tables_of
from tests.networks import copy_of


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("ids", [None, [0, 1]])
def test_what_counts_for_nothing_does_no_harm(bad, ids):
    """A diverged model that has no weight changes no number, and one that is replaced leaves no trace."""
    sound, broken = [[1.0], [2.0]], [[bad], [bad]]
    kept = merged(Linear(), tables_of(sound, [1, 2]), tables_of(broken, [0, 0], ids))
    np.testing.assert_array_equal(kept.rows, sound)
    assert kept.head.tolist() == [[3.0]]
    healed = merged(Linear(), tables_of(broken, [0, 0]), tables_of(sound, [1, 2], ids))
    np.testing.assert_array_equal(healed.rows, sound)
    assert healed.head.tolist() == [[3.0]]


def test_message_with_some_rows_changes_only_those():
    mine, theirs = tables_of([[1.0], [2.0], [3.0]], [1, 1, 1]), tables_of([[5.0]], [1], ids=[1])
    result = merged(Linear(), mine, theirs)
    assert result.rows[:, 0].tolist() == [1, 3.5, 3]


@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
@pytest.mark.parametrize("w", [1, 2])
def test_a_whole_model_is_merged_as_a_message_of_all_its_rows(w, storage):
    """More rows than are merged at a time, some of which count for nothing; rounded with the same bits."""
    rng, count = np.random.default_rng(5), 2 * ROWS + 50
    sixteenths = rng.integers(-64, 65, (2, count, w)).astype(np.float32) / 16  # which 16 bits hold exactly
    ages = rng.integers(0, 5, (2, count))
    ages[1, :ROWS] = 0
    mine, theirs = (whole(1, count, w, 1, storage) for _ in range(2))
    for tables, rows, age in zip((mine, theirs), sixteenths, ages, strict=True):
        tables.rows[:] = (rows.view(np.uint32) >> 16) if storage == "bfloat16" else rows
        tables.age[:] = age
    message = tables_of(sixteenths[1], ages[1], np.arange(count))
    message.head[:], message.clock[:] = theirs.head, theirs.clock
    one, other = merged(Linear(), mine, theirs), merged(Linear(), mine, message)
    assert (one.rows[:ROWS] == mine.rows[:ROWS]).all()
    assert (one.rows[ROWS:] != mine.rows[ROWS:]).any()
    for array, same in zip(one, other, strict=True):
        np.testing.assert_array_equal(array, same)


floats = st.floats(-1e6, 1e6, width=32)


@given(st.lists(st.tuples(floats, floats), min_size=1, max_size=9), st.data())
def test_identical_models_are_a_fixed_point(rows, data):
    """To the last bit, for any two ages: (1 − w) Y + w Y would round."""
    ages = [
        data.draw(st.lists(st.integers(0, 100), min_size=len(rows), max_size=len(rows))) for _ in range(2)
    ]
    mine, theirs = (tables_of(rows, age) for age in ages)
    result = merged(Linear(), mine, theirs)
    np.testing.assert_array_equal(result.rows, mine.rows)
    np.testing.assert_array_equal(result.head, mine.head)
    np.testing.assert_array_equal(result.age, np.maximum(*ages))


@given(st.integers(1, 2**20), st.integers(1, 2**20), floats, floats)
def test_a_merge_is_the_weighted_mean(mine, theirs, a, b):
    result = merged(Linear(), tables_of([[a]], [mine]), tables_of([[b]], [theirs]))
    expected = (mine * a + theirs * b) / (mine + theirs)
    np.testing.assert_allclose(result.rows[0, 0], expected, rtol=1e-5, atol=1e-6 * max(abs(a), abs(b), 1))


def test_the_sender_keeps_its_model():
    mine, theirs = tables_of([[1.0], [2.0]], [1, 2]), tables_of([[5.0], [6.0]], [3, 1])
    before = copy_of(theirs)
    merged(Linear(), mine, theirs)
    for array, same in zip(theirs, before, strict=True):
        np.testing.assert_array_equal(array, same)
