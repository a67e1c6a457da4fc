"""Messages as bytes: a versioned binary format, little-endian, without padding.

| bytes | type  | what                                                                   |
|-------|-------|------------------------------------------------------------------------|
| 4     |       | magic, "SVOC"                                                          |
| 1     | u8    | version of the format, 1                                               |
| 1     | u8    | flags: 1 = ids follow (the rows are some items' only), 2 = rows and    |
|       |       | head are codes of 16 bits, 4 = of 8 bits, 8 = rows are differences to  |
|       |       | the common start, 16 = to be passed on as it is; others are 0          |
| 2     | u16   | w, the width of a row                                                  |
| 4     | u32   | n, the number of rows                                                  |
| 4     | u32   | h, the size of the head                                                |
| 4     | u32   | clock                                                                  |
| 8     | u64   | size, the number of interactions trained on                            |
| 4n    | i32   | ids, with flag 1 only                                                  |
| 4n    | i32   | ages                                                                   |
| 8w+8  | f32   | with flag 2 or 4: what code 0 of each column means, of the head last;  |
|       |       | then the size of a step of each                                        |
| bnw/8 |       | rows: f32, or u16 or u8                                                |
| bh/8  |       | head, likewise                                                         |
| 4     | u32   | CRC-32 (ISO 3309, as zlib has it) of all bytes before                  |

The checksum is there because a flipped bit in a weight is still a valid weight, which gossip would
carry from node to node. It is no protection against malice: that is a transport's task.

The length follows from the header. It is compared with the length of the data, and the header with
what the receiver expects, before any memory is set aside.
"""

import struct
import zlib

import numpy as np

from sottovoce.errors import MessageError
from sottovoce.exchange.compression import Chain, Whole, rows
from sottovoce.exchange.message import Expect, Message, check

MAGIC = b"SVOC"
VERSION = 1
GATHERED, CODES_16, CODES_8, DELTA, RELAY = 1, 2, 4, 8, 16
_KINDS = {0: "<f4", CODES_16: "<u2", CODES_8: "<u1"}

_HEADER = struct.Struct("<4sBBHIIIQ")
_CHECKSUM = struct.Struct("<I")


def size(rows: int, width: int, head: int, gathered: bool, bits: int = 32) -> int:
    """The length in bytes of a message with this many rows."""
    numbers = (rows * width + head) * bits // 8 + (8 * (width + 1) if bits < 32 else 0)
    return _HEADER.size + 4 * rows * (1 + gathered) + numbers + _CHECKSUM.size


def payload(chain: Chain | Whole, items: int, width: int, head: int) -> float:
    """How long a message takes against a full one.

    Fewer rows take less in proportion, as Hegedűs et al. (2019) count; fewer bits save what they do here,
    where ages, and what codes mean, are part of a message.
    """
    count = rows(chain, items)
    coded, plain = (size(count, width, head, chain.share < 1, bits) for bits in (chain.bits, 32))
    return count / items * (coded / plain)


def largest(expect: Expect) -> int:
    """The length in bytes of the longest message that a node with this expectation accepts."""
    return max(size(*expect, gathered=True, bits=bits) for bits in (32, 16, 8))


def encode(message: Message) -> bytes:
    """The message as bytes. One that no receiver would accept is refused here already."""
    check(message)
    count, width = message.rows.shape
    if width >= 2**16 or count >= 2**32 or len(message.head) >= 2**32:
        raise MessageError(f"Rows of {width} numbers, {count} of them, do not fit the message format.")
    kind = {32: 0, 16: CODES_16, 8: CODES_8}[message.bits]
    flags = kind | GATHERED * message.gathered | DELTA * message.delta | RELAY * message.relay
    shape = (width, count, len(message.head))
    body = b"".join(
        (
            _HEADER.pack(MAGIC, VERSION, flags, *shape, message.clock, message.size),
            message.ids.astype("<i4").tobytes(),
            message.age.astype("<i4").tobytes(),
            message.scale.astype("<f4").tobytes(),
            message.rows.astype(_KINDS[kind]).tobytes(),
            message.head.astype(_KINDS[kind]).tobytes(),
        )
    )
    return body + _CHECKSUM.pack(zlib.crc32(body))


def decode(data: bytes, expect: Expect) -> Message:
    """The message in `data`, with arrays of its own, if it is whole and about a model like `expect`."""
    if len(data) < _HEADER.size + _CHECKSUM.size:
        raise MessageError(f"{len(data)} bytes are too few for a message.")
    magic, version, flags, width, count, head, clock, trained_on = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise MessageError("This is not a Sottovoce message: it begins with other bytes.")
    if version != VERSION:
        problem = f"The message is in version {version} of the format, this node understands {VERSION}."
        raise MessageError(problem, "Bring both nodes to the same version of Sottovoce.")
    kind, gathered = flags & (CODES_16 | CODES_8), bool(flags & GATHERED)
    if flags >= 2 * RELAY or kind not in _KINDS:
        raise MessageError(f"The message has flags ({flags:#04x}) that version {VERSION} does not define.")
    form = np.dtype(_KINDS[kind])
    bits = 8 * form.itemsize
    _compare(Expect(count, width, head), expect, gathered)
    if len(data) != size(count, width, head, gathered, bits):
        problem = f"The message has {len(data)} bytes, and its header announces"
        raise MessageError(f"{problem} {size(count, width, head, gathered, bits)}.")
    if zlib.crc32(memoryview(data)[: -_CHECKSUM.size]) != _CHECKSUM.unpack_from(data, len(data) - 4)[0]:
        raise MessageError("The message was damaged on its way: its checksum is wrong.", "Send it again.")

    at = _HEADER.size
    ids = np.frombuffer(data, "<i4", count if gathered else 0, at).astype(np.int32)
    at += ids.nbytes
    age = np.frombuffer(data, "<i4", count, at).astype(np.int32)
    at += age.nbytes
    scale = np.frombuffer(data, "<f4", 2 * (width + 1) * (bits < 32), at).astype(np.float32).reshape(2, -1)
    at += scale.nbytes
    rows = np.frombuffer(data, form, count * width, at).astype(form.newbyteorder("=")).reshape(count, width)
    at += rows.nbytes
    weights = np.frombuffer(data, form, head, at).astype(form.newbyteorder("="))
    marks = bool(flags & DELTA), bool(flags & RELAY)
    message = Message(rows, age, ids, weights, clock, trained_on, scale, *marks)
    check(message)
    if len(ids) and ids[-1] >= expect.items:
        raise MessageError(f"The message is about item {ids[-1]}, and there are {expect.items}.")
    return message


def _compare(found: Expect, expect: Expect, gathered: bool) -> None:
    """Refuse a message about a model of another shape."""
    fits = found.items <= expect.items if gathered else found.items == expect.items
    if not fits or found.width != expect.width or found.head != expect.head:
        raise MessageError(
            f"The message has {found.items} rows of {found.width} numbers and a head of {found.head}, "
            f"and this node's model {expect.items} rows of {expect.width} and a head of {expect.head}.",
            "Both nodes need the same catalogue and the same model.",
        )
