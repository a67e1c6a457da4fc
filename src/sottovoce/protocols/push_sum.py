"""Push-sum: everybody comes to know a sum that nobody computes (Kempe, Dobra and Gehrke 2003).

Each node has numerators and a weight, at first its own contribution and 1. Again and again it sends half of
both to another node, which adds them to its own. Numerators divided by the weight come close to the mean of
all contributions. What is sent of a row is rounded to few bits, and the sender keeps what rounding leaves of
the half: nothing gets lost, so rounding errors do not add up. A message that gets lost takes numerators and
weight with it, so that their quotient stays right.

A row ends with one or two counts, and the head with the weight. In a message (`exchange.pushed`) a row has a
scale and counts of 16 bits each, and `bits` for each other number; the head has 17 bits a number except for
its last two, which have 32. The range of 16 bits is limited (`exchange.short_numbers`). A row whose last
count is too small for it is left out. Of a row whose first count of two is too small, because its numbers are
withheld or nearly all sent before, the last count is sent alone. Whatever is not sent, because it is too
small or too large, its sender keeps. With 32 bits numbers and counts of rows are sent as they are; which rows
are left out stays the same.

All nodes push at once, in place, item by item: the halves that all nodes send of one item fit the processor's
cache, so that every number is read and written once.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.exchange import pushed
from sottovoce.exchange.short_numbers import BIAS, BINADES, LEAST, LOWEST, MOST, MOST_IN_HEAD
from sottovoce.kernels import driver, helper, inlined, prange
from sottovoce.state import Bools, Floats, Ints, Longs

PIECES = 16
"""Parts of the catalogue that can be worked on in parallel."""


class Numerators(NamedTuple):
    """What N nodes have of the sums over people: of each item's row, and of the head."""

    rows: Floats  # [items, N, w], item by item
    head: Floats  # [N, h]


def numerators(nodes: int, items: int, row: int, head: int) -> Numerators:
    """Room for the numerators of so many nodes, all of them 0."""
    return Numerators(np.zeros((items, nodes, row), np.float32), np.zeros((nodes, head), np.float32))


class Pushes(NamedTuple):
    """Messages that are sent at one time, at most one by each of N nodes, by receiver."""

    sent: Bools  # [N], who sends
    first: Longs  # [N + 1], where the messages begin that reach each node
    sender: Ints  # [messages that arrive]


def pushes(nodes: int, sender: Ints, receiver: Ints) -> Pushes:
    """The pushes from `sender` to `receiver`, with -1 where a message does not arrive."""
    sent = np.zeros(nodes, np.bool_)
    sent[sender] = True
    arriving = np.flatnonzero(receiver >= 0)
    arriving = arriving[np.argsort(receiver[arriving], kind="stable")]
    first = np.searchsorted(receiver[arriving], np.arange(nodes + 1))
    return Pushes(sent, first, sender[arriving])


@inlined
def _short(value):
    """A number rounded to the 11 digits that 16 bits leave beside an exponent (Veltkamp's splitting)."""
    scaled = np.float32(8193) * value
    return scaled - (scaled - value)


@helper
def _find_peaks(bits, numbers, peaks):
    """The largest absolute value of the first `numbers` of each row, for floats given by their bits.

    As integers these sort like the floats. Loops over a row stand here and below without a function of their
    own, and have a length that is not known when they are compiled: only then they vectorise.
    """
    for node in range(len(peaks)):
        most = np.int32(0)
        for d in range(numbers):
            most = max(most, bits[node, d] & np.int32(0x7FFFFFFF))
        peaks[node] = most


@inlined
def _is_sent(own):
    """Whether the half of a count is large enough to be sent."""
    return abs(np.float32(0.5) * own) >= np.float32(LEAST)


@inlined
def _half_count(own):
    """The half of a count as a message holds it; 0 if it is too small."""
    half, most = np.float32(0.5) * own, np.float32(MOST)
    return _short(min(max(half, -most), most)) if _is_sent(own) else np.float32(0)


@helper
def _tally(own, counts, sent, held):
    """Count the rows of messages: with numbers, with a count alone, and with a negative count.

    This is a loop of its own because the loops over numbers take a third longer if it stands beside them.
    """
    first, last = own.shape[1] - counts, own.shape[1] - 1
    for node in range(len(sent)):
        if sent[node] and _is_sent(own[node, last]):
            alone = counts == 2 and not _is_sent(own[node, first])
            held[1 if alone else 0, node] += 1
            if own[node, last] < 0 or (own[node, first] < 0 and not alone):
                held[2, node] += 1


