"""Instances are a person's items and others that the person has not met."""

import numpy as np

from sottovoce.models._instances import draw
from sottovoce.models.interface import train
from tests.models.ncf import built
from tests.networks import ratings, simulate


def test_instances_are_own_items_and_others_in_random_order():
    s = simulate(built("gmf"), ratings([[5, 0, 4, 0, 0, 3, 0, 0]] * 2))
    item, label = np.empty(99, np.int32), np.empty(99, np.bool_)
    drawn = [
        (item[:count].tolist(), label[:count].tolist())
        for epoch in range(3)
        for count in [draw(s.model, s.people, 0, 1, epoch, item, label)]
    ]
    for items, labels in drawn:
        assert sorted(j for j, y in zip(items, labels, strict=True) if y) == [0, 2, 5]
        assert len(items) == 15
        assert {j for j, y in zip(items, labels, strict=True) if not y} <= {1, 3, 4, 6, 7}
    assert drawn[0] != drawn[1] != drawn[2]


def test_who_has_met_everything_has_no_negatives():
    s = simulate(built("gmf"), ratings([[5, 4, 3], [0, 0, 0]]))
    assert train(s.model, s.tables, 0, s.people, 0, 1) == 3
    before = s.tables.rows.copy()
    assert train(s.model, s.tables, 1, s.people, 1, 1) == 0
    np.testing.assert_array_equal(s.tables.rows, before)
