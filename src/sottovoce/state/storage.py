"""How models are read, copied and rounded, in 32 bits or in 16.

Models are stored in 32 bits, or in 16 as bfloat16 (see `kernels.to_float32`), rounded at random when they are
written. Code that trains, merges and scores sees 32 bits alone: a view of the model, a copy of it, or a copy
of the rows that it needs.
"""

from typing import Any

import numpy as np

from sottovoce.kernels import constant, dither, helper, inlined, operation, to_float32
from sottovoce.state.tables import STORAGES, flat, table_type, width


@inlined
def rounding(tables, key, item, d):
    """16 random bits to round column `d` of an item's row with."""
    return dither(key, item * ((width(tables) + 1) // 2) + d // 2, d % 2)


@operation(by="storage")
def roundings(tables, key, first, last, bits):
    """Write `rounding` for all numbers of rows `first` to `last` into `bits`; for float32, nothing."""


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
def is_bfloat16(tables: Any) -> int:
    """Whether rows are kept in 16 bits, known at compile time."""
    return int(tables.storage == "bfloat16")


@constant
def _like(tables: Any) -> Any:
    return table_type(tables.width, tables.layout)


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
        rows[n] = to_float32(stored[n])
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
