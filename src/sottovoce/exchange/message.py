"""A model, or some of its rows, on the way from one node to another."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.state import Tables, table_type

LIMIT = 2**30
"""Ages and clocks stay below this: two of them can be added, and counted on, without overflow."""


class Message(NamedTuple):
    """What a node tells another about its model. Nothing private is part of it."""

    rows: NDArray[np.float32]  # [n, w]
    age: NDArray[np.int32]  # [n], how often each row was updated
    ids: NDArray[np.int32]  # [n], the item of each row, ascending; empty: row j is item j
    head: NDArray[np.float32]  # [h], weights that belong to no item
    clock: int  # how often the model was trained
    size: int  # how many interactions it was trained on

    @property
    def gathered(self) -> bool:
        """Whether `ids` says which items the rows are. No rows at all count as gathered."""
        return len(self.ids) == len(self.rows)


class Expect(NamedTuple):
    """What a node accepts: messages about a model of this shape."""

    items: int
    width: int
    head: int


def check(message: Message) -> None:
    """Refuse a message whose numbers no node should let near its model."""
    rows, age, ids, head, clock, size = message
    if rows.ndim != 2 or age.shape != rows.shape[:1] or ids.shape not in ((0,), age.shape) or head.ndim != 1:
        shapes = f"rows {rows.shape}, age {age.shape}, ids {ids.shape}, head {head.shape}"
        raise MessageError(f"A message's arrays do not fit together: {shapes}.")
    if not (np.isfinite(rows).all() and np.isfinite(head).all()):
        raise MessageError("A message holds weights that are not finite.", "The sender's model has diverged.")
    if len(age) and not (age.min() >= 0 and age.max() < LIMIT):
        raise MessageError(f"A message holds ages that are negative or above {LIMIT - 1}.")
    if len(ids) and not (ids[0] >= 0 and (ids[1:] > ids[:-1]).all()):
        raise MessageError("A message's item ids are negative or do not ascend.")
    if not (0 <= clock < LIMIT and 0 <= size < 2**63):
        raise MessageError(f"A message's clock ({clock}) or size ({size}) is out of range.")


def emit(tables: Tables, slot: int) -> Message:
    """What a node sends: the whole model `slot`, in views of its arrays."""
    rows = slice(tables.offset[slot], tables.offset[slot + 1])
    return Message(
        tables.rows[rows],
        tables.age[rows],
        tables.ids[rows],
        tables.head[slot],
        int(tables.clock[slot]),
        int(tables.size[slot]),
    )


def received(message: Message) -> Tables:
    """A message as tables with one slot, from which a node absorbs."""
    rows, age, ids, head, clock, size = message
    return table_type(rows.shape[1], message.gathered)(
        rows=rows,
        age=age,
        head=head[None, :],
        clock=np.array([clock], np.int32),
        size=np.array([min(size, LIMIT)], np.int32),
        offset=np.array([0, len(age)]),
        ids=ids,
    )
