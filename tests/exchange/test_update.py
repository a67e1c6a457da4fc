"""An update is what training changed, and nothing else; it leaves the model as it was."""

import numpy as np
import pytest

from sottovoce.exchange.update import local_update, squared_length
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import train
from sottovoce.models.mf import MF
from sottovoce.state import gathered
from tests.networks import copy_of, ratings, simulate

DATA = ratings([[5, 0, 3, 0, 0, 1], [0, 4, 0, 0, 2, 0], [1, 1, 0, 0, 0, 5]])


@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=2, negatives=1)])
@pytest.mark.parametrize("slot", [0, 2])
def test_an_update_is_the_difference_that_training_makes(model, slot):
    """In any slot of the tables: by gossip each of the three has one."""
    s = simulate(model, DATA)
    s.advance(2)
    trained, before = copy_of(s.tables), copy_of(s.tables)
    user, steps = s.people.user.copy(), s.people.steps.copy()
    instances = train(s.model, trained, slot, s.people, 1, s.seed)
    s.people.user[:], s.people.steps[:] = user, steps
    updates = gathered([s.items, 0], s.shape.row, s.shape.head, s.items)
    local_update(s.model, s.tables, slot, updates, 0, s.people, 1, s.seed)
    rows = slice(s.items * slot, s.items * (slot + 1))
    changed = np.flatnonzero(trained.age[rows] > before.age[rows])
    count = updates.offset[1]
    order = np.argsort(updates.ids[:count])
    np.testing.assert_array_equal(updates.ids[:count][order], changed)
    expected = (trained.rows - before.rows)[rows][changed]
    np.testing.assert_allclose(updates.rows[:count][order], expected, atol=1e-6)
    np.testing.assert_allclose(updates.head[0], (trained.head - before.head)[slot], atol=1e-6)
    assert (updates.size[0], updates.clock[0]) == (instances, before.clock[slot])
    assert s.people.steps[1] == steps[1] + 1
    np.testing.assert_array_equal(s.tables.rows, before.rows)
    np.testing.assert_array_equal(s.tables.head, before.head)
    length = (updates.rows[:count].astype(float) ** 2).sum() + (updates.head[0].astype(float) ** 2).sum()
    assert squared_length(updates, 0) == pytest.approx(length, rel=1e-5)