@inlined
def step_of(scale, levels):
    """What codes of a row are multiplied by; without levels they are the numbers themselves."""
    return scale / levels if levels > 0 else np.float32(1)


@helper
def _find_steps(levels, parts, scales, steps):
    """Of each row whose peak is in `parts`: its scale, and what turns numbers into codes of their halves."""
    for node in range(len(parts)):
        half = min(np.float32(0.5) * parts[node], np.float32(MOST))
        scale = _short(half) if half >= np.float32(LEAST) else np.float32(0)
        parts[node] = np.float32(0.5) * levels / scale if scale > 0 else np.float32(0)
        scales[node], steps[node] = scale, scale / levels


@helper
def send_item(own, counts, sent, levels, codes, given, parts, scales, steps, held):
    """Take the half that each sender sends from its row of an item, `own` [N, w].

    It is written down as in a message: `codes`, the scale of the row, and counts `given`.
    """
    last, numbers = own.shape[1] - 1, own.shape[1] - counts
    _find_peaks(own.view(np.int32), numbers, parts.view(np.int32))
    _find_steps(levels, parts, scales, steps)
    _tally(own, counts, sent, held)
    for node in range(len(sent)):
        given[node, counts - 1] = 0
        if sent[node] and _is_sent(own[node, last]):
            part, step = parts[node], steps[node]
            if counts == 2 and not _is_sent(own[node, numbers]):
                part = np.float32(0)
            for d in range(numbers):
                code = min(max(np.rint(part * own[node, d]), -levels), levels)
                codes[node, d] = code
                own[node, d] -= step * code
            for c in range(counts):
                given[node, c] = _half_count(own[node, numbers + c])
                own[node, numbers + c] -= given[node, c]


@helper
def send_item_exactly(own, counts, sent, codes, given, steps, held):
    """The same without rounding: codes are the numbers themselves."""
    last, numbers = own.shape[1] - 1, own.shape[1] - counts
    _tally(own, counts, sent, held)
    steps[:] = 1
    for node in range(len(sent)):
        given[node, counts - 1] = 0
        if sent[node] and _is_sent(own[node, last]):
            part = np.float32(0.5)
            if counts == 2 and not _is_sent(own[node, numbers]):
                part = np.float32(0)
            for d in range(numbers):
                codes[node, d] = part * own[node, d]
                own[node, d] -= codes[node, d]
            for c in range(counts):
                there = _is_sent(own[node, numbers + c])
                given[node, c] = np.float32(0.5) * own[node, numbers + c] if there else np.float32(0)
                own[node, numbers + c] -= given[node, c]


@helper
def receive_item(own, counts, first, sender, codes, given, steps):
    """Give all receivers what is sent to them of an item."""
    numbers = own.shape[1] - counts
    for node in range(len(first) - 1):
        for m in range(first[node], first[node + 1]):
            other = sender[m]
            if given[other, counts - 1] != 0:
                step = steps[other]
                for d in range(numbers):
                    own[node, d] += step * codes[other, d]
                for c in range(counts):
                    own[node, numbers + c] += given[other, c]


