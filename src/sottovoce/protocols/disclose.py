"""Training under gossip when steps decide what others may see of it.

Without steps a person trains on the table that travels. With steps the person trains a copy of it, with the
private remainder added. What the training changed is an update; steps change the update, and what is left
of it enters the table. The rest is kept in the private remainder, which never travels:

    copy = table + private;  train copy;  Δ = what changed;  Δ′ = steps(Δ)
    table ← table + Δ′;  private ← private + (Δ − Δ′)

A row that is not disclosed does not grow older in the table either. Steps that add noise to every row let all
rows grow older alike (`disclosed_age`), so that ages tell nothing. Their noise is no part of the remainder
(Δ′ is then what they disclose on average): in the table it fades with every merge, and the remainder would
subtract all of it for ever. People score with table + private.

With a model that learns instance by instance, Δ is a sum over instances, and steps may withhold some of these
before Δ′ is added up.
"""

from typing import Any

import numpy as np

from sottovoce.combine.interface import pace, train_after_merge
from sottovoce.exchange.steps.interface import (
    Nothing,
    adds_noise,
    disclosed_age,
    protect,
    protect_quietly,
)
from sottovoce.exchange.update import disclosed_sum
from sottovoce.kernels import (
    STORAGE,
    driver,
    from_float32,
    helper,
    operation,
    prange,
    stream,
    to_float32,
)
from sottovoce.models.instances import add_up, instances, room
from sottovoce.state import People, Tables, each_alone, limited, rounding, whole, width
from sottovoce.state.scratch import copy_model, indexed_copy, room_for_changes, whole_copy


def _with_remainder(steps, rule, model, tables, private, slot, people, person, run):
    """Train a copy, disclose what the steps leave of the change, and keep the rest; see above."""
    key = stream(run, STORAGE, people.key[person], 2 * tables.clock[slot] + 1)
    copy = whole_copy(tables, slot)
    add_private(private, person, copy, 0)
    age = np.zeros(len(copy.age), np.int32)
    updates = changed(model, rule, steps, copy, private, age, people, person, run)
    updates.clock[0], updates.size[0] = tables.clock[slot], tables.size[slot]
    for j in range(len(age)):  # from here on `age` tells how much older a disclosed row becomes
        age[j] = disclosed_age(steps, age[j])
    if adds_noise(steps):
        quiet = _copied(updates, copy, len(updates.ids))
        protect_quietly(steps, quiet, 0, people, person, run, people.steps[person])
        _keep(quiet, age, private, person, np.float32(-1))
        protect(steps, updates, 0, people, person, run, people.steps[person])
    else:
        protect(steps, updates, 0, people, person, run, people.steps[person])
        _keep(updates, age, private, person, np.float32(-1))
    _enter(updates, age, tables, slot, key)


def _by_training(model, rule, steps, copy, private, grown, people, person, run):
    updates = indexed_copy(copy)
    age, head = copy.age.copy(), copy.head.copy()
    train_after_merge(rule, model, copy, 0, people, person, run)
    _difference(copy, age, head, updates)
    for j in range(len(age)):
        grown[j] = copy.age[j] - age[j]
    _keep(updates, grown, private, person, np.float32(1))
    return updates


@operation(default=_by_training, by="learns")
def changed(model, rule, steps, copy, private, grown, people, person, run):
    """Let a person train the only model of `copy`, and keep all that this changes in the private remainder.

    Returns the change, as far as steps let single instances through. `grown` [items] is 0 and takes how much
    older the training makes each row.
    """


@changed.rule("instances")
def _by_instances(model, rule, steps, copy, private, grown, people, person, run):
    items, most = len(grown), room(model, len(grown))
    updates = room_for_changes(copy, items, most)
    instances(model, copy, 0, updates, 0, people, person, run)
    share = np.float32(pace(rule))
    for n in range(updates.offset[1]):
        for d in range(width(updates)):
            updates.rows[n, d] *= share
    every = _copied(updates, copy, most)
    add_up(every, 0)
    for n in range(every.offset[1]):
        grown[every.ids[n]] = 1
    _keep(every, grown, private, person, np.float32(1))
    disclosed_sum(model, steps, updates, 0, people, person, run, people.steps[person])
    return updates


