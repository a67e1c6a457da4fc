"""What participants and the server of homomorphic sums send each other, as bytes.

| bytes | type | what                                                                      |
|-------|------|---------------------------------------------------------------------------|
| 4     |      | magic, "SVHE"                                                             |
| 1     | u8   | version of the format, 1                                                  |
| 1     | u8   | kind, see below                                                           |
| 1     | u8   | v, how many parts follow                                                  |
| 8     |      | a hash of the plan and the scheme's settings                              |
| 4     | u32  | round; 0 before the first one                                             |
| 4     | u32  | sender: a participant's number, or 2^32 − 1 for the server                |
| 4v    | u32  | the length of each part                                                   |
| …     |      | the parts                                                                 |
| 4     | u32  | CRC-32 of all bytes before: a damaged ciphertext decrypts to anything     |

| kind | from        | parts                                                                       |
|------|-------------|-----------------------------------------------------------------------------|
| 0    | participant | the public key, for the server                                              |
| 1    | participant | the secret key, encrypted to one other participant                          |
| 2    | server      | an invitation: the base's rows and head; from the second round on the sums: |
|      |             | rows, counts, head, totals                                                  |
| 3    | participant | a contribution: rows, counts, head, totals                                  |
| 4    | participant | the reference: rows and head of the model that this round trains            |

The receiver knows how long each part can be, and compares before it reads any.
"""

import hashlib
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.plan import Part, Plan
from sottovoce.exchange.homomorphic.scheme import Scheme

MAGIC, VERSION = b"SVHE", 1
PUBLIC_KEY, WRAPPED_KEY, INVITATION, CONTRIBUTION, REFERENCE = range(5)
SERVER = 2**32 - 1
_NAMES = ("a public key", "a secret key", "an invitation", "a contribution", "a reference")
_HEADER, _LENGTH = struct.Struct("<4sBBB8sII"), struct.Struct("<I")


class Letter(NamedTuple):
    """One message."""

    kind: int
    round: int
    sender: int
    parts: tuple[bytes, ...]


def settings(plan: Plan, scheme: Scheme) -> bytes:
    """Eight bytes in which two differ who do not have the same plan and scheme."""
    return hashlib.sha256(f"{tuple(plan)!r} {scheme.settings}".encode()).digest()[:8]


def limits(parts: Sequence[Part], scheme: Scheme) -> list[int]:
    """How many bytes each of these vectors takes at most."""
    return [scheme.longest(part.numbers, part.fixed) for part in parts]


def size(parts: Sequence[int]) -> int:
    """The length in bytes of a letter whose parts have these lengths."""
    return _HEADER.size + (len(parts) + 1) * _LENGTH.size + sum(parts)


def encode(letter: Letter, agreed: bytes) -> bytes:
    """A letter as bytes; `agreed` is the hash of plan and scheme."""
    head = MAGIC, VERSION, letter.kind, len(letter.parts), agreed, letter.round, letter.sender
    lengths = (_LENGTH.pack(len(part)) for part in letter.parts)
    body = b"".join((_HEADER.pack(*head), *lengths, *letter.parts))
    return body + _LENGTH.pack(zlib.crc32(body))


def decode(
    data: bytes, kind: int, agreed: bytes, longest: Sequence[int], fewest: int | None = None
) -> Letter:
    """The letter of this kind in `data`, with parts of at most these lengths.

    There are as many parts as `longest` has entries, or, if `fewest` is given, only that many.
    """
    name = _NAMES[kind]
    if len(data) < _HEADER.size + _LENGTH.size:
        raise MessageError(f"{len(data)} bytes are too few for {name}.")
    magic, version, found, count, theirs, number, sender = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise MessageError(f"This is not {name}: it begins with other bytes.")
    if version != VERSION:
        raise MessageError(
            f"{name.capitalize()} is in version {version} of the format, and {VERSION} is understood.",
            "Bring everybody to the same version of Sottovoce.",
        )
    if found != kind:
        said = _NAMES[found] if found < len(_NAMES) else f"something of kind {found}"
        raise MessageError(f"The message is {said}, and {name} was expected.")
    if theirs != agreed:
        raise MessageError(
            f"{name.capitalize()} is from somebody with another plan or scheme.",
            "All participants and the server need the same settings.",
        )
    if count not in (len(longest), fewest):
        raise MessageError(f"{name.capitalize()} has {count} parts, and {len(longest)} were expected.")
    begin = _HEADER.size + count * _LENGTH.size
    if len(data) < begin + _LENGTH.size:
        raise MessageError(f"{len(data)} bytes are too few for {name}.")
    lengths = [_LENGTH.unpack_from(data, _HEADER.size + n * _LENGTH.size)[0] for n in range(count)]
    for length, most in zip(lengths, longest, strict=False):
        if length > most:
            raise MessageError(f"{name.capitalize()} has a part of {length} bytes, and {most} is the most.")
    announced = begin + sum(lengths) + _LENGTH.size
    if len(data) != announced:
        raise MessageError(f"{name.capitalize()} has {len(data)} bytes, and {announced} were announced.")
    (checksum,) = _LENGTH.unpack_from(data, announced - _LENGTH.size)
    if zlib.crc32(memoryview(data)[: -_LENGTH.size]) != checksum:
        raise MessageError(f"{name.capitalize()} was damaged on its way.", "Send it again.")
    parts, at = [], begin
    for length in lengths:
        parts.append(data[at : at + length])
        at += length
    return Letter(kind, number, sender, tuple(parts))
