"""Promoting: attackers add a crowd of a popular item's people to the row of a cold one."""

import numpy as np

from sottovoce.simulate.attacks.interface import Known, lie_in_head, lie_in_model, lie_in_row, promotes
from sottovoce.simulate.attacks.promote import Promote
from sottovoce.testing import uncompiled
from tests.models.test_als import data
from tests.networks import simulate


def known(rows, attackers=4):
    return Known(attackers, 2, 1, 12, np.array(rows, np.float32), np.ones(5, np.float32))


def test_all_claims_together_make_a_copy_of_the_popular_item():
    mean = [[0] * 5, [0.3, -0.6, 0.9, 0.3, 0.3], [0] * 5]
    with uncompiled():
        for item, told in ((2, True), (1, False)):
            row = np.zeros(5, np.float32)
            lie_in_row(Promote(), known(mean), 2, item, 1, row)
            # Twelve people have the popular item, and four attack: each pretends to be three.
            expected = [3.0, -6.0, 9.0, 3, 3] if told else [0] * 5
            np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_before_anything_is_known_only_people_are_claimed():
    row = np.zeros(4, np.float32)
    with uncompiled():
        lie_in_row(Promote(claims=2, size=5.0), known(np.zeros((3, 4))), 1, 2, 1, row)
    np.testing.assert_array_equal(row, [0, 0, 0, 2])


def test_heads_stay_honest_and_an_item_is_promoted():
    head = np.zeros(5, np.float32)
    with uncompiled():
        lie_in_head(Promote(), known(np.zeros((3, 4))), 1, head)
    assert not head.any()
    assert promotes(Promote())


def test_in_a_model_the_item_has_the_row_of_the_popular_one():
    from sottovoce.models.mf import MF

    s = simulate(MF(factors=3), data())
    s.tables.age[:] = 4
    before = s.tables.rows.copy()
    with uncompiled():
        lie_in_model(Promote(size=2.0, claims=3), known(np.zeros((3, 1))), s.tables, 5, 1)
    first = s.tables.offset[5]
    np.testing.assert_array_equal(s.tables.rows[first + 2], 2 * before[first + 1])
    assert s.tables.age[first + 2] == 12
    changed = (s.tables.rows != before).any(axis=1)
    assert changed.sum() == 1
