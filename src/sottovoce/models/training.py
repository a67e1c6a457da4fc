"""Training on a model in any storage, while a model's `train` sees float32 only.

If rows are stored in 16 bits, those that the training touches are copied to a scratch table, trained there,
and put back, rounded at random.
"""

import numpy as np

from sottovoce.kernels import STORAGE, between, from_float32, helper, operation, stream, to_float32
from sottovoce.models.interface import together, touched, train
from sottovoce.state import hold, limited, locate, rounding, scratch_for, take_ages, take_rows, width


@helper
def _key(tables, slot, people, person, run):
    """The stream of bits to round with. Merges use even numbers, trainings odd ones: no draw serves twice."""
    return stream(run, STORAGE, people.key[person], 2 * tables.clock[slot] + 1)


@helper
def _put_back(tables, slot, scratch, key, step):
    """Move the rows of model `slot` towards those of its trained copy by the share `step`, 0 to 1."""
    part = np.float32(step)
    for n in range(scratch.offset[1]):
        item = scratch.ids[n]
        j = locate(tables, slot, item)
        tables.age[j] = limited(tables, scratch.age[n])
        for d in range(width(tables)):
            value = between(to_float32(tables.rows[j, d]), scratch.rows[n, d], part)
            tables.rows[j, d] = from_float32(tables.rows, value, rounding(tables, key, item, d))


@helper
def gather_touched(model, tables, slot, scratch, place, people, person, run):
    """Fill model `place` of the indexed tables `scratch` with the rows of model `slot` to be touched.

    Ages are not copied.
    """
    scratch.offset[place + 1] = scratch.offset[place]
    touched(model, scratch, place, people, person, run)
    take_rows(tables, slot, scratch, place)


@operation(by="storage")
def train_stored(tables, slot, model, people, person, run):
    """Let a person train on model `slot`; see `train`."""


@train_stored.rule("float32")
def _in_place(tables, slot, model, people, person, run):
    train(model, tables, slot, people, person, run)


@train_stored.rule("bfloat16")
def _beside(tables, slot, model, people, person, run):
    train_towards(tables, slot, model, people, person, run, 1.0)


@helper
def train_towards(tables, slot, model, people, person, run, step):
    """Train a copy of model `slot`, then move the model towards it by the share `step`; 1 is all of the way.

    The person's vector is no part of the model: it keeps all that it learns.
    """
    scratch, head = scratch_for(tables, slot), tables.head[slot].copy()
    gather_touched(model, tables, slot, scratch, 0, people, person, run)
    key = _key(tables, slot, people, person, run)
    take_ages(tables, slot, scratch)
    train(model, scratch, 0, people, person, run)
    _put_back(tables, slot, scratch, key, step)
    part = np.float32(step)
    for d in range(len(head)):
        tables.head[slot, d] = between(head[d], tables.head[slot, d], part)


@operation(by="storage")
def train_together_stored(tables, slot, model, people, run):
    """Let all people of model `slot` train on it; see `together`."""


@train_together_stored.rule("float32")
def _together_in_place(tables, slot, model, people, run):
    together(model, tables, slot, people, run)


@train_together_stored.rule("bfloat16")
def _together_beside(tables, slot, model, people, run):
    scratch = scratch_for(tables, slot)
    hold(scratch, 0, np.arange(scratch.where.shape[1]))
    take_rows(tables, slot, scratch, 0)
    key = _key(tables, slot, people, people.member[people.first[slot]], run)
    take_ages(tables, slot, scratch)
    together(model, scratch, 0, people, run)
    _put_back(tables, slot, scratch, key, 1.0)
