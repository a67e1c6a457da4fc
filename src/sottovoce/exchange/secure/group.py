"""Who takes part in a round of secure sums, and what they agreed on before it begins.

A group is a list of identities (public Ed25519 keys), in ascending order; a participant's number is its
place there. Everybody has to know the identities of the others from elsewhere: a server that may invent
people can surround one person with its own.

Threshold t (Bonawitz et al., CCS 2017, Section 6): so many must answer in each phase. More than half are
needed, or an active server could let two halves unmask one client in two ways. With 2t > n + c the server
may in addition collude with c clients, so the default of floor(2n / 3) + 1 holds against about a third.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.primitives import KEY, digest
from sottovoce.plural import count

LARGEST = 1024
"""People in a group. Work grows with the square of it."""
LABEL = 64
"""Bytes of a label."""
SUMS = 8
"""Sums in one session."""


@dataclass(frozen=True)
class Group:
    """A checked group: identities in ascending order, a threshold, a label, how many sums."""

    identities: tuple[bytes, ...]
    threshold: int
    label: bytes  # which round of which community this is
    sums: int = 1

    def __post_init__(self) -> None:
        n = len(self.identities)
        if not 2 <= n <= LARGEST:
            raise MessageError(
                f"A group has {count(n, 'person')}.", f"It needs at least 2, and at most {LARGEST}."
            )
        if any(len(key) != KEY for key in self.identities):
            raise MessageError(f"An identity of a group is not a key of {KEY} bytes.")
        if any(a >= b for a, b in zip(self.identities, self.identities[1:], strict=False)):
            raise MessageError("The identities of a group are not in ascending order, or one is there twice.")
        if not n < 2 * self.threshold <= 2 * n:
            raise MessageError(
                f"A threshold of {self.threshold} is not safe in a group of {n}.",
                f"Take one from {n // 2 + 1} to {n}.",
            )
        if len(self.label) > LABEL or not 1 <= self.sums <= SUMS:
            raise MessageError(
                f"A label has {len(self.label)} bytes, and a session {self.sums} sums.",
                f"At most {LABEL} bytes and from 1 to {SUMS} sums are allowed.",
            )

    def __len__(self) -> int:
        return len(self.identities)

    @cached_property
    def context(self) -> bytes:
        """A hash of all that is agreed on before the round. Who signs it signs the group it sees."""
        numbers = struct.pack("<HHB", len(self), self.threshold, self.sums)
        return digest(b"sottovoce group", numbers, self.label, *self.identities)

    def number(self, identity: bytes) -> int:
        """The number of a participant."""
        if identity not in self.identities:
            raise MessageError("This node's identity is not in the group.", "Take part in another group.")
        return self.identities.index(identity)

    def names(self, numbers: Iterable[int]) -> frozenset[bytes]:
        """The identities of some participants."""
        return frozenset(self.identities[number] for number in numbers)


def default_threshold(people: int) -> int:
    """t = floor(2n / 3) + 1."""
    return 2 * people // 3 + 1


def group(identities: Iterable[bytes], label: bytes, threshold: int | None = None, sums: int = 1) -> Group:
    """A group of these people, in any order."""
    ordered = tuple(sorted(identities))
    return Group(ordered, default_threshold(len(ordered)) if threshold is None else threshold, label, sums)
