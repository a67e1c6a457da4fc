"""Messages as bytes: a versioned binary format, little-endian, without padding.

| bytes | type  | what                                                                   |
|-------|-------|------------------------------------------------------------------------|
| 4     |       | magic, "SVOC"                                                          |
| 1     | u8    | version of the format, 1                                               |
| 1     | u8    | flags: 1 = ids follow (the rows are some items' only); others are 0    |
| 2     | u16   | w, the width of a row                                                  |
| 4     | u32   | n, the number of rows                                                  |
| 4     | u32   | h, the size of the head                                                |
| 4     | u32   | clock                                                                  |
| 8     | u64   | size, the number of interactions trained on                            |
| 4n    | i32   | ids, with flag 1 only                                                  |
| 4n    | i32   | ages                                                                   |
| 4nw   | f32   | rows                                                                   |
| 4h    | f32   | head                                                                   |
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
from sottovoce.exchange.message import Expect, Message, check

MAGIC = b"SVOC"
VERSION = 1
GATHERED = 1

_HEADER = struct.Struct("<4sBBHIIIQ")
_CHECKSUM = struct.Struct("<I")


def size(rows: int, width: int, head: int, gathered: bool) -> int:
    """The length in bytes of a message with this many rows."""
    return _HEADER.size + 4 * (rows * (width + 1 + gathered) + head) + _CHECKSUM.size


def largest(expect: Expect) -> int:
    """The length in bytes of the longest message that a node with this expectation accepts."""
    return size(expect.items, expect.width, expect.head, gathered=True)


def encode(message: Message) -> bytes:
    """The message as bytes. One that no receiver would accept is refused here already."""
    check(message)
    count, width = message.rows.shape
    if width >= 2**16 or count >= 2**32 or len(message.head) >= 2**32:
        raise MessageError(f"Rows of {width} numbers, {count} of them, do not fit the message format.")
    flags = GATHERED if message.gathered else 0
    shape = (width, count, len(message.head))
    body = b"".join(
        (
            _HEADER.pack(MAGIC, VERSION, flags, *shape, message.clock, message.size),
            message.ids.astype("<i4").tobytes(),
            message.age.astype("<i4").tobytes(),
            message.rows.astype("<f4").tobytes(),
            message.head.astype("<f4").tobytes(),
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
    if flags & ~GATHERED:
        raise MessageError(f"The message has flags ({flags:#04x}) that version {VERSION} does not define.")
    gathered = flags == GATHERED
    _compare(Expect(count, width, head), expect, gathered)
    if len(data) != size(count, width, head, gathered):
        problem = f"The message has {len(data)} bytes, and its header announces"
        raise MessageError(f"{problem} {size(count, width, head, gathered)}.")
    if zlib.crc32(memoryview(data)[: -_CHECKSUM.size]) != _CHECKSUM.unpack_from(data, len(data) - 4)[0]:
        raise MessageError("The message was damaged on its way: its checksum is wrong.", "Send it again.")

    at = _HEADER.size
    ids = np.frombuffer(data, "<i4", count if gathered else 0, at).astype(np.int32)
    at += ids.nbytes
    age = np.frombuffer(data, "<i4", count, at).astype(np.int32)
    at += age.nbytes
    rows = np.frombuffer(data, "<f4", count * width, at).astype(np.float32).reshape(count, width)
    at += rows.nbytes
    message = Message(
        rows, age, ids, np.frombuffer(data, "<f4", head, at).astype(np.float32), clock, trained_on
    )
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
