"""How many people stand behind each row of a sum."""

import numpy as np

from sottovoce.evaluate.audit.last_one import attack


def test_contributors_are_counted_in_each_aggregation():
    #                      first aggregation  second
    aggregation = np.array([0, 0, 0, 0, 0, 1, 1])
    person = np.array([4, 5, 4, 6, 6, 5, 4])
    item = np.array([1, 1, 2, 1, 3, 2, 2])
    found = attack(aggregation, person, item)
    assert found is not None
    assert found.smallest == 1
    assert found.median == 1.5
    assert found.alone == 0.5  # items 2 and 3 of the first aggregation, out of four rows
    assert found.exposed.value == 2 / 3  # 4 and 6
    assert np.isnan(found.exposed.guessing)


def test_nothing_was_sent():
    empty = np.empty(0, np.int64)
    assert attack(empty, empty, empty) is None
