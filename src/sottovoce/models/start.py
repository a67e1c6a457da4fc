"""What models and people's vectors hold before any training."""

import numpy as np

from sottovoce.kernels import INIT, STORAGE, driver, from_float32, helper, prange, stream
from sottovoce.models.interface import start_head, start_row, start_user
from sottovoce.state import rounding, width


@helper
def _start(model, tables, slot, who, run):
    begin = tables.offset[slot]
    row, key = np.empty(width(tables), np.float32), stream(run, STORAGE, who, -1)
    for j in range(tables.offset[slot + 1] - begin):
        item = tables.ids[begin + j] if len(tables.ids) else j
        start_row(model, row, stream(run, INIT, who, item))
        for d in range(width(tables)):
            tables.rows[begin + j, d] = from_float32(tables.rows, row[d], rounding(tables, key, item, d))
    start_head(model, tables.head[slot], stream(run, INIT, who, -1))


@driver
def start(model, tables, people, run, common, alike):
    """Fill tables and people's vectors before any training.

    If models are `common`, all start with the same numbers, otherwise each with its own; the same for vectors
    that are `alike`. Random numbers are keyed by
    people's keys and items, so a real peer starts as a simulated one does.
    """
    for index in prange(len(tables.clock)):
        slot = np.int64(index)
        who = 0 if common else people.key[people.member[people.first[slot]]] + 1
        _start(model, tables, slot, who, run)
    for index in prange(len(people.steps)):
        person = np.int64(index)
        who = 0 if alike else people.key[person] + 1
        start_user(model, people.user[person], stream(run, INIT, who, -2))
