"""A model, or some of its rows, on the way from one node to another."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.compression.interface import Chain, Whole, rows
from sottovoce.exchange.pack import expand, squeeze
from sottovoce.kernels import driver
from sottovoce.state import OLDEST, People, Tables, gathered, opened, table_type, whole

LIMIT = 2 * OLDEST
"""Ages and clocks stay below this: two of them can be added, and counted on, without overflow."""

LARGEST_WEIGHT = 2.0**20
"""No weight of a model in a message is larger, of either sign.

Models that learn stay far below it. Products of two numbers within the limit, and sums of them over any
catalogue, are finite. Only the message is looked at, so a refusal tells nothing about the receiver.
"""

MODEL, UPDATE, PUSH = range(3)
"""Kinds of messages."""
CODES: dict[int, Any] = {32: np.float32, 16: np.uint16, 8: np.uint8}
"""The type of a number in a message, by its bits."""
NONE = bytes(8)
"""No hash."""


class Message(NamedTuple):
    """A model for a peer, or an update for a server. It holds nothing private."""

    rows: NDArray[Any]  # [n, w], float32, or codes in uint16 or uint8
    age: NDArray[np.int32]  # [n], how often each row was updated; empty in an update
    ids: NDArray[np.int32]  # [n], the item of each row, ascending; empty: row j is item j
    head: NDArray[Any]  # [h], weights that belong to no item, or their codes
    clock: int  # how often the model was trained
    size: int  # how many interactions it was trained on
    scale: NDArray[np.float32] = np.empty((2, 0), np.float32)  # [2, w + 1], what codes mean; see `pack`
    delta: bool = False  # whether rows are differences to the common start
    relay: bool = False  # whether its sender has so few links that others pass it on as it is
    kind: int = MODEL
    sender: int = 0  # a number that the node goes by
    number: int = 0  # which of its messages this is
    catalogue: bytes = NONE  # 8 bytes, a hash
    settings: bytes = NONE  # 8 bytes, a hash

    @property
    def gathered(self) -> bool:
        """Whether `ids` says which items the rows are. No rows at all count as gathered."""
        return len(self.ids) == len(self.rows)

    @property
    def bits(self) -> int:
        """How many bits each number of a row has."""
        return 8 * self.rows.itemsize


class Expect(NamedTuple):
    """What a node accepts: messages about a model of this shape."""

    items: int
    width: int
    head: int
    catalogue: bytes = NONE
    settings: bytes = NONE


def check(message: Message, largest: float = LARGEST_WEIGHT) -> None:
    """Refuse a message whose numbers no node should let near its model."""
    rows, age, ids, head, clock, size, scale, *_ = message
    count = rows.shape[:1]
    aged = age.shape == (count if message.kind == MODEL else (0,))
    if rows.ndim != 2 or not aged or ids.shape not in ((0,), count) or head.ndim != 1:
        shapes = f"rows {rows.shape}, age {age.shape}, ids {ids.shape}, head {head.shape}"
        raise MessageError(f"A message's arrays do not fit together: {shapes}.")
    if not (np.isfinite(rows).all() and np.isfinite(head).all()):
        raise MessageError("A message holds weights that are not finite.", "The sender's model has diverged.")
    coded = rows.dtype != np.float32
    if scale.shape != (2, (rows.shape[1] + 1) * coded) or (head.dtype != rows.dtype and len(head)):
        raise MessageError(f"A message's codes do not fit their scale of {scale.shape}.")
    if coded and not (float(np.abs(scale).max()) * 2.0**message.bits < float(np.finfo(np.float32).max)):
        raise MessageError("A message's codes stand for numbers that are not finite.")
    if message.kind == MODEL and not _largest(message) <= largest:
        raise MessageError(
            f"A message holds weights up to {_largest(message):.3g}, and {largest:.0f} is the limit.",
            "The sender's model has diverged, or its sender means harm.",
        )
    if len(age) and not (age.min() >= 0 and age.max() < LIMIT):
        raise MessageError(f"A message holds ages that are negative or above {LIMIT - 1}.")
    if len(ids) and not (ids[0] >= 0 and (ids[1:] > ids[:-1]).all()):
        raise MessageError("A message's item ids are negative or do not ascend.")
    if message.kind == UPDATE and not message.gathered:
        raise MessageError("An update does not say which items it is about.")
    if not (0 <= message.sender < 2**64 and 0 <= message.number < 2**64):
        raise MessageError(f"A message's sender ({message.sender}) or number is out of range.")
    if not (0 <= clock < LIMIT and 0 <= size < 2**63):
        raise MessageError(f"A message's clock ({clock}) or size ({size}) is out of range.")


def _largest(message: Message) -> float:
    """The largest absolute value that the weights of a message can have."""
    if message.bits < 32:
        least, step = np.abs(message.scale.astype(np.float64))
        return float((least + step * (2.0**message.bits - 1)).max(initial=0.0))
    parts = message.rows, message.head
    return max(float(max(part.max(initial=0.0), -part.min(initial=0.0))) for part in parts)


@driver
def _squeeze(chain, tables, slot, people, reference, messages, run, number, scale):
    squeeze(chain, tables, slot, people, reference, messages, 0, run, number, scale)


@driver
def _expand(chain, messages, reference, scale):
    expand(chain, messages, 0, reference, scale)


def emit(
    tables: Tables,
    slot: int,
    chain: Chain | Whole = Whole(),  # noqa: B008 - a NamedTuple, which cannot change
    people: People | None = None,
    reference: Tables | None = None,
    run: int = 0,
    number: int = 0,
) -> Message:
    """What a node sends of model `slot`: views of its arrays, or what a chain of compressions leaves.

    A chain needs the node's people, the common start if it sends differences, and the number of the
    message, which decides its random choices; see `pack`.
    """
    if isinstance(chain, Whole):
        one, scale, kind = opened(tables, slot), np.empty((2, 0), np.float32), CODES[32]
    else:
        count = int(tables.offset[slot + 1] - tables.offset[slot])
        width, head = tables.rows.shape[1], tables.head.shape[1]
        whole_too = chain.share >= 1
        one = whole(1, count, width, head) if whole_too else gathered([rows(chain, count)], width, head)
        scale = np.zeros((2, (width + 1) * (chain.bits < 32)), np.float32)
        _squeeze(chain, tables, slot, people, reference or whole(0, 0, width, 0), one, run, number, scale)
        kind = CODES[chain.bits]
    sent, head = one.rows.astype(kind, copy=False), one.head[0].astype(kind, copy=False)
    counters = int(tables.clock[slot]), int(tables.size[slot])
    return Message(sent, one.age.astype(np.int32, copy=False), one.ids, head, *counters, scale, chain.delta)


def received(message: Message, reference: Tables | None = None) -> Tables:
    """A message as tables with one slot, from which a node absorbs; differences need the common start."""
    if message.delta and reference is None:
        raise MessageError("The message holds differences to a start that this node does not have.")
    rows, age, ids, head, clock, size, scale, delta, *_ = message
    tables = table_type(rows.shape[1], "gathered" if message.gathered else "whole")(
        rows=rows.astype(np.float32, copy=False),
        age=age,
        head=head.astype(np.float32, copy=False)[None, :],
        clock=np.array([clock], np.int32),
        size=np.array([min(size, LIMIT)], np.int32),
        offset=np.array([0, len(age)]),
        ids=ids,
    )
    if delta or message.bits < 32:
        chain = Chain(bits=message.bits, delta=delta)
        _expand(chain, tables, reference or whole(0, 0, rows.shape[1], 0), scale)
    return tables
