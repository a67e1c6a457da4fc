"""Messages as bytes: a versioned binary format, little-endian, without padding.

| bytes | type  | what                                                                   |
|-------|-------|------------------------------------------------------------------------|
| 4     |       | magic, "SVOC"                                                          |
| 1     | u8    | version of the format, 2                                               |
| 1     | u8    | kind: 0 = a model, 1 = an update (2 = a push: `exchange.pushed`)       |
| 2     | u16   | flags: 1 = ids follow (the rows are some items' only), 2 = rows and    |
|       |       | head are codes of 16 bits, 4 = of 8 bits, 8 = rows are differences to  |
|       |       | the common start, 16 = to be passed on as it is; others are 0          |
| 2     | u16   | w, the width of a row                                                  |
| 4     | u32   | n, the number of rows                                                  |
| 4     | u32   | h, the size of the head                                                |
| 4     | u32   | clock: of an update, that of the model that was trained                |
| 8     | u64   | size, the number of interactions, or instances, trained on             |
| 8     | u64   | sender, a number that the node goes by                                 |
| 8     | u64   | number, which of its sender's messages it is                           |
| 8     |       | a hash of the catalogue                                                |
| 8     |       | a hash of the model's settings                                         |
| 4n    | i32   | ids, with flag 1 only                                                  |
| 4n    | i32   | ages, of a model only                                                  |
| 8w+8  | f32   | with flag 2 or 4: what code 0 of each column means, of the head last;  |
|       |       | then the size of a step of each                                        |
| bnw/8 |       | rows: f32, or u16 or u8; of an update, what is to be added to them     |
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
from sottovoce.exchange.compression.interface import Chain, Whole, rows
from sottovoce.exchange.message import LARGEST_WEIGHT, MODEL, PUSH, UPDATE, Expect, Message, check

MAGIC = b"SVOC"
VERSION = 2
GATHERED, CODES_16, CODES_8, DELTA, RELAY = 1, 2, 4, 8, 16
_FORMS = {0: "<f4", CODES_16: "<u2", CODES_8: "<u1"}

_NAMES = {MODEL: "a model", UPDATE: "an update", PUSH: "a push"}

_HEADER = struct.Struct("<4sBBHHIIIQQQ8s8s")
_CHECKSUM = struct.Struct("<I")


def size(rows: int, width: int, head: int, gathered: bool, bits: int = 32, kind: int = MODEL) -> int:
    """The length in bytes of a message with this many rows."""
    numbers = (rows * width + head) * bits // 8 + (8 * (width + 1) if bits < 32 else 0)
    return _HEADER.size + 4 * rows * ((kind == MODEL) + gathered) + numbers + _CHECKSUM.size


def payload(chain: Chain | Whole, items: int, width: int, head: int) -> float:
    """How long the transfer of a message takes, with a full model as the unit.

    Fewer rows take less in proportion, as Hegedűs et al. (2019) count. Fewer bits take less in proportion
    to the bytes of this format, where ages and the scale of codes are part of a message.
    """
    count = rows(chain, items)
    coded, plain = (size(count, width, head, chain.share < 1, bits) for bits in (chain.bits, 32))
    return count / items * (coded / plain)


def largest(expect: Expect) -> int:
    """The length in bytes of the longest message that a node with this expectation accepts."""
    return max(size(*expect[:3], gathered=True, bits=bits) for bits in (32, 16, 8))


def encode(message: Message) -> bytes:
    """The message as bytes. A message that no receiver would accept is refused here."""
    check(message)
    count, width = message.rows.shape
    if width >= 2**16 or count >= 2**32 or len(message.head) >= 2**32:
        raise MessageError(f"Rows of {width} numbers, {count} of them, do not fit the message format.")
    form = {32: 0, 16: CODES_16, 8: CODES_8}[message.bits]
    flags = form | GATHERED * message.gathered | DELTA * message.delta | RELAY * message.relay
    shape = (width, count, len(message.head))
    stamp = message.sender, message.number, message.catalogue, message.settings
    body = b"".join(
        (
            _HEADER.pack(MAGIC, VERSION, message.kind, flags, *shape, message.clock, message.size, *stamp),
            message.ids.astype("<i4").tobytes(),
            message.age.astype("<i4").tobytes(),
            message.scale.astype("<f4").tobytes(),
            message.rows.astype(_FORMS[form]).tobytes(),
            message.head.astype(_FORMS[form]).tobytes(),
        )
    )
    return body + _CHECKSUM.pack(zlib.crc32(body))


def decode(data: bytes, expect: Expect, kind: int = MODEL, largest: float = LARGEST_WEIGHT) -> Message:
    """The message in `data`, if it is complete, of this kind, and as `expect` says. Its arrays are copies.

    A model with a weight above `largest` is refused; codes can stand for more, which `received` shows.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise MessageError(f"A message is bytes, and this is {type(data).__name__}.", "Give what was sent.")
    if len(data) < _HEADER.size + _CHECKSUM.size:
        raise MessageError(f"{len(data)} bytes are too few for a message.")
    magic, version, found, flags, width, count, head, clock, trained_on, *stamp = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise MessageError("This is not a Sottovoce message: it begins with other bytes.")
    if version != VERSION:
        problem = f"The message is in version {version} of the format, this node understands {VERSION}."
        raise MessageError(problem, "Bring both nodes to the same version of Sottovoce.")
    if found != kind:
        said = _NAMES.get(found, f"something of kind {found}")
        raise MessageError(f"The message is {said}, and {_NAMES[kind]} was expected.")
    coded, gathered = flags & (CODES_16 | CODES_8), bool(flags & GATHERED)
    if flags >= 2 * RELAY or coded not in _FORMS or (kind == UPDATE and flags & (DELTA | RELAY)):
        raise MessageError(f"The message has flags ({flags:#04x}) that version {VERSION} does not define.")
    form = np.dtype(_FORMS[coded])
    bits = 8 * form.itemsize
    _compare(Expect(count, width, head, *stamp[2:]), expect, gathered)
    length = size(count, width, head, gathered, bits, kind)
    if len(data) != length:
        raise MessageError(f"The message has {len(data)} bytes, and its header announces {length}.")
    if zlib.crc32(memoryview(data)[: -_CHECKSUM.size]) != _CHECKSUM.unpack_from(data, len(data) - 4)[0]:
        raise MessageError("The message was damaged on its way: its checksum is wrong.", "Send it again.")

    at = _HEADER.size
    ids = np.frombuffer(data, "<i4", count if gathered else 0, at).astype(np.int32)
    at += ids.nbytes
    age = np.frombuffer(data, "<i4", count if kind == MODEL else 0, at).astype(np.int32)
    at += age.nbytes
    scale = np.frombuffer(data, "<f4", 2 * (width + 1) * (bits < 32), at).astype(np.float32).reshape(2, -1)
    at += scale.nbytes
    rows = np.frombuffer(data, form, count * width, at).astype(form.newbyteorder("=")).reshape(count, width)
    at += rows.nbytes
    weights = np.frombuffer(data, form, head, at).astype(form.newbyteorder("="))
    marks = bool(flags & DELTA), bool(flags & RELAY)
    message = Message(rows, age, ids, weights, clock, trained_on, scale, *marks, kind, *stamp)
    check(message, LARGEST_WEIGHT if coded else largest)
    if len(ids) and ids[-1] >= expect.items:
        raise MessageError(f"The message is about item {ids[-1]}, and there are {expect.items}.")
    return message


def _compare(found: Expect, expect: Expect, gathered: bool) -> None:
    """Refuse a message about another catalogue, or a model of another shape or with other settings."""
    if found.catalogue != expect.catalogue:
        raise MessageError(
            "The message is about another catalogue than this node's.",
            "Models can be merged only where all nodes list the same items in the same order.",
        )
    if found.settings != expect.settings:
        raise MessageError(
            "The message is about a model with other settings than this node's.",
            "All nodes of a community need the same model, with the same settings and the same common start.",
        )
    fits = found.items <= expect.items if gathered else found.items == expect.items
    if not fits or found.width != expect.width or found.head != expect.head:
        raise MessageError(
            f"The message has {found.items} rows of {found.width} numbers and a head of {found.head}, "
            f"and this node's model {expect.items} rows of {expect.width} and a head of {expect.head}.",
            "Both nodes need the same catalogue and the same model.",
        )
