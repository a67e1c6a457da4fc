"""Merge one model into another, row by row, as a merge rule says."""

import numpy as np

from sottovoce.combine.interface import compares_rows, merge_statistic, merged_age, weight
from sottovoce.kernels import (
    AHEAD,
    STORAGE,
    between,
    from_float32,
    helper,
    prefetch,
    stream,
    to_float32,
)
from sottovoce.state import (
    OLDEST,
    flat,
    is_bfloat16,
    is_gathered,
    limited,
    locate,
    rounding,
    roundings,
    width,
)

# Each of these loops vectorises, and all of them in one would not: a few rows go through one after another.
ROWS = 128
"""Rows that are merged at a time, so that their weights stay in the nearest cache."""


@helper
def _weigh(rule, tables, ages, their_ages, parts, shares):
    """Write the weight of each incoming number of n rows into `shares` [n · w]; return whether any is not 0.

    `parts` [n] has room for the weights of the rows.
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
        value = between(to_float32(rows[n]), to_float32(their_rows[n]), shares[n])
        rows[n] = from_float32(rows, value, bits[n])


@helper
def merge(rule, model, tables, slot, source, origin, people, person, run, over):
    """Merge model `origin` of `source` into model `slot`, as `rule` says, or with `over` replace it.

    `source` may be the same tables, snapshots of them, or a message that holds some rows only. Returns the
    `merge_statistic` of the incoming model.
    """
    found = merge_statistic(rule, model, source, origin, people, person, run)
    share = np.float32(1)
    if not over:
        mine = merge_statistic(rule, model, tables, slot, people, person, run)
        share = np.float32(weight(rule, mine, found))
    each = compares_rows(rule) and not over
    key = stream(run, STORAGE, people.key[person], 2 * tables.clock[slot])
    start, begin = tables.offset[slot], source.offset[origin]
    count = source.offset[origin + 1] - begin
    w = width(tables)
    if is_gathered(source):
        age, own, their_age, theirs, ids = tables.age, tables.rows, source.age, source.rows, source.ids
        for n in range(begin, begin + count):
            if n + AHEAD < begin + count:
                prefetch(own, locate(tables, slot, ids[n + AHEAD]))
            item = ids[n]
            j = locate(tables, slot, item)
            mine, their = np.int32(age[j]), np.int32(their_age[n])
            part = share
            if each:
                part = np.float32(weight(rule, np.float32(mine), np.float32(their)))
            age[j] = limited(tables, merged_age(rule, mine, their))
            for d in range(w):
                value = between(to_float32(own[j, d]), to_float32(theirs[n, d]), part)
                own[j, d] = from_float32(own, value, rounding(tables, key, item, d))
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
                # Rows that are copied from bfloat16 to bfloat16 need no rounding.
                if share < 1 or each or not is_bfloat16(source):
                    roundings(tables, key, first, last, bits)
                _blend(rows[first * w : last * w], their_rows[first * w : last * w], shares, bits)
    for d in range(tables.head.shape[1]):
        tables.head[slot, d] = between(tables.head[slot, d], source.head[origin, d], share)
    tables.clock[slot] = min(merged_age(rule, tables.clock[slot], source.clock[origin]), OLDEST)
    return found
