"""Plans are carried out level by level: snapshots first, then each receiver's messages in order."""

from typing import NamedTuple

import numpy as np
import pytest

from sottovoce.combine.interface import weight
from sottovoce.combine.linear import Linear
from sottovoce.combine.none import Replace
from sottovoce.combine.performance import Performance
from sottovoce.exchange.compression.interface import Whole
from sottovoce.exchange.steps.interface import Nothing
from sottovoce.models.mf import MF
from sottovoce.models.training import train_stored
from sottovoce.protocols.execute import Learning, absorb, execute, train_alone
from sottovoce.protocols.hosted import InTurn
from sottovoce.protocols.interface import NOBODY, alone
from sottovoce.state import new_receivers, new_weighting, zeros
from tests.networks import copy_of, ratings, simulate

pytestmark = pytest.mark.usefixtures("uncompiled")

ITEMS = 5
DATA = ratings([[5, 0, 3, 0, 1], [4, 4, 0, 0, 0], [0, 1, 2, 0, 5]])


def network(rule):
    s = simulate(MF(factors=3), DATA, merge=rule)
    s.tables.rows[:] = np.random.default_rng(3).normal(size=s.tables.rows.shape)
    s.tables.age[:] = np.arange(len(s.tables.age))
    return s, Learning(rule, s.model, Nothing(), InTurn())


def rows(tables, slot):
    return tables.rows[ITEMS * slot : ITEMS * (slot + 1)]


def test_who_hears_nobody_just_trains():
    s, learning = network(Linear())
    expected, people = copy_of(s.tables), simulate(MF(factors=3), DATA).people
    train_stored(expected, 1, s.model, people, 1, 9)
    places = 1, NOBODY, NOBODY
    absorb(*learning, s.tables, zeros(0, ITEMS, 4, 0), s.tables, *places, s.people, s.receivers, 9)
    np.testing.assert_array_equal(s.tables.rows, expected.rows)
    assert s.people.steps.tolist() == [0, 1, 0]


def test_a_message_is_merged_and_then_trained():
    """`none` takes the sender's model over; the training that follows is the receiver's."""
    s, learning = network(Replace())
    expected, people = copy_of(s.tables), simulate(MF(factors=3), DATA).people
    rows(expected, 1)[:], expected.age[5:10] = rows(expected, 2), expected.age[10:]
    train_stored(expected, 1, s.model, people, 1, 9)
    absorb(*learning, s.tables, zeros(0, ITEMS, 4, 0), s.tables, 1, 2, 2, s.people, s.receivers, 9)
    np.testing.assert_array_equal(s.tables.rows, expected.rows)
    np.testing.assert_array_equal(s.tables.age, expected.age)


def test_a_model_that_is_passed_on_replaces_and_nobody_trains():
    s, learning = network(Linear())
    before = copy_of(s.tables)
    receivers = s.receivers._replace(relayed=np.array([False, False, True]))
    for sender, over in ((2, True), (0, False)):
        tables = copy_of(before)
        absorb(*learning, tables, zeros(0, ITEMS, 4, 0), tables, 1, sender, sender, s.people, receivers, 9)
        assert (rows(tables, 1) == rows(before, sender)).all() == over
        assert s.people.steps[1] == (0 if over else 1)


def test_judges_remember_whose_models_were_good():
    s, learning = network(Performance(k=2))
    aside = new_weighting(3, DATA, np.zeros((len(DATA.item), 1), np.int32))
    people = s.people._replace(**{f"weighting_{name}": array for name, array in aside._asdict().items()})
    receivers = new_receivers(3, remembered=2)
    absorb(*learning, s.tables, zeros(0, ITEMS, 4, 0), s.tables, 1, 2, 2, people, receivers, 9)
    assert receivers.heard.tolist() == [[-1, -1], [2, -1], [-1, -1]]


class Halves(NamedTuple):
    """The mean of both models, so that the order of messages counts."""

    needs = "row_age"


@weight.rule(Halves)
def _halves(rule, mine, theirs):
    return 0.5


PLAN = alone(3)._replace(
    level=np.array([0, 1, 2]),
    receiver=np.array([0, 1], np.int32),
    first=np.array([0, 2, 3]),
    source=np.array([1, 2, 3], np.int32),
    sender=np.array([1, 2, 0], np.int32),
    copies=np.array([0, 1, 1]),
    copied=np.array([0], np.int32),
    into=np.array([0], np.int32),
    number=np.array([0], np.int64),
)


def test_levels_follow_each_other_and_snapshots_hold_what_was_sent():
    """Slot 0 hears 1 and 2; slot 1 then hears slot 0 as it was before: its snapshot, written as 3 + 0."""
    rule = Halves()
    s, learning = network(rule)
    private, none = zeros(0, ITEMS, 4, 0), zeros(0, 0, 4, 0)
    slow, people = copy_of(s.tables), simulate(MF(factors=3), DATA).people
    start = copy_of(slow)
    for slot, heard in ((0, rows(start, 1)), (0, rows(start, 2)), (1, rows(start, 0))):
        one = rows(slow, slot)
        one[:] = (one + heard) / 2
        train_stored(slow, slot, s.model, people, slot, 9)
        people.steps[slot] += 1
    models = s.tables, private, zeros(1, ITEMS, 4, 0), none
    execute(PLAN, *learning, Whole(), *models, s.people, s.receivers, 9)
    np.testing.assert_allclose(s.tables.rows, slow.rows, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(s.people.steps, [2, 1, 0])
    assert (s.receivers.spent[:2] > 0).all()
    assert s.receivers.spent[2] == 0


def test_a_plan_in_which_nobody_sends_is_training_alone():
    (one, learning), (other, _) = network(Linear()), network(Linear())
    private, none = zeros(0, ITEMS, 4, 0), zeros(0, 0, 4, 0)
    models = one.tables, private, zeros(0, ITEMS, 4, 0), none
    execute(alone(3), *learning, Whole(), *models, one.people, one.receivers, 9)
    train_alone(*learning, other.tables, private, other.people, 9)
    np.testing.assert_array_equal(one.tables.rows, other.tables.rows)
    np.testing.assert_array_equal(one.people.user, other.people.user)
    assert one.people.steps.tolist() == other.people.steps.tolist() == [1, 1, 1]