@operation(default=_with_remainder)
def train_disclosed(steps, rule, model, tables, private, slot, people, person, run):
    """Let a person train on model `slot`, as the merge rule says, and disclose what the steps leave of it."""


@train_disclosed.rule(Nothing)
def _openly(steps, rule, model, tables, private, slot, people, person, run):
    train_after_merge(rule, model, tables, slot, people, person, run)


@helper
def add_private(private, person, copy, place):
    """Add a person's private remainder to model `place` of whole tables in float32."""
    begin, start = private.offset[person], copy.offset[place]
    rows, own = copy.rows, private.rows
    for n in range(private.offset[person + 1] - begin):
        copy.age[start + n] += private.age[begin + n]
        for d in range(width(copy)):
            rows[start + n, d] += own[begin + n, d]
    for d in range(copy.head.shape[1]):
        copy.head[place, d] += private.head[person, d]


@helper
def _difference(copy, age, head, updates):
    """Turn `updates`, a copy of the model before training, into what training changed of it."""
    count, ids, rows = 0, updates.ids, updates.rows
    for j in range(len(age)):
        if copy.age[j] > age[j]:
            for d in range(width(copy)):
                rows[count, d] = copy.rows[j, d] - rows[j, d]
            ids[count] = j
            count += 1
    updates.offset[1] = count
    for d in range(head.shape[1]):
        updates.head[0, d] = copy.head[0, d] - head[0, d]


@helper
def _copied(updates, model, most):
    """A copy of an update of this model, with room for so many rows."""
    copy, count = room_for_changes(model, len(model.age), most), updates.offset[1]
    copy.offset[1], copy.size[0] = count, updates.size[0]
    for n in range(count):
        copy.ids[n] = updates.ids[n]
        for d in range(width(updates)):
            copy.rows[n, d] = updates.rows[n, d]
    for d in range(updates.head.shape[1]):
        copy.head[0, d] = updates.head[0, d]
    return copy


@helper
def _keep(updates, grown, private, person, sign):
    """Add an update to a person's private remainder, or take out what is disclosed of it.

    `grown` [items] tells how much older its rows are. It may be more than training made them; no remainder
    has a negative age.
    """
    begin, rows, own = private.offset[person], updates.rows, private.rows
    for n in range(updates.offset[1]):
        j = updates.ids[n]
        private.age[begin + j] = max(0, private.age[begin + j] + np.int32(sign) * grown[j])
        for d in range(width(updates)):
            own[begin + j, d] += sign * rows[n, d]
    for d in range(updates.head.shape[1]):
        private.head[person, d] += sign * updates.head[0, d]


@helper
def _enter(updates, grown, tables, slot, key):
    """Add an update to the table that travels. Its rows grow older by what `grown` [items] says."""
    begin, own = tables.offset[slot], tables.rows
    for n in range(updates.offset[1]):
        item = updates.ids[n]
        j = begin + item
        tables.age[j] = limited(tables, tables.age[j] + grown[item])
        for d in range(width(tables)):
            value = to_float32(own[j, d]) + updates.rows[n, d]
            own[j, d] = from_float32(own, value, rounding(tables, key, item, d))
    for d in range(tables.head.shape[1]):
        tables.head[slot, d] += updates.head[0, d]


@helper
def _own_model(tables, slot, private, person, own):
    copy_model(tables, slot, own, person)
    add_private(private, person, own, person)


@driver
def _own_models(tables, people, private, slot_of, own):
    for index in prange(len(slot_of)):
        person = np.int64(index)
        _own_model(tables, slot_of[person], private, person, own)


def own_models(tables: Tables, people: People, private: Tables, slot_of: Any) -> tuple[Tables, People]:
    """What each person scores with: a model of their own, table and private remainder together."""
    count, items = len(people.steps), len(tables.age) // tables.slots
    own = whole(count, items, tables.width, tables.head.shape[1])
    _own_models(tables, people, private, slot_of, own, batch=count)
    return own, people._replace(**each_alone(count)._asdict())
