"""How the people of one slot train: in turn, or together."""

import numpy as np
import pytest

from sottovoce.combine.linear import Linear
from sottovoce.exchange.steps.interface import Nothing
from sottovoce.models.mf import MF
from sottovoce.models.training import train_stored, train_together_stored
from sottovoce.protocols.central import Central
from sottovoce.protocols.hosted import InTurn, Together, train_hosted
from sottovoce.state import hosted_by, zeros
from tests.networks import copy_of, ratings, simulate

pytestmark = pytest.mark.usefixtures("uncompiled")

DATA = ratings([[5, 0, 3, 0], [4, 4, 0, 0], [0, 1, 2, 0], [2, 0, 0, 3]])


def two_slots():
    """A model for persons 1 and 3, and one for 0 and 2."""
    s = simulate(MF(factors=3), DATA, protocol=Central())
    one = s.tables
    tables = type(one)(
        *(np.concatenate([array, array]) for array in one[:5]), np.array([0, 4, 8]), one.ids, one.where
    )
    people = s.people._replace(**hosted_by(np.array([1, 0, 1, 0], np.int32), 2)._asdict())
    return s.model, tables, people


def trained(way):
    model, tables, people = two_slots()
    train_hosted(way, Linear(), model, Nothing(), tables, zeros(0, 4, 4, 0), 0, people, 5)
    return tables, people


def test_people_train_one_after_the_other():
    tables, people = trained(InTurn())
    model, expected, others = two_slots()
    before = copy_of(expected)
    for person in (1, 3):  # the first one's training is where the next begins
        train_stored(expected, 0, model, others, person, 5)
    np.testing.assert_array_equal(tables.rows, expected.rows)
    np.testing.assert_array_equal(people.user, others.user)
    np.testing.assert_array_equal(tables.rows[4:], before.rows[4:])
    assert (tables.rows[:4] != before.rows[:4]).any()
    assert (people.steps.tolist(), tables.clock.tolist()) == ([0, 1, 0, 1], [2, 0])


def test_people_train_together():
    tables, people = trained(Together())
    model, expected, others = two_slots()
    train_together_stored(expected, 0, model, others, 5)
    np.testing.assert_array_equal(tables.rows, expected.rows)
    np.testing.assert_array_equal(people.user, others.user)
    assert (people.steps.tolist(), tables.clock.tolist()) == ([0, 1, 0, 1], [2, 0])
