"""How two models become one. One file per merge rule; what a rule consists of is declared here.

A rule is a `NamedTuple` of its parameters, registered with `@component("merge", name, needs=…)`.
`needs` says what it compares: the `row_age` of every row, or one figure for the whole model: its
`clock`, the `size` of the data behind it, or its `quality` for the receiver. Its `weight` turns two
such figures into the share of the incoming model.
"""

import numpy as np

from sottovoce.kernels import AHEAD, STORAGE, ask, constant, helper, load, operation, store, stream
from sottovoce.models._study import study
from sottovoce.state import between, flat, is_gathered, locate, width
from sottovoce.storage import OLDEST, is_short, limited, rounding, roundings


@operation
def weight(rule, mine, theirs):
    """The share of the incoming row or model, from 0 (ignored) to 1 (taken over)."""


@operation(default=lambda rule, mine, theirs: max(mine, theirs))
def merged_age(rule, mine, theirs):
    """The age after a merge."""


@operation(
    default=lambda rule, model, tables, slot, people, person, run: study(
        tables, slot, model, people, person, run
    )
)
def practise(rule, model, tables, slot, people, person, run):
    """Let a person train on model `slot`, after a merge or without one; by default just that."""


@operation(by="needs")
def standing(rule, model, tables, slot, people, person, run):
    """What a rule compares: a figure for model `slot` of `tables` in the eyes of `person`."""


@standing.rule("row_age")
def _row_age(rule, model, tables, slot, people, person, run):
    """Rows have ages of their own; the head, which belongs to no row, is as old as the model."""
    return np.float32(tables.clock[slot])


@standing.rule("clock")
def _clock(rule, model, tables, slot, people, person, run):
    return np.float32(tables.clock[slot])


@standing.rule("size")
def _size(rule, model, tables, slot, people, person, run):
    return np.float32(tables.size[slot])


@constant
def judges(rule):
    """Whether a rule finds out how good a model is for the receiver, known at compile time."""
    return int(rule.needs == "quality")


@constant
def _by_row(rule):
    return int(rule.needs == "row_age")


# Each of these loops vectorises, and all of them in one would not: a few rows go through one after another.
ROWS = 128
"""Rows that are merged at a time, so that what is known of them stays in the nearest cache."""


@helper
def _weigh(rule, tables, ages, their_ages, parts, shares):
    """Write the share of each incoming number of some rows, and return whether there is any.

    `parts` has room for the shares of the rows.
    """
    w, some = width(tables), False
    for n in range(len(ages)):
        parts[n] = weight(rule, np.float32(ages[n]), np.float32(their_ages[n]))
    for n in range(len(ages)):
        some |= parts[n] != 0
        for d in range(w):
            shares[n * w + d] = parts[n]
    return some


@helper
def _grow(rule, tables, ages, their_ages):
    for n in range(len(ages)):
        ages[n] = limited(tables, merged_age(rule, np.int32(ages[n]), np.int32(their_ages[n])))


@helper
def _blend(rows, their_rows, shares, bits):
    for n in range(len(rows)):
        value = between(load(rows[n]), load(their_rows[n]), shares[n])
        rows[n] = store(rows, value, bits[n])


@helper
def merge(rule, model, tables, slot, source, origin, people, person, run, over):
    """Merge model `origin` of `source` into model `slot` of `tables`, as `rule` says; or take it `over`.

    `source` may be the same tables, snapshots of them, or a message that holds some rows only. The
    `standing` of the incoming model is returned.
    """
    found = standing(rule, model, source, origin, people, person, run)
    share = np.float32(1)
    if not over:
        share = np.float32(weight(rule, standing(rule, model, tables, slot, people, person, run), found))
    each = _by_row(rule) and not over
    key = stream(run, STORAGE, people.key[person], 2 * tables.clock[slot])
    start, begin = tables.offset[slot], source.offset[origin]
    count = source.offset[origin + 1] - begin
    w = width(tables)
    if is_gathered(source):
        age, own, their_age, theirs, ids = tables.age, tables.rows, source.age, source.rows, source.ids
        for n in range(begin, begin + count):
            if n + AHEAD < begin + count:
                ask(own, locate(tables, slot, ids[n + AHEAD]))
            item = ids[n]
            j = locate(tables, slot, item)
            mine, their = np.int32(age[j]), np.int32(their_age[n])
            part = share
            if each:
                part = np.float32(weight(rule, np.float32(mine), np.float32(their)))
            age[j] = limited(tables, merged_age(rule, mine, their))
            for d in range(w):
                value = between(load(own[j, d]), load(theirs[n, d]), part)
                own[j, d] = store(own, value, rounding(tables, key, item, d))
    else:
        ages, their_ages = tables.age[start : start + count], source.age[begin : begin + count]
        rows, their_rows = flat(tables, slot), flat(source, origin)
        shares, bits = np.full(ROWS * w, share, np.float32), np.zeros(ROWS * w, np.uint16)
        parts = np.empty(ROWS, np.float32)
        for first in range(0, count, ROWS):
            last = min(first + ROWS, count)
            some = share != 0
            if each:
                some = _weigh(rule, tables, ages[first:last], their_ages[first:last], parts, shares)
            _grow(rule, tables, ages[first:last], their_ages[first:last])
            if some:
                # What is taken over as it is kept there needs no rounding.
                if share < 1 or each or not is_short(source):
                    roundings(tables, key, first, last, bits)
                _blend(rows[first * w : last * w], their_rows[first * w : last * w], shares, bits)
    for d in range(tables.head.shape[1]):
        tables.head[slot, d] = between(tables.head[slot, d], source.head[origin, d], share)
    tables.clock[slot] = min(merged_age(rule, tables.clock[slot], source.clock[origin]), OLDEST)
    return found
