"""`linear` is MERGEAVERAGE of Algorithm 4 (Hegedűs et al. 2019)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.combine.interface import merged_age, weight
from sottovoce.combine.linear import Linear
from tests.combine.merging import merged, shares, tables_of


def test_linear_is_algorithm_4():
    mine = tables_of([[1, 2], [3, 4], [5, 6], [7, 8]], [3, 0, 2, 0])
    result = merged(Linear(), mine, tables_of([[9, 9]] * 4, [1, 5, 0, 0]))
    np.testing.assert_allclose(result.rows[0], [1 + 8 / 4, 2 + 7 / 4])
    np.testing.assert_array_equal(result.rows[1], [9, 9])  # never updated here: replaced
    np.testing.assert_array_equal(result.rows[2], [5, 6])  # never updated there: ignored
    np.testing.assert_array_equal(result.rows[3], [7, 8])  # never updated anywhere: kept
    assert result.age.tolist() == [3, 5, 2, 0]
    assert result.clock[0] == 5


def test_each_row_is_weighed_by_its_own_age_and_the_head_by_the_clock():
    found = shares(Linear())
    assert found.rows == pytest.approx([3 / 4, 1 / 4])
    assert found.head == pytest.approx(9 / 12)
    assert (found.age, found.clock) == ([3, 3], 9)


@given(st.integers(0, 2**20), st.integers(0, 2**20))
def test_weights_and_ages(mine, theirs):
    expected = theirs / (mine + theirs) if theirs else 0
    assert weight(Linear(), np.float32(mine), np.float32(theirs)) == pytest.approx(expected, rel=1e-6)
    assert merged_age(Linear(), mine, theirs) == max(mine, theirs)
    assert merged_age(Linear(sum_ages=True), mine, theirs) == mine + theirs


def test_linear_can_add_ages():
    result = merged(Linear(sum_ages=True), tables_of([[1.0]], [3]), tables_of([[2.0]], [4]))
    assert result.age.tolist() == [7]
    assert result.clock[0] == 7
