"""Neural collaborative filtering (He et al. 2017), as it is trained with private data.

What `gmf`, `mlp` and `neumf` share: they are one network (see `_tower`) with a part left out or not. An
item's row is [qⱼ | pⱼ], a person's private vector [qᵤ | pᵤ], and the weights of all layers are the head.
`gmf` says how they start and learn; the derivative that goes backwards is ∂L/∂z = (ŷ − y) / |B|.

Moments of Adam (Kingma and Ba 2014) are fresh in every training and never leave it, except in central
training, where nothing is sent to anybody: there rows, head and vectors are three times as long, with
both moments behind the numbers themselves, and head and vectors end with the number of steps.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from sottovoce.kernels import TRAIN, below, helper, inlined, stream, uniform
from sottovoce.models._batches import add_gradients, gather, gradients, one_pass, padded, places, workspace
from sottovoce.models._tower import forward, lanes, numbers, weights
from sottovoce.models.interface import (
    Context,
    Shape,
    score,
    score_all,
    score_some,
    shape,
    start_head,
    start_row,
    start_user,
    together,
    touched,
    train,
)
from sottovoce.state import hold, locate

CENTRAL_BATCH, BATCH = 256, 64
"""Where a recipe leaves the batch open: as He et al. (2017) train, and with private data."""

Optimizer = Literal["adam", "sgd"]


class Network(NamedTuple):
    """`gmf`, `mlp` or `neumf` as kernels see it."""

    product: int  # numbers of a vector that are multiplied
    sizes: Any  # of x₀ and the tower's layers: int64
    items: int
    bound: float  # vectors start uniform in ± this
    step: float
    adam: bool
    epochs: int
    batch: int  # 0: all of a person's instances
    negatives: int
    kept: bool  # whether moments are kept from training to training


def network(model: Any, context: Context, product: int, tower: int) -> Network:
    """The network of a model that multiplies so many factors, and has so many in its tower."""
    layers = model.layers if tower else ()
    batch = (CENTRAL_BATCH if context.central else BATCH) if model.batch is None else model.batch
    return Network(
        product=product,
        sizes=np.array([2 * tower, *layers], np.int64),
        items=context.items,
        bound=math.sqrt(6 / (context.items + model.factors)),
        step=model.step,
        adam=model.optimizer == "adam",
        epochs=model.epochs,
        batch=batch,
        negatives=model.negatives,
        kept=context.central and model.optimizer == "adam",
    )


@helper
def _length(model):
    """How many numbers a row or a vector has, moments apart."""
    return model.product + model.sizes[0] // 2


@shape.rule(Network)
def _shape(model):
    row, head = int(_length(model)), int(weights(model.product, model.sizes))
    return Shape(3 * row, 3 * head + 1, 3 * row + 1) if model.kept else Shape(row, head, row)


@helper
def _start(model, vector, key):
    vector[:] = 0
    for d in range(_length(model)):
        vector[d] = model.bound * (2 * uniform(key, d) - 1)


@start_row.rule(Network)
def _start_row(model, row, key):
    _start(model, row, key)


@start_user.rule(Network)
def _start_user(model, user, key):
    _start(model, user, key)


@start_head.rule(Network)
def _start_head(model, head, key):
    head[:] = 0
    sizes = model.sizes
    w = 0
    for n in range(1, len(sizes) + 1):
        last = n == len(sizes)
        inputs = sizes[n - 1] + (model.product if last else 0)
        outputs = 1 if last else sizes[n]
        bound = math.sqrt(6 / (inputs + outputs))
        for k in range(inputs * outputs):
            head[w + k] = bound * (2 * uniform(key, w + k) - 1)
        w += (inputs + 1) * outputs


# Gradients


@workspace.rule(Network)
def _workspace(model, instances):
    """Room for the network's numbers and for the derivatives by them, as wide as batches are."""
    pairs = min(model.batch, instances) if model.batch > 0 else instances
    return np.zeros((2, numbers(model.product, model.sizes), lanes(pairs)), np.float32)


@add_gradients.rule(Network)
def _add_gradients(model, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head, work):
    given = rows, to_rows, vectors, to_vectors, head, to_head, work[0], work[1]
    gradients(model.product, model.sizes, item, who, label, *given)


# Instances


@helper
def _write(model, own, key, item, label):
    met = np.zeros(model.items, np.bool_)
    count = 0
    for j in own:
        if not met[j]:
            met[j] = True
            item[count], label[count] = j, True
            count += 1
    wanted = count * model.negatives if count < model.items else 0
    index = 0
    for _ in range(wanted):
        j = below(key, index, model.items)
        while met[j]:
            index += 1
            j = below(key, index, model.items)
        index += 1
        item[count], label[count] = j, False
        count += 1
    for n in range(count - 1 if 0 < model.batch < count else 0):  # a single batch has no order
        other = n + below(key, index + n, count - n)
        item[n], item[other] = item[other], item[n]
        label[n], label[other] = label[other], label[n]
    return count


@inlined
def _draw(model, people, person, run, epoch, item, label):
    """Write one epoch's instances, for several batches in random order; how many there are."""
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    key = stream(run, TRAIN, people.key[person], people.steps[person] * model.epochs + epoch)
    return _write(model, own, key, item, label)


@helper
def _room(model, people, person):
    """The most instances that an epoch of a person can have."""
    return (people.indptr[person + 1] - people.indptr[person]) * (1 + model.negatives)


@helper
def _draw_all(model, people, person, run, item, label):
    """Write the instances of all epochs of a training; how many there are in each."""
    count = 0
    for epoch in range(model.epochs):
        count += _draw(model, people, person, run, epoch, item[count:], label[count:])
    return count // model.epochs


