"""Pushes as bytes: the messages of push-sum (`protocols.push_sum`), little-endian, without padding.

| bytes    | type  | what                                                                      |
|----------|-------|---------------------------------------------------------------------------|
| 4        |       | magic, "SVOC"                                                             |
| 1        | u8    | version of the format, that of `codec`                                    |
| 1        | u8    | kind: 2 = a push                                                          |
| 2        | u16   | flags: 1 = some counts are negative; others are 0                         |
| 1        | u8    | b, the bits of a number                                                   |
| 1        | u8    | c, the counts at the end of a row: 1 or 2                                 |
| 2        | u16   | w, the numbers of a row, counts included                                  |
| 4        | u32   | the number of items                                                       |
| 4        | u32   | h, the size of the head                                                   |
| 4        | u32   | n, the number of rows with numbers                                        |
| 4        | u32   | m, the number of rows with a count alone                                  |
| 8        | u64   | the number of the sweep                                                   |
| 8        | u64   | sender, a number that the node goes by                                    |
| 8        | u64   | number, which of its sender's pushes in this sweep it is                  |
| 8        |       | a hash of the catalogue                                                   |
| 8        |       | a hash of the community's settings                                        |
| items/8  | bits  | which items have a row; only if some have none                            |
| (n+m)/8  | bits  | which of these rows have a count alone; only if m > 0                     |
| (cn+m)/8 | bits  | which counts are negative; with flag 1 only                               |
| 2n       |       | scales, as `short_numbers` has them; not with b = 32                      |
| 2(cn+m)  |       | counts row by row, likewise; f32 with b = 32                              |
| n(w−c)b/8|       | numbers: codes of b bits with sign, each row in whole bytes; f32 with     |
|          |       | b = 32. A code means itself · scale / the largest code                    |
| 1        | u8    | the exponent of the head's largest number, as a float32 has it            |
| (h−2)/8  | bits  | which numbers of the head are negative, except for its last two           |
| 2(h−2)   |       | these numbers, as `short_numbers` has them                                |
| 8        | f32   | the last two of the head; the last one is the weight                      |
| 4        | u32   | CRC-32 of all bytes before                                                |

Bits stand with the lowest first, and what fills a byte is 0. The length follows from the header, which is
compared with what the receiver expects before any memory is set aside. Every number is checked before the
message is returned. The checksum finds damage, not malice.
"""

import struct
import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.codec import MAGIC, VERSION
from sottovoce.exchange.message import NONE, PUSH
from sottovoce.exchange.short_numbers import from_short, head_from_short, head_to_short, to_short, with_signs

NEGATIVE = 1
"""The flag of messages with negative counts."""
LARGEST = 2.0**64
"""No number in a message is larger, of either sign: sums of many are finite."""
MOST_WEIGHT = 2.0**24
"""The largest weight where nobody knows how many people there are."""
HEADER = struct.Struct("<4sBBHBBHIIIIQQQ8s8s")
CHECKSUM = struct.Struct("<I")
_DIVERGED = "A push holds numbers that are not finite, or above 2^64."


class Form(NamedTuple):
    """The shape of the sums that are pushed."""

    items: int
    row: int  # numbers in a row, counts included
    counts: int  # how many of them are counts: 1 or 2
    head: int
    bits: int  # of a number of a row

    @property
    def numbers(self) -> int:
        """How many numbers of a row are no counts."""
        return self.row - self.counts


class Expect(NamedTuple):
    """What a node accepts: the pushes of one sweep of its community."""

    form: Form
    sweep: int
    catalogue: bytes = NONE
    settings: bytes = NONE
    weight: float = MOST_WEIGHT  # the largest weight, that of everybody together
    noisy: bool = False  # whether counts carry noise, so that they may be negative


