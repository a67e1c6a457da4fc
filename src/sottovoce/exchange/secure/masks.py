"""Masks: pseudorandom vectors modulo 2^b that cancel in the sum of a group.

Client u sends (Bonawitz et al., CCS 2017, Section 4; Appendix B in Perifanis and Efraimidis, 2022)

    y_u = x_u + PRG(b_u) + sum over v > u of PRG(s_uv) - sum over v < u of PRG(s_uv)   modulo 2^b

where s_uv is agreed between u and v, and b_u is u's own seed. The generator is AES-256 in counter mode,
whose bytes are read as little-endian unsigned integers of b bits. Its key is derived from the agreed
secret and from all that the mask is for: the session, which of its sums, what is summed (see `binding`),
and the two people. So a mask is never used for two vectors, and masks of clients that do not agree on
what they sum do not cancel: the server gets noise.

A vector can begin with wider integers, each of which takes the place of several words of b bits: carries
stay inside them (`pieces`).
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.exchange.secure.fixed_point import UNSIGNED
from sottovoce.exchange.secure.primitives import derive, digest, keystream

BLOCK = 2**17
"""Bytes of a mask that are made at a time: they stay in the cache until they are added."""
_ZEROS = bytes(BLOCK)
Wide = Sequence[tuple[int, int]]
"""Bits and number of the wider integers with which a vector begins, widest first."""


def binding(number: int, bits: int, length: int, about: bytes, wide: Wide = ()) -> bytes:
    """What a sum is: its number in the session, its modulus and length, and what it is about."""
    sizes = b"".join(struct.pack("<BI", *each) for each in wide)
    return digest(b"sum", struct.pack("<BBI", number, bits, length) + sizes, about)


def pieces(vector: NDArray[Any], wide: Wide = ()) -> list[NDArray[Any]]:
    """The integers of a vector of words, as views: the wider ones first, and the rest."""
    found, at = [], 0
    for bits, count in wide:
        end = at + count * (bits // 8) // vector.itemsize
        found.append(vector[at:end].view(UNSIGNED[bits]))
        at = end
    return [*found, vector[at:]]


def pair_key(agreed: bytes, session: bytes, bound: bytes, one: int, other: int) -> bytes:
    """The key of the mask that two clients share in one sum."""
    pair = struct.pack("<HH", min(one, other), max(one, other))
    return derive(agreed, session, b"sottovoce pair mask" + pair + bound)


def self_key(seed: bytes, session: bytes, bound: bytes, who: int) -> bytes:
    """The key of a client's own mask in one sum."""
    return derive(seed, session, b"sottovoce self mask" + struct.pack("<H", who) + bound)


def commitment(seed: bytes, who: int, number: int) -> bytes:
    """A hash that a client publishes of its seed, which has too many bits to be guessed."""
    return digest(b"seed", struct.pack("<HB", who, number), seed)


def masked(
    vector: NDArray[Any], added: Iterable[bytes], subtracted: Iterable[bytes] = (), wide: Wide = ()
) -> NDArray[Any]:
    """A vector modulo 2^b with the masks of some keys added, and those of others subtracted.

    Block after block, each with all masks: so the sum stays in the cache.
    """
    result = np.array(vector, UNSIGNED[8 * vector.itemsize])
    steps = [(keystream(key), np.add) for key in added] + [
        (keystream(key), np.subtract) for key in subtracted
    ]
    made = bytearray(BLOCK + 16)  # the cipher wants to have some more
    for piece in pieces(result, wide):
        size = piece.itemsize
        mask = np.frombuffer(made, f"<u{size}", BLOCK // size)
        for start in range(0, len(piece), len(mask)):
            part = piece[start : start + len(mask)]
            zeros, fresh = memoryview(_ZEROS)[: part.nbytes], mask[: len(part)]
            for stream, operation in steps:
                stream.update_into(zeros, made)
                operation(part, fresh, part)
    return result


def signed(mine: int, keys: Mapping[int, bytes]) -> tuple[list[bytes], list[bytes]]:
    """Keys of masks shared with others, by their number: which a client adds, and which it subtracts."""
    return [keys[who] for who in keys if who > mine], [keys[who] for who in keys if who < mine]
