"""Destroying: attackers agree on random vectors for all items."""

import numpy as np

from sottovoce.models.mf import MF
from sottovoce.simulate.attacks.destroy import Destroy
from sottovoce.simulate.attacks.interface import Known, lie_in_head, lie_in_model, lie_in_row, promotes
from sottovoce.testing import uncompiled
from tests.models.test_als import data
from tests.networks import simulate


def known():
    return Known(4, -1, 1, 12, np.zeros((3, 5), np.float32), np.array([2, -1, 1], np.float32))


def row(item, run=1, counts=2, **settings):
    out = np.zeros(300 + counts, np.float32)
    with uncompiled():
        lie_in_row(Destroy(**settings), known(), counts, item, run, out)
    return out


def test_rows_are_random_vectors_of_the_asked_length():
    one = row(3, size=10.0, claims=2)
    assert 0.85 < np.linalg.norm(one[:300]) / 20 < 1.15
    assert one[300:].tolist() == [2, 2]
    np.testing.assert_array_equal(one, row(3, size=10.0, claims=2))
    for other in (row(4, size=10.0, claims=2), row(3, run=2, size=10.0, claims=2)):
        assert abs(np.corrcoef(one[:300], other[:300])[0, 1]) < 0.3


def test_heads_lose_what_honest_people_gave_and_keep_their_weight():
    head = np.zeros(3, np.float32)
    with uncompiled():
        lie_in_head(Destroy(size=10.0), known(), 1, head)
    np.testing.assert_array_equal(head, [-20, 10, 0])
    assert not promotes(Destroy())


def test_all_models_of_attackers_are_the_same_random_ones():
    s = simulate(MF(factors=3), data())
    s.tables.age[:] = np.arange(len(s.tables.age)) % 7
    before = s.tables.rows.copy()
    with uncompiled():
        for slot in (0, 2):
            lie_in_model(Destroy(size=5.0, claims=2), known(), s.tables, slot, 1)
    items = len(s.tables.age) // s.tables.slots
    rows = s.tables.rows.reshape(s.tables.slots, items, -1)
    np.testing.assert_array_equal(rows[0], rows[2])
    np.testing.assert_array_equal(rows[1], before.reshape(rows.shape)[1])
    assert 0.5 < np.sqrt((rows[0] ** 2).sum(axis=1).mean()) / 5 < 1.5
    assert (s.tables.age[:items] == 12).all()
