"""How models are opened, copied and rounded, whatever they are kept in.

Models are kept in 32 bits, or in 16 as bfloat16 (see `kernels.load`), rounded at random when they are
written. What trains, merges and scores sees 32 bits alone: a view of the model, or a copy of it, or of
just the rows that are needed.
"""

from typing import Any

import numpy as np

from sottovoce.kernels import AHEAD, ask, constant, dither, helper, inlined, load, operation
from sottovoce.state import STORAGES, flat, hold, locate, table_type, width


@inlined
def rounding(tables, key, item, d):
    """16 random bits to round column `d` of an item's row with."""
    return dither(key, item * ((width(tables) + 1) // 2) + d // 2, d % 2)


@operation(by="storage")
def roundings(tables, key, first, last, bits):
    """Write the same for all numbers of some rows, one row after another; nothing where none is needed."""


@roundings.rule("float32")
def _none(tables, key, first, last, bits):
    pass


@roundings.rule("bfloat16")
def _drawn(tables, key, first, last, bits):
    w = width(tables)
    if w % 2 == 0:  # flat, which vectorises
        for n in range((last - first) * w // 2):
            index = first * (w // 2) + n
            bits[2 * n], bits[2 * n + 1] = dither(key, index, 0), dither(key, index, 1)
    else:
        for item in range(first, last):
            for d in range(w):
                bits[(item - first) * w + d] = rounding(tables, key, item, d)


OLDEST = 2**29
"""No merge makes an age or a clock greater: the sum of two, and trainings after it, do not overflow then."""


@constant
def _oldest(tables: Any) -> int:
    return min(OLDEST, int(np.iinfo(STORAGES[tables.storage][1]).max))


@inlined
def limited(tables, age):
    """An age as `tables` can hold it: in 16 bits, at most 65,535."""
    return min(age, np.int32(_oldest(tables)))


@constant
def is_short(tables: Any) -> int:
    """Whether rows are kept in 16 bits, known at compile time."""
    return int(tables.storage == "bfloat16")


@constant
def _like(tables: Any) -> Any:
    return table_type(tables.width, tables.layout)


@constant
def _indexed(tables: Any) -> Any:
    return table_type(tables.width, "indexed")


@operation(by="storage")
def opened(tables, slot):
    """Model `slot` to be read, as the only one of tables in float32: a view, or where need be a copy."""


@opened.rule("float32")
def _view(tables, slot):
    begin, end = tables.offset[slot], tables.offset[slot + 1]
    return _one(tables, slot, tables.rows[begin:end])


@opened.rule("bfloat16")
def _copy(tables, slot):
    stored = flat(tables, slot)
    rows = np.empty(len(stored), np.float32)
    for n in range(len(stored)):
        rows[n] = load(stored[n])
    w = width(tables)
    return _one(tables, slot, rows.reshape((len(rows) // w, w)))


@helper
def _one(tables, slot, rows):
    begin, end = tables.offset[slot], tables.offset[slot + 1]
    return _like(tables)(
        rows,
        tables.age[begin:end],
        tables.head[slot : slot + 1],
        tables.clock[slot : slot + 1],
        tables.size[slot : slot + 1],
        np.array([0, end - begin]),
        tables.ids[begin:end],
        tables.where,
    )


@helper
def desk(tables, slot):
    """Room to train model `slot` in: indexed tables in float32 that hold no rows yet, but its head."""
    items = tables.offset[slot + 1] - tables.offset[slot]
    return _indexed(tables)(
        np.empty((items, width(tables)), np.float32),
        np.empty(items, np.int32),
        tables.head[slot : slot + 1],
        tables.clock[slot : slot + 1],
        tables.size[slot : slot + 1],
        np.zeros(2, np.int64),
        np.empty(items, np.int32),
        np.empty((1, items), np.int32),  # `hold` makes sense of whatever stands there
    )


@helper
def take_rows(tables, slot, scratch, place):
    """Copy the rows that model `place` of indexed tables holds from model `slot`."""
    ids, stored, rows = scratch.ids, tables.rows, scratch.rows
    end = scratch.offset[place + 1]
    for n in range(scratch.offset[place], end):
        if n + AHEAD < end:
            ask(stored, locate(tables, slot, ids[n + AHEAD]))
        j = locate(tables, slot, ids[n])
        for d in range(width(tables)):
            rows[n, d] = load(stored[j, d])


@helper
def take_ages(tables, slot, scratch):
    """Copy how old they are; `scratch` holds one model."""
    for n in range(scratch.offset[1]):
        scratch.age[n] = tables.age[locate(tables, slot, scratch.ids[n])]


@operation(by="storage")
def opened_at(tables, slot, items):
    """The same as `opened`, where nothing but the rows of these items is read."""


@opened_at.rule("float32")
def _all(tables, slot, items):
    return opened(tables, slot)


@opened_at.rule("bfloat16")
def _some(tables, slot, items):
    some = desk(tables, slot)
    hold(some, 0, items)
    take_rows(tables, slot, some, 0)
    take_ages(tables, slot, some)
    return some
