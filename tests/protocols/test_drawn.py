"""Participants of many aggregations in a row: their number, their distribution, and what they depend on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.combine.aggregate.sum import Sum
from sottovoce.errors import RecipeError
from sottovoce.models.bpr import BPR
from sottovoce.protocols._drawn import drawn, due
from sottovoce.protocols._participants import Aggregation, Terms
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.interface import fitted
from sottovoce.timing import synchronous
from tests.networks import ratings, simulate

DATA = ratings([[5, 0, 3, 0, 0, 1], [0, 4, 0, 0, 2, 0], [1, 1, 0, 0, 0, 5], [1, 0, 0, 0, 0, 0]])


def asked(people=8, number=0, dropout=0.0):
    terms = Terms(1.0, 1.0, dropout)
    return Aggregation(np.arange(people), synchronous(people), terms, 0.0, 7, 0, number)


@given(st.floats(1, 60), st.integers(1, 200))
def test_fractions_of_aggregations_are_not_lost(each, rounds):
    number = 0
    for n in range(rounds):
        count = due(each, number)
        assert int(each) <= count <= int(each) + 1
        number += count
        assert abs(number - (n + 1) * each) < 1 + 1e-6


def test_a_round_is_an_epoch_of_as_many_participations_as_interactions():
    for participants, each in ((1, 9.0), (2, 4.5), (0, 2.25), (99, 2.25)):
        assert fitted(Federated(participants=participants, aggregations=0.0), DATA).aggregations == each
    assert fitted(Federated(), DATA) == Federated()


def test_participants_are_distinct_and_drawn_uniformly(uncompiled):
    groups = drawn(asked(), 3, 2000.0)
    assert groups.first.tolist() == list(range(0, 6001, 3))
    assert groups.asked == 6000
    assert groups.heard.all()
    each = groups.persons.reshape(-1, 3)
    assert all(len(set(row)) == 3 for row in each.tolist())
    expected, deviation = 2000 * 3 / 8, np.sqrt(2000 * 3 / 8 * 5 / 8)
    assert np.abs(np.bincount(groups.persons, minlength=8) - expected).max() < 4 * deviation
    again = each[1:, 0] == each[:-1, 0]
    assert abs(again.mean() - 1 / 8) < 4 * np.sqrt(1 / 8 * 7 / 8 / 1999)


def test_the_draw_depends_on_the_number_of_the_aggregation_alone(uncompiled):
    whole, parts = drawn(asked(), 2, 6.0), [drawn(asked(number=3 * n), 2, 3.0) for n in range(2)]
    assert whole.persons.tolist() == [p for part in parts for p in part.persons.tolist()]


def test_people_who_drop_out_neither_train_nor_answer(uncompiled):
    groups = drawn(asked(dropout=0.4), 4, 500.0)
    assert groups.asked == 2000 == len(groups.persons) + len(groups.dropped)
    assert abs(len(groups.dropped) / 2000 - 0.4) < 0.05
    assert groups.dropped_first[-1] == len(groups.dropped)


def test_everybody_takes_part_where_no_number_is_given(uncompiled):
    groups = drawn(asked(), 0, 2.0)
    assert sorted(groups.persons[:8].tolist()) == sorted(groups.persons[8:].tolist()) == list(range(8))


def test_rounds_are_what_single_aggregations_are(uncompiled):
    """A restart in between changes nothing either."""
    model, protocol = BPR(factors=2, triples=2), Federated(participants=2, aggregations=2.5)
    whole, begun, again = (simulate(model, DATA, protocol=protocol, merge=Sum()) for _ in range(3))
    whole.advance(4)
    assert whole.tables.clock[0] == 10
    assert whole.messages == 2 * 10 * 2
    begun.advance(1)
    again.restore({name: array.copy() for name, array in begun.state().items()})
    again.advance(3)
    np.testing.assert_array_equal(again.tables.rows, whole.tables.rows)
    assert again.messages == whole.messages


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"aggregations": 0.5}, "less than one aggregation"),
        ({"aggregations": 0.0, "selection": "in-turn", "participants": 1}, "selection = 'in-turn'"),
        ({"aggregations": 3.0, "selection": "useful", "participants": 1}, "selection = 'useful'"),
    ],
)
def test_what_contradicts_it_is_refused(settings, said):
    with pytest.raises(RecipeError, match=said):
        fitted(Federated(**settings), DATA)
