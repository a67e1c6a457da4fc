"""What neural collaborative filtering is trained on: items with labels, drawn anew for each epoch."""

import numpy as np

from sottovoce.kernels import TRAIN, below, helper, inlined, stream
from sottovoce.models._network import Network
from sottovoce.models.interface import touched
from sottovoce.state import hold


@helper
def _write(model, own, key, item, label):
    """Write the distinct items of `own`, then negatives, into `item` and `label`; return how many.

    Several batches are shuffled; a single one has no order.
    """
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
    for n in range(count - 1 if 0 < model.batch < count else 0):
        other = n + below(key, index + n, count - n)
        item[n], item[other] = item[other], item[n]
        label[n], label[other] = label[other], label[n]
    return count


@inlined
def draw(model, people, person, run, epoch, item, label):
    """Write the instances of one epoch of the person's next training; return how many there are."""
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    key = stream(run, TRAIN, people.key[person], people.steps[person] * model.epochs + epoch)
    return _write(model, own, key, item, label)


@helper
def room(model, people, person):
    """The largest number of instances that an epoch of a person can have."""
    return (people.indptr[person + 1] - people.indptr[person]) * (1 + model.negatives)


@helper
def draw_all(model, people, person, run, item, label):
    """Write the instances of all epochs of the next training; return how many each epoch has."""
    count = 0
    for epoch in range(model.epochs):
        count += draw(model, people, person, run, epoch, item[count:], label[count:])
    return count // model.epochs


@touched.rule(Network)
def _touched(model, tables, slot, people, person, run):
    most = room(model, people, person) * model.epochs
    item, label = np.empty(most, np.int32), np.empty(most, np.bool_)
    each = draw_all(model, people, person, run, item, label)
    hold(tables, slot, item[: each * model.epochs])


@helper
def shuffle(key, item, who, label):
    """Put instances in random order, in place."""
    for n in range(len(item) - 1):
        other = n + below(key, n, len(item) - n)
        item[n], item[other] = item[other], item[n]
        who[n], who[other] = who[other], who[n]
        label[n], label[other] = label[other], label[n]
