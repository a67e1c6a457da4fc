"""Training on a model however its rows are stored: a model's `train` only ever sees float32.

Rows in 16 bits are taken out of the table before training, those only that it touches, and put back
after it, rounded at random.
"""

import numpy as np

from sottovoce.kernels import STORAGE, helper, load, operation, store, stream
from sottovoce.models import touched, train
from sottovoce.state import between, desk, limited, locate, rounding, width


@helper
def fetch(model, tables, slot, scratch, place, people, person, run):
    """Fill model `place` of indexed tables with the rows of model `slot` that a training will touch.

    Ages are left alone.
    """
    scratch.offset[place + 1] = scratch.offset[place]
    touched(model, scratch, place, people, person, run)
    for n in range(scratch.offset[place], scratch.offset[place + 1]):
        j = locate(tables, slot, scratch.ids[n])
        for d in range(width(tables)):
            scratch.rows[n, d] = load(tables.rows[j, d])


@operation(by="storage")
def study(tables, slot, model, people, person, run):
    """Let a person train on model `slot`; see `train`."""


@study.rule("float32")
def _in_place(tables, slot, model, people, person, run):
    train(model, tables, slot, people, person, run)


@study.rule("bfloat16")
def _beside(tables, slot, model, people, person, run):
    approach(tables, slot, model, people, person, run, 1.0)


@helper
def approach(tables, slot, model, people, person, run, step):
    """Train a copy of model `slot`, then move the model towards it by `step` of the way; 1: all of it.

    The person's vector, which no other model has, is trained for good.
    """
    scratch, head = desk(tables, slot), tables.head[slot].copy()
    fetch(model, tables, slot, scratch, 0, people, person, run)
    for n in range(scratch.offset[1]):
        scratch.age[n] = tables.age[locate(tables, slot, scratch.ids[n])]
    # A merge before it has even numbers, so that no draw is used twice.
    key = stream(run, STORAGE, people.key[person], 2 * tables.clock[slot] + 1)
    train(model, scratch, 0, people, person, run)
    part = np.float32(step)
    for n in range(scratch.offset[1]):
        item = scratch.ids[n]
        j = locate(tables, slot, item)
        tables.age[j] = limited(tables, scratch.age[n])
        for d in range(width(tables)):
            value = between(load(tables.rows[j, d]), scratch.rows[n, d], part)
            tables.rows[j, d] = store(tables.rows, value, rounding(tables, key, item, d))
    for d in range(len(head)):
        tables.head[slot, d] = between(head[d], tables.head[slot, d], part)
