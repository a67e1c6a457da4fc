"""Whose budget is spent takes part no more, and a trusted server counts whom it heard."""

import numpy as np

from sottovoce.privacy.guarantee import ADD_OR_REMOVE, Guarantee
from sottovoce.protocols._participants import Groups
from sottovoce.simulate.budgets import count_heard, within_budget

NOBODY = np.zeros(0, np.int64)


def groups():
    """Two aggregations: of 0, 1 and 2, whose answer is lost; and of 1 and 3."""
    persons, heard = np.array([0, 1, 2, 1, 3]), np.array([True, True, False, True, True])
    return Groups(np.array([0, 3, 5]), persons, heard, 6, np.zeros(3, np.int64), NOBODY)


def promise(trust="central", disclosures=2):
    return Guarantee(trust, ADD_OR_REMOVE, 1.0, 8.0, 1e-5, disclosures)


def test_without_a_promise_everybody_takes_part():
    before = groups()
    assert within_budget(before, np.full(4, 9, np.int32), None) is before


def test_whoever_has_spent_the_budget_is_left_out_of_every_group():
    left = within_budget(groups(), np.array([0, 2, 1, 3], np.int32), promise())
    assert left.persons.tolist() == [0, 2]
    assert left.heard.tolist() == [True, False]
    assert left.first.tolist() == [0, 2, 2]
    assert left.asked == 3


def test_a_trusted_server_counts_those_whom_it_heard():
    disclosed = np.zeros(4, np.int32)
    count_heard(groups(), disclosed, promise())
    assert disclosed.tolist() == [1, 2, 0, 1]


def test_steps_with_noise_count_by_themselves():
    disclosed = np.zeros(4, np.int32)
    for one in (promise("local"), promise("distributed"), None):
        count_heard(groups(), disclosed, one)
    assert disclosed.tolist() == [0] * 4
