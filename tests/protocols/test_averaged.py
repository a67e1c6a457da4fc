"""A slot moves by the mean of what its people changed, summed as under masks."""

from typing import NamedTuple

import numpy as np
import pytest

from sottovoce.combine.linear import Linear
from sottovoce.exchange.secure.contribution import Contribution, Plan, plain_sums
from sottovoce.exchange.steps.interface import Nothing, protect
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.protocols.averaged import PLACES, Averaged, averaged
from sottovoce.protocols.group_gossip import GroupGossip
from sottovoce.protocols.hosted import train_hosted
from sottovoce.simulate.observe import _updates
from sottovoce.state import gathered, zeros
from tests.networks import ratings, simulate


class Mute(NamedTuple):
    """Sends nothing, as a person does whose budget is spent."""


@protect.rule(Mute)
def _mute(step, updates, place, people, person, run, round):
    updates.offset[place + 1] = updates.offset[place]


def network(model, people=12, group=6, fewest=3):
    rng = np.random.default_rng(4)
    values = rng.integers(1, 6, (people, 9)) * (rng.random((people, 9)) < 0.5)
    values[:, 0] = 3
    return simulate(model, ratings(values.tolist()), protocol=GroupGossip(group, fewest), merge=Linear())


def contributions(s, slot):
    """What each of a slot's people would send, computed beside the network."""
    row, head = s.shape.row, s.shape.head
    members = s.people.member[s.people.first[slot] : s.people.first[slot + 1]].astype(np.int64)
    found = gathered([s.items] * len(members), row, head)
    found.offset[0] = 0
    people = s.people._replace(user=s.people.user.copy(), steps=s.people.steps.copy())
    room = gathered([s.items, 0], row, head, s.items)
    _updates(s.model, Nothing(), s.tables, slot, room, people, members, s.seed, 0, found)
    made = []
    for n in range(len(members)):
        part = slice(found.offset[n], found.offset[n + 1])
        order = np.argsort(found.ids[part])
        rows = found.rows[part][order]
        made.append(Contribution(found.ids[part][order], rows, found.head[n], np.array([1])))
    return made


def train(s, slot, way):
    private = zeros(0, s.items, s.shape.row, s.shape.head)
    train_hosted(way, Linear(), s.model, Nothing(), s.tables, private, slot, s.people, s.seed)


@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=2, negatives=1)])
def test_the_mean_is_that_of_secure_sums_bit_by_bit(model, uncompiled):
    s = network(model)
    for slot in range(2):
        group = contributions(s, slot)
        plan = Plan(s.items, s.shape.row, s.shape.head, 1, 3, 32, PLACES, PLACES)
        sums = plain_sums(plan, group, len(group))
        begin = slot * s.items
        expected = s.tables.rows[begin : begin + s.items].copy()
        head = s.tables.head[slot].copy()
        for item, count, total in zip(sums.items, sums.contributors, sums.rows, strict=True):
            expected[item] += (total / count).astype(np.float32)
        train(s, slot, averaged(3, len(group)))
        np.testing.assert_array_equal(s.tables.rows[begin : begin + s.items], expected)
        np.testing.assert_array_equal(s.tables.head[slot], head + (sums.head / 6).astype(np.float32))
        np.testing.assert_array_equal(s.tables.age[begin : begin + s.items] > 0, sums.counts >= 3)


def test_rows_that_few_changed_are_withheld(uncompiled):
    s = network(MF(factors=3), fewest=2)
    counts = np.sum([np.bincount(c.items, minlength=s.items) for c in contributions(s, 0)], axis=0)
    assert (counts == 1).any()
    assert (counts >= 2).any()
    before = s.tables.rows[: s.items].copy()
    train(s, 0, averaged(2, 6))
    moved = (s.tables.rows[: s.items] != before).any(axis=1)
    np.testing.assert_array_equal(moved, counts >= 2)


def test_a_person_whose_change_cannot_be_sent_is_left_out(uncompiled):
    s, other = network(MF(factors=3)), network(MF(factors=3))
    bad = s.people.member[0]
    s.people.user[bad] = np.nan
    group = contributions(other, 0)[1:]
    sums = plain_sums(Plan(s.items, 4, 0, 1, 3, 32, PLACES, PLACES), group, 5)
    expected = s.tables.rows[: s.items].copy()
    expected[sums.items] += (sums.rows / sums.contributors[:, None]).astype(np.float32)
    train(s, 0, averaged(3, 6))
    np.testing.assert_array_equal(s.tables.rows[: s.items], expected)


def test_nothing_moves_if_no_sum_is_of_enough_people(uncompiled):
    s = network(MF(factors=3))
    before = s.tables.rows.copy()
    train(s, 0, Averaged(3, 0))  # no number fits
    np.testing.assert_array_equal(s.tables.rows, before)
    assert s.tables.clock[0] == 1


def test_people_who_send_nothing_do_not_count_as_senders(uncompiled):
    """The head is divided by those who sent a change, and stays where too few did."""
    s = network(GMF(factors=2, negatives=1))
    private = zeros(0, s.items, s.shape.row, s.shape.head)
    before = s.tables.head.copy()
    train_hosted(averaged(3, 6), Linear(), s.model, Mute(), s.tables, private, 0, s.people, s.seed)
    np.testing.assert_array_equal(s.tables.head, before)
