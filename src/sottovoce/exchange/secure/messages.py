"""The bodies of the messages of a secure sum, as bytes and back. Little-endian, without padding.

`S` is the number of sums of the session. A list begins with its length (u16); its entries begin with the
number of a participant (u16), and ascend by it, so that nobody is there twice.

| message       | body                                                                             |
|---------------|----------------------------------------------------------------------------------|
| KEYS          | public keys: of the channel, then S of masks (32 each); S hashes of seeds (32)    |
| ROSTER        | list of who sent keys: body of KEYS, its signature (64)                           |
| SHARES        | list of who is in the roster: 2S hashes of shares (16 each), a box (64S + 16)     |
| INBOX         | list of other senders: the box that is for the receiver                           |
| MASKED        | sum (u8), bits (u8), length (u32), a hash of what is summed (32), the vector      |
| SURVIVORS     | sum (u8), list of whose vectors are in the sum                                    |
| CONSISTENCY   | sum (u8), a hash of that list (32)                                                |
| CONFIRMATIONS | sum (u8), list of who sent CONSISTENCY: its signature (64)                        |
| UNMASKING     | sum (u8), list of all whose masks are in the sum: a share (32)                    |
| ANNOUNCEMENT  | number of items and of totals (u32 each), items (u32), contributors (u32), totals |
|               | (u64)                                                                            |
| SUMS          | the second sum, as words of MASKED, where a member of the group adds              |

A box holds, encrypted, for each sum a share of the mask's private key and a share of the seed. The box of
an entry of SHARES that is the sender's own is zero: it keeps its own shares.
"""

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.fixed_point import UNSIGNED
from sottovoce.exchange.secure.primitives import KEY, SIGNATURE, TAG

HASH = 16
"""Bytes of a hash of a share."""
MASKED = struct.Struct("<BBI32s")
ANNOUNCEMENT = struct.Struct("<II")
WHO = np.dtype([("who", "<u2")])


def keys_size(sums: int) -> int:
    """Bytes of the body of KEYS."""
    return KEY * (1 + 2 * sums)


def box_size(sums: int) -> int:
    """Bytes of an encrypted box of shares."""
    return 2 * sums * KEY + TAG


def roster_entry(sums: int) -> np.dtype[Any]:
    return np.dtype([("who", "<u2"), ("keys", "u1", keys_size(sums)), ("signature", "u1", SIGNATURE)])


def shares_entry(sums: int) -> np.dtype[Any]:
    return np.dtype([("who", "<u2"), ("hashes", "u1", (2 * sums, HASH)), ("box", "u1", box_size(sums))])


def inbox_entry(sums: int) -> np.dtype[Any]:
    return np.dtype([("who", "<u2"), ("box", "u1", box_size(sums))])


CONFIRMATION = np.dtype([("who", "<u2"), ("signature", "u1", SIGNATURE)])
UNMASKING = np.dtype([("who", "<u2"), ("share", "u1", KEY)])


def pack_list(entry: np.dtype[Any], who: Sequence[int], **fields: Any) -> bytes:
    """A list of entries; each field is an array, or a sequence of bytes, as long as the list."""
    entries = np.zeros(len(who), entry)
    entries["who"] = who
    for name, values in fields.items():
        if len(who) and isinstance(values[0], bytes):
            values = np.frombuffer(b"".join(values), np.uint8)
        entries[name] = np.reshape(values, entries[name].shape)
    return struct.pack("<H", len(who)) + entries.tobytes()


def unpack_list(body: bytes, entry: np.dtype[Any], people: int) -> NDArray[Any]:
    """The entries of a list, if it is whole and all are different people of a group of this size."""
    count = int.from_bytes(body[:2], "little")
    if len(body) != 2 + count * entry.itemsize:
        raise MessageError(f"A list of {count} entries has {len(body)} bytes, which do not fit together.")
    entries = np.frombuffer(body, entry, count, 2)
    who = entries["who"].astype(np.int64)
    if (who[1:] <= who[:-1]).any() or (count and who[-1] >= people):
        raise MessageError(
            "A list names people who are not in the group, one of them twice, or out of order."
        )
    return entries


def pack_numbered(number: int, rest: bytes) -> bytes:
    """A body that begins with the number of a sum."""
    return struct.pack("<B", number) + rest


def unpack_numbered(body: bytes, number: int) -> bytes:
    """What follows the number of the sum, which must be this one."""
    if body[:1] != struct.pack("<B", number):
        raise MessageError(f"The message is not about sum {number}, which is the one under way.")
    return body[1:]


class Masked(NamedTuple):
    """A masked vector, and what it is a vector of."""

    number: int
    bound: bytes
    vector: NDArray[Any]


def pack_masked(number: int, bound: bytes, vector: NDArray[Any]) -> bytes:
    size = vector.itemsize
    head = MASKED.pack(number, 8 * size, len(vector), bound)
    return b"".join((head, vector.astype(f"<u{size}", copy=False).data))  # one copy of what may be megabytes


def unpack_masked(body: bytes, bits: int, length: int) -> Masked:
    """The vector, if it has as many numbers of as many bits as expected."""
    if len(body) < MASKED.size:
        raise MessageError(f"{len(body)} bytes are too few for a masked vector.")
    number, found, count, bound = MASKED.unpack_from(body)
    if (found, count) != (bits, length) or len(body) != MASKED.size + length * bits // 8:
        raise MessageError(
            f"A masked vector has {count} numbers of {found} bits in {len(body)} bytes, "
            f"and {length} of {bits} bits were expected."
        )
    return Masked(
        number, bound, np.frombuffer(body, f"<u{bits // 8}", length, MASKED.size).astype(UNSIGNED[bits])
    )


class Announcement(NamedTuple):
    """Which rows may be sent, and the sums of the first vector that say so."""

    items: NDArray[np.int64]  # ascending
    contributors: NDArray[np.int64]  # of each of these items
    totals: NDArray[np.uint64]
    counts: NDArray[np.int64]  # contributors of all items; empty for those who are not told


def pack_announcement(announcement: Announcement) -> bytes:
    items, contributors, totals, _ = announcement
    parts = items.astype("<u4"), contributors.astype("<u4"), totals.astype("<u8")
    return ANNOUNCEMENT.pack(len(items), len(totals)) + b"".join(part.tobytes() for part in parts)


def unpack_announcement(body: bytes, items: int, totals: int) -> Announcement:
    """An announcement about some of so many items, in ascending order, with so many totals."""
    if len(body) < ANNOUNCEMENT.size:
        raise MessageError(f"{len(body)} bytes are too few for an announcement.")
    count, found = ANNOUNCEMENT.unpack_from(body)
    if count > items or found != totals or len(body) != ANNOUNCEMENT.size + 8 * (count + totals):
        raise MessageError(
            f"An announcement of {count} items and {found} totals has {len(body)} bytes, "
            f"and at most {items} items and {totals} totals were expected."
        )
    at = ANNOUNCEMENT.size
    who = np.frombuffer(body, "<u4", count, at).astype(np.int64)
    contributors = np.frombuffer(body, "<u4", count, at + 4 * count).astype(np.int64)
    sums = np.frombuffer(body, "<u8", totals, at + 8 * count).astype(np.uint64)
    if (who[1:] <= who[:-1]).any() or (count and who[-1] >= items):
        raise MessageError("The items of an announcement do not ascend, or are not in the catalogue.")
    return Announcement(who, contributors, sums, np.empty(0, np.int64))