@touched.rule(Network)
def _touched(model, tables, slot, people, person, run):
    room = _room(model, people, person) * model.epochs
    item, label = np.empty(room, np.int32), np.empty(room, np.bool_)
    each = _draw_all(model, people, person, run, item, label)
    hold(tables, slot, item[: each * model.epochs])


# Numbers in and out of tables


# Numbers are addressed one by one: a view of each row would cost more than all the rest of a training.


@inlined
def _take(model, stored, row, group, place, count):
    """Put stored numbers, and their moments if they are kept, into a group: value, gradient, two moments."""
    for d in range(count):
        group[0, place, d] = stored[row, d]
    if model.kept:
        for d in range(count):
            group[2, place, d] = stored[row, count + d]
            group[3, place, d] = stored[row, 2 * count + d]


@inlined
def _put(model, stored, row, group, place, count):
    """Store what training has made of it."""
    for d in range(count):
        stored[row, d] = group[0, place, d]
    if model.kept:
        for d in range(count):
            stored[row, count + d] = group[2, place, d]
            stored[row, 2 * count + d] = group[3, place, d]


@helper
def _number(items, item):
    """Number items as they first come up, in place; which items these are."""
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
    room = _room(model, people, person) * model.epochs
    item, label = np.empty(room, np.int32), np.empty(room, np.bool_)
    each = _draw_all(model, people, person, run, item, label)
    if each == 0:
        return 0
    total = each * model.epochs
    every = _number(model.items, item[:total])
    who = np.zeros(each, np.int32)
    w, h = _length(model), weights(model.product, model.sizes)
    rows, vectors = np.zeros((4, len(every), padded(w)), np.float32), np.zeros((4, 1, w), np.float32)
    head = np.zeros((4, 1, h), np.float32)
    work = workspace(model, each)
    stored, own, shared = tables.rows, people.user[person], tables.head[slot]
    for n in range(len(every)):
        _take(model, stored, locate(tables, slot, every[n]), rows, n, w)
    _take(model, people.user, person, vectors, 0, w)
    _take(model, tables.head, slot, head, 0, h)
    time = int(shared[3 * h]) if model.kept else 0
    own_time = int(own[3 * w]) if model.kept else 0
    active = len(every) if model.kept else 0
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
    if model.kept:
        shared[3 * h], own[3 * w] = time, own_time
    return total


@helper
def _shuffle(key, item, who, label):
    for n in range(len(item) - 1):
        other = n + below(key, n, len(item) - n)
        item[n], item[other] = item[other], item[n]
        who[n], who[other] = who[other], who[n]
        label[n], label[other] = label[other], label[n]


@together.rule(Network)
def _together(model, tables, slot, people, run):
    """Everybody's instances are shuffled among each other; a step moves all rows and vectors."""
    member = people.member[people.first[slot] : people.first[slot + 1]]
    room = 0
    for person in member:
        room += _room(model, people, person)
    item, who, label = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.bool_)
    w, h = _length(model), weights(model.product, model.sizes)
    rows = np.zeros((4, model.items, padded(w)), np.float32)
    vectors = np.zeros((4, len(member), w), np.float32)
    head = np.zeros((4, 1, h), np.float32)
    work = workspace(model, room)
    every, shared = np.arange(model.items), tables.head[slot]
    for j in range(model.items):
        _take(model, tables.rows, locate(tables, slot, j), rows, j, w)
    for n in range(len(member)):
        _take(model, people.user, member[n], vectors, n, w)
    _take(model, tables.head, slot, head, 0, h)
    time = int(shared[3 * h]) if model.kept else 0
    total = 0
    for epoch in range(model.epochs):
        count = 0
        for n in range(len(member)):
            drawn = _draw(model, people, member[n], run, epoch, item[count:], label[count:])
            who[count : count + drawn] = n
            count += drawn
        if count == 0:
            continue
        done = people.steps[member[0]] * model.epochs + epoch
        _shuffle(stream(run, TRAIN, -1, done), item[:count], who[:count], label[:count])
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
        if model.kept:
            people.user[member[n], 3 * w] = time
    _put(model, tables.head, slot, head, 0, h)
    if model.kept:
        shared[3 * h] = time
    return total


# Scores


@helper
def _score_from(model, tables, slot, people, person, items, begin, x, scores):
    """Write the scores of as many `items` as `x` has lanes; where there are none, of items by number."""
    product, sizes, z = model.product, model.sizes, len(x) - 1
    count, at = min(x.shape[1], len(scores) - begin), places(product, sizes, False)
    for lane in range(count):
        item = items[begin + lane] if len(items) else begin + lane
        gather(product, sizes, x, lane, at, tables.rows, locate(tables, slot, item))
    forward(product, sizes, people.user[person], tables.head[slot], x)
    for lane in range(count):
        scores[begin + lane] = x[z, lane]


@helper
def _score(model, tables, slot, people, person, items, scores):
    x = np.zeros((numbers(model.product, model.sizes), lanes(len(scores))), np.float32)
    for begin in range(0, len(scores), lanes(len(scores))):
        _score_from(model, tables, slot, people, person, items, begin, x, scores)


@score_some.rule(Network)
def _score_some(model, tables, slot, people, person, items, scores):
    if len(items):
        _score(model, tables, slot, people, person, items, scores)


@score_all.rule(Network)
def _score_all(model, tables, slot, people, person, scores):
    _score(model, tables, slot, people, person, np.empty(0, np.int32), scores)


@score.rule(Network)
def _score_one(model, tables, slot, people, person, item):
    scores = np.empty(1, np.float32)
    _score(model, tables, slot, people, person, np.full(1, item, np.int32), scores)
    return scores[0]
