"""Write a model, or what a chain of compressions leaves of it, into a message."""

import numpy as np

from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.compression.quantize import decoded, encoded, step_of
from sottovoce.exchange.compression.subsample import choose
from sottovoce.kernels import (
    AHEAD,
    COMPRESSION,
    ROUNDING,
    helper,
    operation,
    prefetch,
    stream,
    to_float32,
    uniform,
)
from sottovoce.state import flat, is_gathered, width


@operation
def pack(chain, tables, slot, people, reference, messages, place, run, number):
    """Write model `slot` into message `place`, as its receiver will see it.

    `messages` are gathered tables if the chain sends some rows only; all messages have equally many rows.
    A chain with `delta` subtracts the model in `reference`. Random choices belong to message `number` of the
    slot's first person.
    """


@pack.rule(Whole)
def _copy(chain, tables, slot, people, reference, messages, place, run, number):
    # Loops: an array assigned to a part of another takes three seconds longer to compile.
    begin, end, start = tables.offset[slot], tables.offset[slot + 1], messages.offset[place]
    age, age_sent = tables.age, messages.age
    for n in range(end - begin):
        age_sent[start + n] = age[begin + n]
    rows, rows_sent = flat(tables, slot), flat(messages, place)
    for n in range(len(rows)):
        rows_sent[n] = rows[n]
    head, head_sent = tables.head, messages.head
    for d in range(head.shape[1]):
        head_sent[place, d] = head[slot, d]
    messages.clock[place] = tables.clock[slot]
    messages.size[place] = tables.size[slot]


@helper
def _round(block, bits, key, column):
    """Replace numbers by codes of `bits` bits; return what code 0 means, and the size of a step."""
    low = high = block[0]
    for n in range(1, len(block)):
        low, high = min(low, block[n]), max(high, block[n])
    step = step_of(low, high, bits)
    for n in range(len(block)):
        block[n] = encoded(block[n], low, step, bits, uniform(key, column * len(block) + n))
    return low, step


@helper
def round_off(block, bits, key, column):
    """Round numbers to what `bits` bits can hold."""
    low, step = _round(block, bits, key, column)
    for n in range(len(block)):
        block[n] = decoded(block[n], low, step)


@helper
def to_codes(rows, head, bits, key, scale):
    """Replace the columns of rows [n, w], and a head [h], by codes; see `squeeze` for their `scale`."""
    w = rows.shape[1]
    for d in range(w if len(rows) else 0):
        scale[0, d], scale[1, d] = _round(rows[:, d], bits, key, d)
    if len(head):
        scale[0, w], scale[1, w] = _round(head, bits, key, -1)


@helper
def squeeze(chain, tables, slot, people, reference, messages, place, run, number, scale):
    """Write a message: the chosen rows, minus the reference if the chain says so, as codes.

    `scale[:, d]` holds what code 0 of column d means and the size of its step; the last is the head's.
    """
    sender = people.key[people.member[people.first[slot]]]
    begin, end = messages.offset[place], messages.offset[place + 1]
    w, head = width(tables), messages.head[place]
    if is_gathered(messages):
        items = tables.offset[slot + 1] - tables.offset[slot]
        choose(people, slot, items, stream(run, COMPRESSION, sender, number), messages.ids[begin:end])
    # Arrays of their own: a tuple of arrays that is passed on for every number costs more than all else.
    known, ids = reference.rows, messages.ids
    age, sent, own_age, own = messages.age, messages.rows, tables.age, tables.rows
    first = tables.offset[slot]
    for n in range(begin, end):
        if is_gathered(messages) and n + AHEAD < end:
            prefetch(own, first + ids[n + AHEAD])
        item = ids[n] if is_gathered(messages) else n - begin
        j = first + item
        age[n] = own_age[j]
        for d in range(w):
            sent[n, d] = to_float32(own[j, d])
        if chain.delta:
            for d in range(w):
                sent[n, d] -= known[item, d]
    for d in range(len(head)):
        head[d] = tables.head[slot, d]
    messages.clock[place] = tables.clock[slot]
    messages.size[place] = tables.size[slot]
    if chain.bits < 32:
        key = stream(run, ROUNDING, sender, number)
        to_codes(messages.rows[begin:end], head, chain.bits, key, scale)


@helper
def expand(chain, messages, place, reference, scale):
    """Turn the codes and differences of a message back into weights."""
    w, head = width(messages), messages.head[place]
    begin = messages.offset[place]
    known, ids, sent = reference.rows, messages.ids, messages.rows
    for n in range(begin, messages.offset[place + 1]):
        if chain.bits < 32:
            for d in range(w):
                sent[n, d] = decoded(sent[n, d], scale[0, d], scale[1, d])
        if chain.delta:
            item = ids[n] if is_gathered(messages) else n - begin
            for d in range(w):
                sent[n, d] += known[item, d]
    if chain.bits < 32:
        for d in range(len(head)):
            head[d] = decoded(head[d], scale[0, w], scale[1, w])


@pack.rule(Chain)
def _compress(chain, tables, slot, people, reference, messages, place, run, number):
    scale = np.empty((2, width(tables) + 1), np.float32)
    squeeze(chain, tables, slot, people, reference, messages, place, run, number, scale)
    expand(chain, messages, place, reference, scale)
