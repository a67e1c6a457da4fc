"""Neural collaborative filtering (He et al. 2017) as it is trained, by one person or on all data.

`gmf` says how the network learns; the derivative that goes backwards is ∂L/∂z = (ŷ − y) / |B|.

Moments of Adam (Kingma and Ba 2014) are fresh in every training, or kept by the person (see `_moments`). In
central training, where nothing is sent to anybody, they are columns: rows, head and vectors are three
times as long, with both moments behind the numbers themselves, and head and vectors end with the
number of steps.
"""

import math
from typing import Any

import numpy as np

from sottovoce.kernels import TRAIN, helper, inlined, stream
from sottovoce.models._batches import one_pass, padded, workspace
from sottovoce.models._instances import draw, draw_all, room, shuffle
from sottovoce.models._moments import load_moments, store_moments
from sottovoce.models._network import Network, head_length, vector_length
from sottovoce.models.interface import Context, together, train
from sottovoce.state import locate

CENTRAL_BATCH, BATCH = 256, 64
"""The batch where a recipe leaves it open: as He et al. (2017) train, and with private data."""


def network(model: Any, context: Context, product: int, tower: int) -> Network:
    """The network of a model that multiplies `product` factors and has `tower` factors in its tower."""
    layers = model.layers if tower else ()
    batch = (CENTRAL_BATCH if context.central else BATCH) if model.batch is None else model.batch
    adam = model.optimizer == "adam"
    return Network(
        product=product,
        sizes=np.array([2 * tower, *layers], np.int64),
        items=context.items,
        bound=math.sqrt(6 / (context.items + model.factors)),
        step=model.step,
        adam=adam,
        epochs=model.epochs,
        batch=batch,
        negatives=model.negatives,
        columns=adam and context.central,
        kept=adam and not context.central and model.optimizer_state == "kept",
    )


# Numbers are addressed one by one: a view of each row would cost more than all the rest of a training.


@inlined
def _take(model, stored, row, group, place, count):
    """Copy `stored[row]` to `place` of a group [4, n, length]: values, gradients and two moments."""
    for d in range(count):
        group[0, place, d] = stored[row, d]
    if model.columns:
        for d in range(count):
            group[2, place, d] = stored[row, count + d]
            group[3, place, d] = stored[row, 2 * count + d]


@inlined
def _put(model, stored, row, group, place, count):
    """Copy the values at `place` of a group back to `stored[row]`, and moments if they are columns."""
    for d in range(count):
        stored[row, d] = group[0, place, d]
    if model.columns:
        for d in range(count):
            stored[row, count + d] = group[2, place, d]
            stored[row, 2 * count + d] = group[3, place, d]


@helper
def _number(items, item):
    """Replace items by numbers, in the order in which they first come up; return the item of each number."""
    place = np.full(items, -1, np.int32)
    every = np.empty(min(items, len(item)), np.int32)
    count = 0
    for n in range(len(item)):
        j = item[n]
        if place[j] < 0:
            place[j] = count
            every[count] = j
            count += 1
        item[n] = place[j]
    return every[:count]


@helper
def _grow_older(tables, slot, every, item):
    """Add one to the age of all rows that have come up in an epoch."""
    seen = np.zeros(len(every), np.bool_)
    age = tables.age
    for n in range(len(item)):
        if not seen[item[n]]:
            seen[item[n]] = True
            age[locate(tables, slot, every[item[n]])] += 1


@train.rule(Network)
def _train(model, tables, slot, people, person, run):
    most = room(model, people, person) * model.epochs
    item, label = np.empty(most, np.int32), np.empty(most, np.bool_)
    each = draw_all(model, people, person, run, item, label)
    if each == 0:
        return 0
    total = each * model.epochs
    every = _number(model.items, item[:total])
    who = np.zeros(each, np.int32)
    w, h = vector_length(model), head_length(model)
    rows, vectors = np.zeros((4, len(every), padded(w)), np.float32), np.zeros((4, 1, w), np.float32)
    head = np.zeros((4, 1, h), np.float32)
    work = workspace(model, each)
    stored, own, shared = tables.rows, people.user[person], tables.head[slot]
    for n in range(len(every)):
        _take(model, stored, locate(tables, slot, every[n]), rows, n, w)
    _take(model, people.user, person, vectors, 0, w)
    _take(model, tables.head, slot, head, 0, h)
    time = int(shared[3 * h]) if model.columns else 0
    own_time = int(own[3 * w]) if model.columns else 0
    # People without memory of an optimizer, such as those made for a test, train afresh.
    kept = model.kept and people.optimizer.shape[1] > 0
    if kept:
        time = load_moments(model, people.optimizer[person], every, rows, vectors, head)
        own_time = time
    active = len(every) if model.columns or kept else 0
    for epoch in range(model.epochs):
        begin, end = epoch * each, (epoch + 1) * each
        steps, active = one_pass(
            model,
            item[begin:end],
            who,
            label[begin:end],
            rows,
            vectors,
            head,
            time,
            own_time,
            active,
            work,
        )
        time, own_time = time + steps, own_time + steps
        _grow_older(tables, slot, every, item[begin:end])
    for n in range(len(every)):
        _put(model, stored, locate(tables, slot, every[n]), rows, n, w)
    _put(model, people.user, person, vectors, 0, w)
    _put(model, tables.head, slot, head, 0, h)
    if model.columns:
        shared[3 * h], own[3 * w] = time, own_time
    if kept:
        store_moments(model, people.optimizer[person], every, rows, vectors, head, time)
    return total


@together.rule(Network)
def _together(model, tables, slot, people, run):
    """Everybody's instances are shuffled together; a step moves all rows and vectors."""
    member = people.member[people.first[slot] : people.first[slot + 1]]
    most = 0
    for person in member:
        most += room(model, people, person)
    item, who, label = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.bool_)
    w, h = vector_length(model), head_length(model)
    rows = np.zeros((4, model.items, padded(w)), np.float32)
    vectors = np.zeros((4, len(member), w), np.float32)
    head = np.zeros((4, 1, h), np.float32)
    work = workspace(model, most)
    every, shared = np.arange(model.items), tables.head[slot]
    for j in range(model.items):
        _take(model, tables.rows, locate(tables, slot, j), rows, j, w)
    for n in range(len(member)):
        _take(model, people.user, member[n], vectors, n, w)
    _take(model, tables.head, slot, head, 0, h)
    time = int(shared[3 * h]) if model.columns else 0
    total = 0
    for epoch in range(model.epochs):
        count = 0
        for n in range(len(member)):
            drawn = draw(model, people, member[n], run, epoch, item[count:], label[count:])
            who[count : count + drawn] = n
            count += drawn
        if count == 0:
            continue
        done = people.steps[member[0]] * model.epochs + epoch
        shuffle(stream(run, TRAIN, -1, done), item[:count], who[:count], label[:count])
        steps, _ = one_pass(
            model,
            item[:count],
            who[:count],
            label[:count],
            rows,
            vectors,
            head,
            time,
            time,
            model.items,
            work,
        )
        time += steps
        total += count
        _grow_older(tables, slot, every, item[:count])
    for j in range(model.items):
        _put(model, tables.rows, locate(tables, slot, j), rows, j, w)
    for n in range(len(member)):
        _put(model, people.user, member[n], vectors, n, w)
        if model.columns:
            people.user[member[n], 3 * w] = time
    _put(model, tables.head, slot, head, 0, h)
    if model.columns:
        shared[3 * h] = time
    return total
