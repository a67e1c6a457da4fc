"""People of one slot train as a mini-batch: each trains a copy, and the slot moves by the mean change.

The changes are summed as integers with a fixed number of binary places, just as under masks
(`exchange.secure`), so the mean is bit by bit what the people of a group can compute with nobody seeing the
change of another. No masks are drawn here. A row with fewer than `fewest` contributors is withheld: its sum
would tell too much of too few. A person who changed nothing, or whose change is not finite or too large for
the integers, sends nothing.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.exchange.secure.fixed_point import FixedPoint
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.update import trained_update
from sottovoce.kernels import STORAGE, from_float32, helper, stream, to_float32
from sottovoce.models.instances import room
from sottovoce.protocols.hosted import train_hosted
from sottovoce.state import limited, rounding, width
from sottovoce.state.scratch import room_for_changes

PLACES = 20
"""Binary places of a number under masks; see `exchange.secure.contribution.Plan`."""


class Averaged(NamedTuple):
    """Each person of a slot trains a copy of its model, and the model moves by the mean of the changes."""

    fewest: int
    """How many people must have changed a row for its sum to be computed."""
    largest: int
    """The largest integer that a person may send."""
    stride: float = 1.0
    """How many means the model moves by."""


def averaged(fewest: int, people: int, stride: float = 1.0, bits: int = 32) -> Averaged:
    """The way for groups of at most so many `people`, with sums modulo 2^bits."""
    return Averaged(fewest, FixedPoint(bits, PLACES, people).limit, stride)


@helper
def _fits(way, value):
    """Whether a number can be sent: NaN and infinities cannot."""
    return abs(np.float64(value)) * 2.0**PLACES <= way.largest


@helper
def sendable(way, updates):
    """Whether every number of the only update fits."""
    fits = True
    for n in range(updates.offset[0], updates.offset[1]):
        for d in range(width(updates)):
            fits &= _fits(way, updates.rows[n, d])
    for d in range(updates.head.shape[1]):
        fits &= _fits(way, updates.head[0, d])
    return fits


@helper
def _integer(value):
    return np.int64(np.rint(np.float64(value) * 2.0**PLACES))


@helper
def add_integers(updates, rows, head):
    """Add the only update to sums of integers: `rows` [items, w + 1] with contributors at the end, `head`."""
    for n in range(updates.offset[0], updates.offset[1]):
        item = updates.ids[n]
        for d in range(width(updates)):
            rows[item, d] += _integer(updates.rows[n, d])
        rows[item, width(updates)] += 1
    for d in range(len(head)):
        head[d] += _integer(updates.head[0, d])


@helper
def _step(way, total, count):
    """How far a number moves by its sum over so many people."""
    return np.float32(way.stride * np.float64(total) / 2.0**PLACES / count)


@helper
def _move(way, tables, slot, rows, head, senders, run):
    """Move a slot by the mean of what was summed. Rows with enough contributors age by one."""
    key, begin, own = stream(run, STORAGE, -1 - slot, tables.clock[slot]), tables.offset[slot], tables.rows
    for item in range(len(rows)):
        count = rows[item, width(tables)]
        if count >= way.fewest:
            j = begin + item
            tables.age[j] = limited(tables, tables.age[j] + np.int32(1))
            for d in range(width(tables)):
                moved = to_float32(own[j, d]) + _step(way, rows[item, d], count)
                own[j, d] = from_float32(own, moved, rounding(tables, key, item, d))
    for d in range(len(head)):
        tables.head[slot, d] += _step(way, head[d], senders)


@train_hosted.rule(Averaged)
def _averaged(way, rule, model, steps, tables, private, slot, people, run):
    items = tables.offset[slot + 1] - tables.offset[slot]
    updates = room_for_changes(tables, items, room(model, items))
    rows = np.zeros((items, width(tables) + 1), np.int64)
    head, senders = np.zeros(tables.head.shape[1], np.int64), 0
    for n in range(people.first[slot], people.first[slot + 1]):
        person = people.member[n]
        number = people.steps[person]
        trained_update(model, steps, tables, slot, updates, 0, people, person, run, number)
        protect(steps, updates, 0, people, person, run, number)
        if updates.offset[1] > 0 and sendable(way, updates):
            add_integers(updates, rows, head)
            senders += 1
    if senders >= way.fewest:
        _move(way, tables, slot, rows, head, senders, run)
    tables.clock[slot] += 1
