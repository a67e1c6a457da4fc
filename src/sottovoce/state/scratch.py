"""Scratch tables: a float32 copy of the rows that a training or a score touches."""

from typing import Any

import numpy as np

from sottovoce.kernels import AHEAD, constant, helper, operation, prefetch, to_float32
from sottovoce.state.storage import opened
from sottovoce.state.tables import hold, locate, table_type, width


@constant
def _indexed(tables: Any) -> Any:
    return table_type(tables.width, "indexed")


@constant
def _whole(tables: Any) -> Any:
    return table_type(tables.width, "whole")


@helper
def copy_model(tables, slot, copies, place):
    """Copy model `slot`, every row of it, to model `place` of whole tables in float32."""
    begin, start = tables.offset[slot], copies.offset[place]
    stored, rows = tables.rows, copies.rows
    for n in range(tables.offset[slot + 1] - begin):
        copies.age[start + n] = tables.age[begin + n]
        for d in range(width(tables)):
            rows[start + n, d] = to_float32(stored[begin + n, d])
    for d in range(tables.head.shape[1]):
        copies.head[place, d] = tables.head[slot, d]
    copies.clock[place], copies.size[place] = tables.clock[slot], tables.size[slot]


@helper
def whole_copy(tables, slot):
    """A copy of model `slot`, every row of it, as the only one of whole tables in float32."""
    items = tables.offset[slot + 1] - tables.offset[slot]
    copy = _whole(tables)(
        np.empty((items, width(tables)), np.float32),
        np.empty(items, np.int32),
        np.empty((1, tables.head.shape[1]), np.float32),
        np.empty(1, np.int32),
        np.empty(1, np.int32),
        np.array([0, items]),
        np.empty(0, np.int32),
        np.empty((0, 0), np.int32),
    )
    copy_model(tables, slot, copy, 0)
    return copy


@helper
def indexed_copy(tables):
    """A copy of the only model of whole tables, as indexed tables; their `ids` are still to be filled in."""
    items = len(tables.age)
    return _indexed(tables)(
        tables.rows.copy(),
        tables.age.copy(),
        tables.head.copy(),
        tables.clock.copy(),
        tables.size.copy(),
        np.array([0, items]),
        np.empty(items, np.int32),
        np.empty((1, items), np.int32),
    )


@helper
def scratch_for(tables, slot):
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
        np.empty((1, items), np.int32),  # `hold` checks every place before it uses it
    )


@helper
def room_for_changes(tables, items, rows):
    """Room for one update of so many rows, of a model of so many items: indexed tables in float32 with a
    head of their own."""
    return _indexed(tables)(
        np.empty((rows, width(tables)), np.float32),
        np.empty(rows, np.int32),
        np.zeros((1, tables.head.shape[1]), np.float32),
        np.zeros(1, np.int32),
        np.zeros(1, np.int32),
        np.zeros(2, np.int64),
        np.empty(rows, np.int32),
        np.empty((1, items), np.int32),
    )


@helper
def room_for_update(tables, slot):
    """Room for one update of model `slot` that has each row at most once."""
    items = tables.offset[slot + 1] - tables.offset[slot]
    return room_for_changes(tables, items, items)


@helper
def take_rows(tables, slot, scratch, place):
    """Copy the rows that model `place` of indexed tables holds from model `slot`."""
    ids, stored, rows = scratch.ids, tables.rows, scratch.rows
    end = scratch.offset[place + 1]
    for n in range(scratch.offset[place], end):
        if n + AHEAD < end:
            prefetch(stored, locate(tables, slot, ids[n + AHEAD]))
        j = locate(tables, slot, ids[n])
        for d in range(width(tables)):
            rows[n, d] = to_float32(stored[j, d])


@helper
def take_ages(tables, slot, scratch):
    """Copy the ages of the rows that `scratch`, with one model, holds."""
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
    some = scratch_for(tables, slot)
    hold(some, 0, items)
    take_rows(tables, slot, some, 0)
    take_ages(tables, slot, some)
    return some
