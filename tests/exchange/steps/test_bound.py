"""A bound on the length of an update."""

import numpy as np
import pytest

from sottovoce.exchange.steps.bound import clipping_factor, shorten
from sottovoce.state import gathered


def update(rows, head):
    """One update: rows of two numbers, and a head."""
    made = gathered([len(rows)], 2, len(head))
    made.rows[:], made.head[0] = np.array(rows, np.float32).reshape(-1, 2), head
    return made


def length(made):
    return float(np.sqrt((made.rows.astype(float) ** 2).sum() + (made.head.astype(float) ** 2).sum()))


def test_rows_and_head_are_shortened_together():
    made = update([[3, 0], [0, 4]], [12])
    shorten(made, 0, 6.5)
    np.testing.assert_allclose(made.rows, [[1.5, 0], [0, 2]], rtol=1e-5)
    np.testing.assert_allclose(made.head, [[6]], rtol=1e-5)
    assert length(made) <= 6.5


@pytest.mark.parametrize("values", [[[0.3, 0.4]], [[0, 0]], []])
def test_what_is_short_enough_stays(values):
    made = update(values, [0])
    before = made.rows.copy()
    shorten(made, 0, 1.0)
    np.testing.assert_array_equal(made.rows, before)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_becomes_zero(bad):
    made = update([[1, bad], [2, 3]], [4])
    assert clipping_factor(made, 0, 1.0) == 0
    shorten(made, 0, 1.0)
    assert length(made) == 0


def test_other_updates_stay():
    made = gathered([1, 1], 2, 1)
    made.rows[:], made.head[:] = 10, 10
    shorten(made, 1, 1.0)
    assert (made.rows[0] == 10).all()
    assert made.head[0, 0] == 10
    assert float(np.sqrt((made.rows[1] ** 2).sum() + made.head[1, 0] ** 2)) <= 1
