"""`none` is MERGENONE of Algorithm 4 (Hegedűs et al. 2019)."""

import numpy as np

from sottovoce.combine.none import Replace
from tests.combine.merging import merged, shares, tables_of


def test_none_takes_the_incoming_model_exactly():
    mine, theirs = tables_of([[1e6, 3]], [9]), tables_of([[1e-6, 1 / 3]], [2])
    result = merged(Replace(), mine, theirs)
    np.testing.assert_array_equal(result.rows, theirs.rows)
    np.testing.assert_array_equal(result.head, theirs.head)
    assert result.age.tolist() == [2]
    assert result.clock[0] == 2


def test_nothing_of_the_receivers_model_is_left():
    found = shares(Replace())
    assert (found.rows, found.head) == ([1, 1], 1)
    assert (found.age, found.clock) == ([3, 1], 9)
