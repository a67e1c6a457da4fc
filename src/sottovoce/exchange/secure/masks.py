"""Masks: pseudorandom vectors modulo 2^b that cancel in the sum of a group.

Client u sends (Bonawitz et al., CCS 2017, Section 4; Appendix B in Perifanis and Efraimidis, 2022)

    y_u = x_u + PRG(b_u) + sum over v > u of PRG(s_uv) - sum over v < u of PRG(s_uv)   modulo 2^b

where s_uv is agreed between u and v, and b_u is u's own seed. The generator is AES-256 in counter mode,
whose bytes are read as little-endian unsigned integers of b bits. Its key is derived from the agreed
secret and from all that the mask is for: the session, which of its sums, what is summed (see `binding`),
and the two people. So a mask is never used for two vectors, and masks of clients that do not agree on
what they sum do not cancel: the server gets noise.
"""

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.exchange.secure.fixed_point import UNSIGNED
from sottovoce.exchange.secure.primitives import derive, digest, keystream

BLOCK = 2**18
"""Bytes of a mask that are made at a time: they stay in the cache until they are added."""
_ZEROS = bytes(BLOCK)


def binding(number: int, bits: int, length: int, about: bytes) -> bytes:
    """What a sum is: its number in the session, its modulus and length, and what it is about."""
    return digest(b"sum", struct.pack("<BBI", number, bits, length), about)


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


class Masking:
    """A vector modulo 2^b to which masks are added and from which they are taken, in place."""

    def __init__(self, vector: NDArray[Any]) -> None:
        self.vector = np.array(vector, UNSIGNED[8 * vector.itemsize])
        self._made = bytearray(min(self.vector.nbytes, BLOCK) + 16)  # what the cipher wants to have

    def add(self, key: bytes) -> None:
        """Add the mask of a key."""
        self._apply(key, np.add)

    def subtract(self, key: bytes) -> None:
        """Subtract the mask of a key."""
        self._apply(key, np.subtract)

    def between(self, key: bytes, mine: int, theirs: int) -> None:
        """Apply the mask that two clients share, as the first of them does."""
        self._apply(key, np.add if theirs > mine else np.subtract)

    def _apply(self, key: bytes, operation: np.ufunc) -> None:
        stream, size = keystream(key), self.vector.itemsize
        for start in range(0, len(self.vector), BLOCK // size):
            part = self.vector[start : start + BLOCK // size]
            stream.update_into(memoryview(_ZEROS)[: part.nbytes], self._made)
            operation(part, np.frombuffer(self._made, f"<u{size}", len(part)), out=part)


def expand(key: bytes, bits: int, length: int) -> NDArray[Any]:
    """The mask of a key as a vector of its own."""
    masking = Masking(np.zeros(length, UNSIGNED[bits]))
    masking.add(key)
    return masking.vector
