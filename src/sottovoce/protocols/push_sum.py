"""Push-sum: everybody comes to know a sum that nobody computes (Kempe, Dobra and Gehrke 2003).

Each node has numerators and a weight, at first its own contribution and 1. Again and again it sends half of
both to another node, which adds them to its own. Numerators divided by the weight come close to the mean of
all contributions. What is sent of a row is rounded to few bits, and the sender keeps what rounding leaves of
the half: nothing gets lost, so rounding errors do not add up.

A node's numerators are a slot of whole tables. The last number of a row is a count, and the last number of
the head is the weight. In a message a row has a scale and a count of 16 bits each, and `bits` for each other
number; rows without a count are left out, and a bit for each item says which. The head has 16 bits a number
except for its last two, which have 64.
"""

import math
from typing import Any

import numpy as np

from sottovoce.kernels import driver, helper, inlined, prange
from sottovoce.protocols.interface import Messages
from sottovoce.state import Bools, Longs, Tables, width

MANTISSA = 2048.0
"""2^11: a number of 16 bits with 11 binary digits."""


@inlined
def _short(value):
    """A number rounded to the 11 digits that 16 bits leave beside an exponent."""
    part, exponent = math.frexp(value)
    return np.float32(math.ldexp(np.rint(part * MANTISSA) / MANTISSA, exponent))


@inlined
def _scale(rows, at, wide):
    """The largest half of a row's numbers, its count aside, as it is sent."""
    most = np.float32(0)
    for d in range(wide - 1):
        most = max(most, abs(rows[at, d]))
    return _short(np.float32(0.5) * most)


@helper
def _send_row(rows, at, into, to, wide, levels, sign):
    """Add the half of row `at` that is sent to row `to`, or take it away, with the same roundings."""
    scale = _scale(rows, at, wide)
    if levels > 0 and scale > 0:
        part, step = np.float32(0.5) * levels / scale, sign * scale / levels
        for d in range(wide - 1):
            into[to, d] += step * min(max(np.rint(part * rows[at, d]), -levels), levels)
    elif scale > 0:
        for d in range(wide - 1):
            into[to, d] += sign * np.float32(0.5) * rows[at, d]
    into[to, wide - 1] += sign * _short(np.float32(0.5) * rows[at, wide - 1])


@helper
def _copy_row(rows, at, into, to, wide):
    for d in range(wide):
        into[to, d] = rows[at, d]


@helper
def _send_head(head, sender, into, receiver, sign):
    """The same for the head."""
    last = head.shape[1]
    for d in range(last):
        half = np.float32(0.5) * head[sender, d]
        into[receiver, d] += sign * (half if d >= last - 2 else _short(half))


@helper
def _receive(sums, into, sent, first, sender, node, levels, held):
    """Write the numerators of a node after a push; `held` [N] notes how many rows it had a count of."""
    begin, wide = sums.offset[node], width(sums)
    rows, out = sums.rows, into.rows
    count = 0
    for n in range(begin, sums.offset[node + 1]):
        _copy_row(rows, n, out, n, wide)
        if rows[n, wide - 1] != 0:
            count += 1
            if sent[node]:
                _send_row(rows, n, out, n, wide, levels, np.float32(-1))
    for m in range(first[node], first[node + 1]):
        away = sums.offset[sender[m]] - begin
        for n in range(begin, sums.offset[node + 1]):
            if rows[n + away, wide - 1] != 0:
                _send_row(rows, n + away, out, n, wide, levels, np.float32(1))
    held[node] = count
    for d in range(sums.head.shape[1]):
        into.head[node, d] = sums.head[node, d]
    if sent[node]:
        _send_head(sums.head, node, into.head, node, np.float32(-1))
    for m in range(first[node], first[node + 1]):
        _send_head(sums.head, sender[m], into.head, node, np.float32(1))


@driver
def _push(sums, into, sent, first, sender, levels, held):
    for node in prange(len(sent)):
        _receive(sums, into, sent, first, sender, node, levels, held)


def push(sums: Tables, into: Tables, sent: Bools, arriving: Messages, bits: int) -> Longs:
    """Let the nodes that `sent` says give half of their `sums` away; write what all have then `into` others.

    `arriving` are the messages that get through; a half that gets lost is lost. Returns how many rows each
    node had a count of, [N].
    """
    order = np.argsort(arriving.receiver, kind="stable")
    first = np.searchsorted(arriving.receiver[order], np.arange(len(sent) + 1))
    held = np.empty(len(sent), np.int64)
    levels = np.float32(2 ** (bits - 1) - 1 if bits < 32 else 0)
    given: tuple[Any, ...] = sums, into, sent, first, arriving.sender[order], levels, held
    _push(*given, batch=len(sent))
    return held


def message_bytes(held: Longs, items: int, row: int, head: int, bits: int) -> Longs:
    """The bytes of messages with so many rows."""
    each = ((row - 1) * bits + 7) // 8 + 4
    absent = np.where(held < items, (items + 7) // 8, 0)
    return held * each + absent + 2 * max(head - 2, 0) + 16
