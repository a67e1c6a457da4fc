"""Push-sum: everybody comes to know a sum that nobody computes (Kempe, Dobra and Gehrke 2003).

Each node has numerators and a weight, at first its own contribution and 1. Again and again it sends half of
both to another node, which adds them to its own. Numerators divided by the weight come close to the mean of
all contributions. What is sent of a row is rounded to few bits, and the sender keeps what rounding leaves of
the half: nothing gets lost, so rounding errors do not add up. A message that gets lost takes numerators and
weight with it, so that their quotient stays right.

A row ends with one or two counts, and the head with the weight. In a message a row has a scale and counts of
16 bits each, and `bits` for each other number; rows whose last count is 0 are left out, and a bit for each
item says which. Of a row whose first count of two is 0, all numbers are withheld: the last count is sent
alone, and a bit for each row says so. The head has 16 bits a number except for its last two, which have 64.

All nodes push at once, in place, item by item: the halves that all nodes send of one item fit the processor's
cache, so that every number is read and written once.
"""

from typing import Any, NamedTuple

import numpy as np

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
def _tally(own, node, counts, held):
    """Count a row of a message: among those with numbers, or with a count alone."""
    alone = counts == 2 and own[node, own.shape[1] - 2] == 0
    held[1 if alone else 0, node] += 1


@helper
def _find_steps(levels, parts, steps):
    """Of each row whose peak is in `parts`: what turns its numbers into codes of their halves, and back."""
    for node in range(len(parts)):
        scale = _short(np.float32(0.5) * parts[node])
        parts[node] = np.float32(0.5) * levels / scale if scale > 0 else np.float32(0)
        steps[node] = scale / levels


@helper
def _send_item(own, counts, sent, levels, codes, given, parts, steps, held):
    """Take the half that each sender sends from its row of an item, `own` [N, w].

    It is written down as in a message: `codes`, to be multiplied by the step of the row, and counts `given`.
    """
    last, numbers = own.shape[1] - 1, own.shape[1] - counts
    _find_peaks(own.view(np.int32), numbers, parts.view(np.int32))
    _find_steps(levels, parts, steps)
    for node in range(len(sent)):
        given[node, counts - 1] = 0
        if sent[node] and own[node, last] != 0:
            _tally(own, node, counts, held)
            part, step = parts[node], steps[node]
            for d in range(numbers):
                code = min(max(np.rint(part * own[node, d]), -levels), levels)
                codes[node, d] = code
                own[node, d] -= step * code
            for c in range(counts):
                given[node, c] = _short(np.float32(0.5) * own[node, numbers + c])
                own[node, numbers + c] -= given[node, c]


@helper
def _send_item_exactly(own, counts, sent, codes, given, steps, held):
    """The same without rounding: codes are the numbers themselves."""
    last, numbers = own.shape[1] - 1, own.shape[1] - counts
    steps[:] = 1
    for node in range(len(sent)):
        given[node, counts - 1] = 0
        if sent[node] and own[node, last] != 0:
            _tally(own, node, counts, held)
            for d in range(numbers):
                codes[node, d] = np.float32(0.5) * own[node, d]
                own[node, d] *= np.float32(0.5)
            for c in range(counts):
                given[node, c] = np.float32(0.5) * own[node, numbers + c]
                own[node, numbers + c] -= given[node, c]


@helper
def _receive_item(own, counts, first, sender, codes, given, steps):
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
    parts, steps = np.empty(nodes, np.float32), np.empty(nodes, np.float32)
    for item in range(piece * items // PIECES, (piece + 1) * items // PIECES):
        if levels > 0:
            _send_item(rows[item], counts, sent, levels, codes, given, parts, steps, held)
        else:
            _send_item_exactly(rows[item], counts, sent, codes, given, steps, held)
        _receive_item(rows[item], counts, first, sender, codes, given, steps)


@inlined
def _half(head, node, d):
    """The half that is sent of a number of the head."""
    given = np.float32(0.5) * head[node, d]
    return given if d >= head.shape[1] - 2 else _short(given)


@helper
def _heads(head, sent, first, sender):
    """The same for the heads."""
    given = np.zeros(head.shape, np.float32)
    for node in range(len(sent)):
        if sent[node]:
            for d in range(head.shape[1]):
                given[node, d] = _half(head, node, d)
                head[node, d] -= given[node, d]
    for node in range(len(sent)):
        for m in range(first[node], first[node + 1]):
            for d in range(head.shape[1]):
                head[node, d] += given[sender[m], d]


@driver
def _push(rows, head, counts, sent, first, sender, levels, codes, held):
    for piece in prange(PIECES):
        _piece(rows, counts, sent, first, sender, levels, piece, codes[piece], held[piece])
    _heads(head, sent, first, sender)


def _codes(bits: int) -> type[np.number[Any]]:
    """The smallest numbers that codes of so many bits fit; 32 bits are not rounded."""
    return np.int8 if bits <= 8 else np.int16 if bits <= 16 else np.int32 if bits < 32 else np.float32


def _arguments(sums: Numerators, counts: int, messages: Pushes, bits: int) -> tuple[Any, ...]:
    levels = np.float32(2 ** (bits - 1) - 1 if bits < 32 else 0)
    _, nodes, row = sums.rows.shape
    codes = np.empty((PIECES, nodes, row - counts), _codes(bits))
    return *sums, counts, *messages, levels, codes, np.zeros((PIECES, 2, nodes), np.int64)


def compile_push(sums: Numerators, counts: int, messages: Pushes, bits: int) -> None:
    """Compile, or load from the cache, what `push` needs."""
    _push.compile(*_arguments(sums, counts, messages, bits), batch=PIECES)


def push(sums: Numerators, counts: int, messages: Pushes, bits: int) -> Longs:
    """Let senders give half of their `sums` away, and receivers add what arrives; a half can get lost.

    Rows end with so many `counts`. Returns how many rows with numbers each sender's message has, and how many
    with a count alone, [2, N].
    """
    arguments = _arguments(sums, counts, messages, bits)
    _push(*arguments, batch=PIECES)
    held: Longs = arguments[-1].sum(axis=0)
    return held


def message_bytes(held: Longs, items: int, row: int, counts: int, head: int, bits: int) -> Longs:
    """The bytes of messages with so many rows, `held` [2, N] as `push` returns it.

    Rows have `row` numbers each, counts included.
    """
    whole, alone = held
    each = ((row - counts) * bits + 7) // 8 + 2 + 2 * counts
    absent = np.where(whole + alone < items, (items + 7) // 8, 0)
    marks = np.where(alone > 0, (whole + alone + 7) // 8, 0)
    size: Longs = whole * each + 2 * alone + absent + marks + 2 * max(head - 2, 0) + 16
    return size