class Pushed(NamedTuple):
    """Half of what a node has of the sums."""

    ids: NDArray[np.int32]  # [n + m], items that have a row, ascending
    alone: NDArray[np.bool_]  # [n + m], whether only the row's last count is there
    counts: NDArray[np.float32]  # [n + m, c]; 0 is what is not there
    scale: NDArray[np.float32]  # [n]; none with 32 bits
    codes: NDArray[Any]  # [n, w − c], integers, or float32 with 32 bits
    head: NDArray[np.float32]  # [h]
    form: Form
    sweep: int
    sender: int = 0
    number: int = 0
    catalogue: bytes = NONE
    settings: bytes = NONE

    @property
    def expect(self) -> Expect:
        """What a receiver must expect to accept this, if it knows nothing about people and noise."""
        return Expect(self.form, self.sweep, self.catalogue, self.settings, noisy=True)


def size(whole: Any, alone: Any, negative: Any, form: Form) -> Any:
    """The length in bytes of messages with so many rows with numbers, with a count alone, and with a
    negative count; integers or arrays of them."""
    items, _, counts, head, bits = form
    exact, rows, counted = bits == 32, whole + alone, counts * whole + alone
    marks = np.where(rows < items, _whole_bytes(items), 0) + np.where(alone > 0, _whole_bytes(rows), 0)
    signs = np.where((negative > 0) & (not exact), _whole_bytes(counted), 0)
    each = _whole_bytes(form.numbers * bits) + (0 if exact else 2)
    short = max(head - 2, 0)
    around = HEADER.size + 1 + _whole_bytes(short) + 2 * short + 4 * (head - short) + CHECKSUM.size
    return whole * each + counted * (4 if exact else 2) + marks + signs + around


def largest(form: Form) -> int:
    """The length in bytes of the longest message of this form."""
    items = form.items
    cases = [(items, 0), (items - 1, 0), (items - 1, 1), (items - 2, 1)]
    return max(int(size(max(n, 0), m, 1, form)) for n, m in cases)


def _whole_bytes(bits: Any) -> Any:
    return (bits + 7) // 8


def _packed(codes: NDArray[Any], bits: int) -> NDArray[np.uint8]:
    """The lowest `bits` of each code [n, numbers], each row in whole bytes."""
    wide = codes.astype(codes.dtype.newbyteorder("<")).view(np.uint8).reshape(*codes.shape, codes.itemsize)
    every = np.unpackbits(wide, axis=2, bitorder="little")[:, :, :bits]
    return np.packbits(every.reshape(len(codes), codes.shape[1] * bits), axis=1, bitorder="little")


def _unpacked(data: NDArray[np.uint8], numbers: int, bits: int) -> NDArray[Any]:
    """What `_packed` wrote, from rows of bytes; codes without a counterpart of the other sign are refused."""
    size = 1 if bits <= 8 else 2 if bits <= 16 else 4
    every = np.unpackbits(data, axis=1, bitorder="little")
    if every[:, numbers * bits :].any():
        raise MessageError("A push has bits set that stand for nothing.")
    every = every[:, : numbers * bits].reshape(len(data), numbers, bits)
    wide = np.concatenate([every, np.repeat(every[:, :, -1:], 8 * size - bits, axis=2)], axis=2)
    codes = np.packbits(wide, axis=2, bitorder="little").view(f"<i{size}")[:, :, 0]
    if codes.min(initial=0) <= -(1 << bits - 1):
        raise MessageError("A push holds a code that stands for no number.")
    return np.ascontiguousarray(codes.astype(f"=i{size}"))


def _bits(marks: NDArray[np.bool_]) -> bytes:
    return np.packbits(marks, bitorder="little").tobytes()