@helper
def _piece(rows, counts, sent, first, sender, levels, piece, codes, held):
    """One part of the catalogue."""
    items, nodes, _ = rows.shape
    given = np.empty((nodes, counts), np.float32)
    parts, steps, scales = (
        np.empty(nodes, np.float32),
        np.empty(nodes, np.float32),
        np.empty(nodes, np.float32),
    )
    for item in range(piece * items // PIECES, (piece + 1) * items // PIECES):
        if levels > 0:
            send_item(rows[item], counts, sent, levels, codes, given, parts, scales, steps, held)
        else:
            send_item_exactly(rows[item], counts, sent, codes, given, steps, held)
        receive_item(rows[item], counts, first, sender, codes, given, steps)


@helper
def send_head(own, given):
    """Take the half that is sent from a head `own` [h], and write it as a message holds it."""
    bits, short, most = given.view(np.int32), max(len(own) - 2, 0), np.float32(MOST_IN_HEAD)
    for d in range(len(own)):
        given[d] = np.float32(0.5) * own[d]
    largest = np.int32(0)
    for d in range(short):
        given[d] = _short(min(max(given[d], -most), most))
        largest = max(largest, bits[d] & np.int32(0x7FFFFFFF))
    lowest = (max(largest >> 23, BIAS + LOWEST) - (BINADES - 1)) << 23
    for d in range(short):
        if bits[d] & np.int32(0x7FFFFFFF) < lowest:
            given[d] = 0
    for d in range(len(own)):
        own[d] -= given[d]


@helper
def receive_head(own, given):
    """Add what is sent to a head [h]."""
    for d in range(len(own)):
        own[d] += given[d]


@helper
def _heads(head, sent, first, sender):
    """The same for the heads."""
    given = np.zeros(head.shape, np.float32)
    for node in range(len(sent)):
        if sent[node]:
            send_head(head[node], given[node])
    for node in range(len(sent)):
        for m in range(first[node], first[node + 1]):
            receive_head(head[node], given[sender[m]])


@helper
def give(rows, head, counts, levels, codes, given, scales, half):
    """Take the half that one node sends from its `rows` [items, 1, w] and `head` [1, h], on a device.

    It is written down item by item, as a message holds it: `codes` [items, 1, w − counts], `given`
    [items, 1, counts], `scales` [items, 1], and `half` of the head [1, h].
    """
    sent, held = np.ones(1, np.bool_), np.zeros((3, 1), np.int64)
    parts, steps = np.empty(1, np.float32), np.empty(1, np.float32)
    for item in range(len(rows)):
        if levels > 0:
            send_item(
                rows[item], counts, sent, levels, codes[item], given[item], parts, scales[item], steps, held
            )
        else:
            send_item_exactly(rows[item], counts, sent, codes[item], given[item], steps, held)
    send_head(head[0], half[0])


@helper
def take(rows, head, counts, levels, codes, given, scales, half):
    """Add what `give` has taken elsewhere to one node's `rows` [items, 1, w] and `head` [1, h]."""
    first, sender, steps = np.array([0, 1]), np.zeros(1, np.int32), np.empty(1, np.float32)
    for item in range(len(rows)):
        steps[0] = step_of(scales[item, 0], levels)
        receive_item(rows[item], counts, first, sender, codes[item], given[item], steps)
    receive_head(head[0], half[0])


@driver
def _push(rows, head, counts, sent, first, sender, levels, codes, held):
    for index in prange(PIECES):
        piece = np.int64(index)
        _piece(rows, counts, sent, first, sender, levels, piece, codes[piece], held[piece])
    _heads(head, sent, first, sender)


def code_type(bits: int) -> type[np.number[Any]]:
    """The smallest numbers that codes of so many bits fit; 32 bits are not rounded."""
    return np.int8 if bits <= 8 else np.int16 if bits <= 16 else np.int32 if bits < 32 else np.float32


def levels_of(bits: int) -> np.float32:
    """The largest code: the largest float32 whose number and sign fit so many bits. 0: nothing is rounded."""
    if bits == 32:
        return np.float32(0)
    return np.float32(2 ** (bits - 1) - 2 ** max(bits - 25, 0))


def _arguments(sums: Numerators, counts: int, messages: Pushes, bits: int) -> tuple[Any, ...]:
    _, nodes, row = sums.rows.shape
    codes = np.empty((PIECES, nodes, row - counts), code_type(bits))
    return *sums, counts, *messages, levels_of(bits), codes, np.zeros((PIECES, 3, nodes), np.int64)


def compile_push(sums: Numerators, counts: int, messages: Pushes, bits: int) -> None:
    """Compile, or load from the cache, what `push` needs."""
    _push.compile(*_arguments(sums, counts, messages, bits), batch=PIECES)


def push(sums: Numerators, counts: int, messages: Pushes, bits: int) -> Longs:
    """Let senders give half of their `sums` away, and receivers add what arrives; a half can get lost.

    Rows end with so many `counts`. Returns how many rows with numbers each sender's message has, how many
    with a count alone, and how many with a negative count, [3, N].
    """
    arguments = _arguments(sums, counts, messages, bits)
    _push(*arguments, batch=PIECES)
    held: Longs = arguments[-1].sum(axis=0)
    return held


def message_bytes(held: Longs, items: int, row: int, counts: int, head: int, bits: int) -> Longs:
    """The bytes of messages with so many rows, `held` [3, N] as `push` returns it.

    Rows have `row` numbers each, counts included.
    """
    whole, alone, negative = held
    size: Longs = pushed.size(whole, alone, negative, pushed.Form(items, row, counts, head, bits))
    return size
