"""`change` weighs each row by how much it changed (Muhammad et al. 2020)."""

import numpy as np

from sottovoce.combine.aggregate.change import Change
from tests.combine.aggregate.serving import ITEMS, assert_moved, one_round


def test_rows_are_weighed_by_their_change(uncompiled):
    found = one_round(Change())
    far = np.abs(found.rows - found.before).sum(axis=2)
    rows = found.before.astype(np.float64)
    for j in range(ITEMS):
        if found.changed[:, j].any():
            rows[j] = np.average(found.rows[:, j], axis=0, weights=far[:, j])
    assert_moved(found, rows, np.average(found.heads, axis=0, weights=found.instances))