def encode(push: Pushed) -> bytes:
    """The push as bytes. One that no receiver would accept is refused here."""
    form, rows = push.form, len(push.ids)
    check(push, push.expect)
    if not (0 < form.row < 2**16 and form.items < 2**32 and form.head < 2**32):
        raise MessageError(f"Rows of {form.row} numbers, {form.items} of them, do not fit the format.")
    told = np.ones((rows, form.counts), np.bool_)
    told[push.alone, :-1] = False
    values, exact = push.counts[told], form.bits == 32
    alone, signs = int(push.alone.sum()), not exact and bool((values < 0).any())
    there = np.zeros(form.items, np.bool_)
    there[push.ids] = True
    short = max(form.head - 2, 0)
    top, head = head_to_short(push.head[:short])
    about = push.sweep, push.sender, push.number, push.catalogue, push.settings
    shape = form.bits, form.counts, form.row, form.items, form.head, rows - alone, alone
    parts = [HEADER.pack(MAGIC, VERSION, PUSH, NEGATIVE * signs, *shape, *about)]
    parts += [_bits(there)] * (rows < form.items) + [_bits(push.alone)] * (alone > 0)
    if exact:
        parts += [values.astype("<f4").tobytes(), push.codes.astype("<f4").tobytes()]
    else:
        parts += [_bits(values < 0)] * signs
        parts += [to_short(each).astype("<u2").tobytes() for each in (push.scale, values)]
        parts += [_packed(push.codes, form.bits).tobytes()]
    parts += [bytes([top]), _bits(push.head[:short] < 0), head.astype("<u2").tobytes()]
    parts += [push.head[short:].astype("<f4").tobytes()]
    body = b"".join(parts)
    return body + CHECKSUM.pack(zlib.crc32(body))


