"""Tables: models of items, one after the other in flat arrays, whole or with some rows only."""

import functools
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import constant, inlined

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Doubles = NDArray[np.float64]
Bools = NDArray[np.bool_]


class _Arrays(NamedTuple):
    rows: NDArray[Any]  # [R, w], all models' rows: float32, or bfloat16 in uint16 (see `kernels.to_float32`)
    age: NDArray[Any]  # [R], how often each row was updated: int32, or uint16, which stays at its highest
    head: Floats  # [T, h], weights that belong to no item
    clock: Ints  # [T], how often each model was trained
    size: Ints  # [T], how many interactions the people it is trained by hold
    offset: Longs  # [T + 1], where each model's rows begin
    ids: Ints  # [R], the item of each row; empty when row j is item j
    where: Ints = np.empty((0, 0), np.int32)  # [T, items], where indexed tables have an item, if they do


class Tables(_Arrays):
    """T models of items, one after the other in flat arrays. All of it may be shared with others.

    Instances belong to a subclass that `table_type` makes, so that the row width, the layout and the
    storage are part of the type: compiled loops over a row have a constant length.
    """

    __slots__ = ()
    width: ClassVar[int]
    layout: ClassVar[str]
    storage: ClassVar["Storage"]

    @property
    def slots(self) -> int:
        """How many models there are."""
        return len(self.clock)


LAYOUTS = "whole", "gathered", "indexed"
Storage = Literal["float32", "bfloat16"]
STORAGES: dict[str, tuple[Any, Any]] = {"float32": (np.float32, np.int32), "bfloat16": (np.uint16, np.uint16)}
"""What rows and ages are kept in. Models only ever see float32: see `storage.opened`."""


def __getattr__(name: str) -> Any:
    """`Whole6`, `Gathered6`, `Whole6Bfloat16`: the classes that `table_type` makes, found by name.

    Numba's cache refers to a class by its module and name.
    """
    found = re.fullmatch(r"([A-Z][a-z]+)(\d+)(Bfloat16)?", name, re.ASCII)
    if found and found[1].lower() in LAYOUTS:
        return table_type(int(found[2]), found[1].lower(), (found[3] or "float32").lower())
    raise AttributeError(name)


def table_type(width: int, layout: str, storage: str = "float32") -> type[Tables]:
    """The class of tables with rows of this width: whole, or of some items' rows only.

    Gathered tables have ascending ids, in which an item is searched for; indexed ones know where
    each item's row is, which takes memory for every item.
    """
    return _table_type(width, layout, storage)


@functools.cache
def _table_type(width: int, layout: str, storage: str) -> type[Tables]:
    members = {"width": width, "layout": layout, "storage": storage, "__slots__": (), "__module__": __name__}
    short = "" if storage == "float32" else storage.capitalize()
    return type(f"{layout.capitalize()}{width}{short}", (Tables,), members)


@constant
def width(tables: Any) -> int:
    """The length of a row, known at compile time."""
    return int(tables.width)


@constant
def is_gathered(tables: Any) -> int:
    """Whether tables hold only some rows, known at compile time."""
    return int(tables.layout != "whole")


@constant
def is_indexed(tables: Any) -> int:
    """Whether tables know where an item's row is, known at compile time."""
    return int(tables.layout == "indexed")


@inlined
def locate(tables, slot, item):
    """Where the row of `item` lies in `tables.rows`; -1 if gathered tables do not hold it.

    Indexed tables must hold it: a look whether they do costs more than all the rest of a training.
    """
    low = tables.offset[slot]
    if not is_gathered(tables):
        return low + item
    if is_indexed(tables):
        return np.int64(tables.where[slot, item])
    high = tables.offset[slot + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if tables.ids[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low if low < end and tables.ids[low] == item else -1


@inlined
def hold(tables, slot, items):
    """Make the rows of these items part of a model in indexed tables, where they are not yet."""
    ids, where = tables.ids, tables.where[slot]
    begin, end = tables.offset[slot], tables.offset[slot + 1]
    for item in items:
        row = where[item]
        if not (begin <= row < end and ids[row] == item):
            ids[end] = item
            where[item] = end
            end += 1
    tables.offset[slot + 1] = end


@inlined
def flat(tables, slot):
    """The rows of a whole table, one after the other: loops over them vectorise, which views hinder."""
    begin, end = tables.offset[slot], tables.offset[slot + 1]
    return tables.rows[begin:end].reshape((end - begin) * width(tables))


def whole(slots: int, items: int, width: int, head: int, storage: Storage = "float32") -> Tables:
    """Tables that hold a row for every item. Memory is only committed when it is written."""
    number, count = STORAGES[storage]
    return table_type(width, "whole", storage)(
        rows=np.empty((slots * items, width), number),
        age=np.zeros(slots * items, count),
        head=np.zeros((slots, head), np.float32),
        clock=np.zeros(slots, np.int32),
        size=np.zeros(slots, np.int32),
        offset=np.arange(slots + 1, dtype=np.int64) * items,
        ids=np.empty(0, np.int32),
    )


def zeros(slots: int, items: int, width: int, head: int) -> Tables:
    """Whole tables in float32 that hold nothing but zeros."""
    tables = whole(slots, items, width, head)
    return tables._replace(rows=np.zeros(tables.rows.shape, np.float32))


def gathered(lengths: Sequence[int] | Longs, width: int, head: int, items: int = 0) -> Tables:
    """Tables with these numbers of rows; `ids`, which must ascend in each, are still to be filled in.

    Given the size of the catalogue, `items`, they are indexed: `ids` need not ascend, and `where`
    is still to be filled in too.
    """
    slots, total = len(lengths), int(np.sum(lengths))
    return table_type(width, "indexed" if items else "gathered")(
        rows=np.empty((total, width), np.float32),
        age=np.zeros(total, np.int32),
        head=np.zeros((slots, head), np.float32),
        clock=np.zeros(slots, np.int32),
        size=np.zeros(slots, np.int32),
        offset=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        ids=np.empty(total, np.int32),
        where=np.zeros((slots if items else 0, items), np.int32),
    )
