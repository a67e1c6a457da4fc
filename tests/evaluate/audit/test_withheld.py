"""An own item that is not sent is found between two sampled ones, if nothing disturbs the arithmetic."""

import numpy as np
import pytest

from sottovoce.evaluate.audit.changes import Changes
from sottovoce.evaluate.audit.withheld import nearest, points

ITEMS, FACTORS, STEP, USER, NEGATIVE = 80, 8, 0.05, 0.3, 0.02


def negatives(triples=60, withhold_pairs=False, seed=1):
    """The sampled items that a person sends, the rows before, and each triple's own item; Equation 6."""
    rng = np.random.default_rng(seed)
    rows, u = rng.normal(0, 0.1, (ITEMS, FACTORS + 1)), rng.normal(0, 0.1, FACTORS)
    ids, change, own = [], [], []
    for n in range(triples):
        i, j = rng.integers(0, 20), rng.integers(20, ITEMS)
        z = (rows[i] - rows[j]) @ np.append(u, 1)
        pull = STEP / (1 + np.exp(z))
        moved = np.append(-pull * u - STEP * NEGATIVE * rows[j, :-1], -pull)
        if not (withhold_pairs and n % 2):
            ids.append(j), change.append(moved), own.append(i)
        u = u + pull * (rows[i] - rows[j])[:-1] - STEP * USER * u
    count, item = len(ids), np.array(ids)
    nothing, order = np.zeros(count, np.int64), np.arange(count)
    seen = Changes(nothing, order, order, item, np.array(change, np.float32), nothing + 1)
    return seen, rows, np.array(own)


def found(seen, rows):
    place = points(seen, rows[seen.item], STEP, USER, NEGATIVE)
    return place, nearest(place.place, rows[:, :-1])


def test_every_withheld_item_but_the_last_is_found():
    seen, rows, own = negatives()
    place, item = found(seen, rows)
    np.testing.assert_array_equal(place.first, np.arange(59))
    np.testing.assert_array_equal(place.second, np.arange(1, 60))
    np.testing.assert_array_equal(item, own[:-1])


def test_nothing_is_found_if_whole_triples_are_withheld():
    item = found(*negatives(withhold_pairs=True)[:2])[1]
    assert (item < 0).mean() > 0.9


def test_nothing_is_found_in_noise():
    seen, rows, _ = negatives()
    noise = np.random.default_rng(2).normal(0, 0.01, seen.change.shape).astype(np.float32)
    assert (found(seen._replace(change=seen.change + noise), rows)[1] < 0).all()


def test_nothing_is_found_in_another_order():
    seen, rows, _ = negatives()
    order = np.random.default_rng(3).permutation(60)
    mixed = seen._replace(item=seen.item[order], change=seen.change[order])
    assert (found(mixed, rows)[1] < 0).mean() > 0.9


def test_people_are_not_mixed_up():
    seen, rows, own = negatives()
    twice = Changes._make(np.concatenate([column, column]) for column in seen)
    of_two = twice._replace(target=np.repeat([0, 1], 60))
    place, item = found(of_two, rows)
    assert len(place.first) == 118
    np.testing.assert_array_equal(item, np.tile(own[:-1], 2))


@pytest.mark.parametrize(("at", "wanted"), [(0.0, 0), (0.05, 0), (0.2, -1), (0.5, -1), (1.0, 1)])
def test_the_nearest_row_has_to_be_ten_times_as_near(at, wanted):
    rows = np.array([[0.0], [1.0], [9.0]])
    np.testing.assert_array_equal(nearest(np.array([[at]]), rows), [wanted])


def test_nothing_to_look_for():
    assert len(nearest(np.empty((0, 2)), np.zeros((5, 2)))) == 0