class _Reader:
    """Reads parts of a message, whose length is known to be right, one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, kind: str, count: int) -> NDArray[Any]:
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found

    def bits(self, count: int, ones: int | None = None) -> NDArray[np.bool_]:
        """So many bits, of which so many are set."""
        every = np.unpackbits(self.take("u1", _whole_bytes(count)), bitorder="little").astype(np.bool_)
        if every[count:].any() or (ones is not None and every.sum() != ones):
            raise MessageError("A push has other rows than its header announces.")
        return every[:count]


def decode(data: bytes, expect: Expect) -> Pushed:
    """The push in `data`, if it is complete and as `expect` says. Its arrays are copies."""
    if len(data) < HEADER.size + CHECKSUM.size:
        raise MessageError(f"{len(data)} bytes are too few for a push.")
    magic, version, kind, flags, bits, counts, row, items, head, whole, alone, *about = HEADER.unpack_from(
        data
    )
    if magic != MAGIC:
        raise MessageError("This is not a Sottovoce message: it begins with other bytes.")
    if version != VERSION:
        problem = f"The message is in version {version} of the format, this node understands {VERSION}."
        raise MessageError(problem, "Bring both nodes to the same version of Sottovoce.")
    if kind != PUSH:
        raise MessageError(f"The message is of kind {kind}, and a push was expected.")
    form = Form(items, row, counts, head, bits)
    _compare(form, about, expect)
    exact, rows = bits == 32, whole + alone
    if flags > NEGATIVE * (not exact) or rows > items or (alone and counts == 1):
        raise MessageError(f"A push cannot have flags {flags:#04x} and {rows} rows of {items} items.")
    length = int(size(whole, alone, flags, form))
    if len(data) != length:
        raise MessageError(f"The push has {len(data)} bytes, and its header announces {length}.")
    if (
        zlib.crc32(memoryview(data)[: -CHECKSUM.size])
        != CHECKSUM.unpack_from(data, length - CHECKSUM.size)[0]
    ):
        raise MessageError("The message was damaged on its way: its checksum is wrong.", "Send it again.")

    reader = _Reader(data, HEADER.size)
    there = reader.bits(items, rows) if rows < items else np.ones(items, np.bool_)
    single = reader.bits(rows, alone) if alone else np.zeros(rows, np.bool_)
    counted = counts * whole + alone
    if exact:
        scale, values = np.empty(0, np.float32), reader.take("<f4", counted).astype(np.float32)
        codes: NDArray[Any] = reader.take("<f4", whole * form.numbers).astype(np.float32)
        codes = codes.reshape(whole, form.numbers)
    else:
        negative = reader.bits(counted) if flags else np.zeros(counted, np.bool_)
        scale, values = (from_short(reader.take("<u2", count)) for count in (whole, counted))
        values = with_signs(values, negative)
        wide = _whole_bytes(form.numbers * bits)
        codes = _unpacked(reader.take("u1", whole * wide).reshape(whole, wide), form.numbers, bits)
    told = np.ones((rows, counts), np.bool_)
    told[single, :-1] = False
    placed = np.zeros((rows, counts), np.float32)
    placed[told] = values
    short, top = max(head - 2, 0), int(reader.take("u1", 1)[0])
    below = reader.bits(short)
    numbers = with_signs(head_from_short(top, reader.take("<u2", short)), below)
    whole_head = np.concatenate([numbers, reader.take("<f4", head - short)]).astype(np.float32)
    ids = np.flatnonzero(there).astype(np.int32)
    push = Pushed(ids, single, placed, scale, codes, whole_head, form, *about)
    check(push, expect)
    return push


def _compare(form: Form, about: list[Any], expect: Expect) -> None:
    """Refuse a push of another community, of other sums, or of another sweep."""
    sweep, _, _, catalogue, settings = about
    if catalogue != expect.catalogue:
        raise MessageError(
            "The push is about another catalogue than this node's.",
            "Sums are possible only where all nodes list the same items in the same order.",
        )
    if settings != expect.settings:
        raise MessageError(
            "The push is of a community with other settings than this node's.",
            "All nodes of a community need the same model and protocol, with the same settings.",
        )
    if form != expect.form:
        raise MessageError(
            f"The push has {form.items} rows of {form.row} numbers, of {form.bits} bits, and a head of "
            f"{form.head}; this node's sums have {expect.form.items} rows of {expect.form.row}, of "
            f"{expect.form.bits} bits, and a head of {expect.form.head}.",
            "Both nodes need the same catalogue, model and protocol.",
        )
    if sweep != expect.sweep:
        raise MessageError(f"The push is of sweep {sweep}, and sweep {expect.sweep} is under way.")


def check(push: Pushed, expect: Expect) -> None:
    """Refuse a push whose numbers no node should let near its sums."""
    ids, alone, counts, scale, codes, head, form, *_ = push
    rows, whole = len(ids), len(ids) - int(alone.sum())
    shapes = (alone.shape, counts.shape, codes.shape, head.shape, scale.shape)
    scaled = 0 if form.bits == 32 else whole
    if shapes != ((rows,), (rows, form.counts), (whole, form.numbers), (form.head,), (scaled,)):
        raise MessageError("A push's arrays do not fit together.")
    if rows and not (ids[0] >= 0 and ids[-1] < form.items and (ids[1:] > ids[:-1]).all()):
        raise MessageError("A push's items do not ascend, or are not in the catalogue.")
    for values in (counts, head, scale, codes) if form.bits == 32 else (counts, head, scale):
        if not max(values.max(initial=0.0), -values.min(initial=0.0)) <= LARGEST:  # not if one is NaN
            raise MessageError(_DIVERGED, "The sender's model has diverged.")
    if scale.min(initial=0.0) < 0:
        raise MessageError("A push has a negative scale.")
    if (counts[:, -1] == 0).any() or (counts[~alone] == 0).any() or counts[alone, :-1].any():
        raise MessageError("A push has a row with numbers of nobody: a count is 0.")
    if not expect.noisy and counts.min(initial=0.0) < 0:
        raise MessageError("A push has a negative count, and this community adds no noise to counts.")
    if not (len(head) and 0 < head[-1] <= expect.weight):
        raise MessageError(f"A push has a weight that is not between 0 and {expect.weight:.0f}.")
    if not all(0 <= n < 2**64 for n in (push.sweep, push.sender, push.number)):
        raise MessageError("A push's sweep, sender or number is out of range.")
