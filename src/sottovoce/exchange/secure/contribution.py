"""What one person adds to a round, as the two vectors that are summed, and what the sums give.

The first vector has, for each item, 1 if the person changed its row and 0 otherwise, and then totals such
as the number of instances. The second has the changes of the rows that may be sent, zeros where the
person changed nothing, and then the head. Whoever averages the head by instances sends head × instances
and the instances as a total (Algorithm 2 in Perifanis and Efraimidis, 2022); any other rule that is a
weighted sum multiplies rows and head by its weights before, and has their sum as a total.

Nothing here is masked. The masked sums equal `plain_sums` bit by bit, so a simulation of many people can
add these integers and draw no masks.

`Plan` is the `Encoding` of MF-SecAvg: fixed-point numbers alone. Groups of `consensus` have another one
(`row_steps`). The state machines of `two_sums` work with any.
"""

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.fixed_point import FixedPoint, fixed_point
from sottovoce.exchange.secure.masks import Wide, pieces
from sottovoce.exchange.secure.messages import (
    ANNOUNCEMENT,
    Announcement,
    pack_announcement,
    unpack_announcement,
)
from sottovoce.exchange.secure.primitives import digest

Result = TypeVar("Result", covariant=True)
Numbers = Any
"""Whole numbers, or arrays of them."""
IMPOSSIBLE = "The sum of counts is impossible: a client did not count by 0 and 1."


class Contribution(NamedTuple):
    """One person's part."""

    items: NDArray[Any]  # [m], whose rows changed, ascending
    rows: NDArray[Any]  # [m, width], their changes
    head: NDArray[Any]  # [head], already multiplied by the person's weight
    totals: NDArray[Any]  # [totals], whole numbers


class Aggregated(NamedTuple):
    """What a server knows after both sums, and no more."""

    items: NDArray[np.int64]  # whose rows were summed
    contributors: NDArray[np.int64]  # n_I of each of these, in the first sum
    rows: NDArray[np.float64]  # [items, width], sums
    head: NDArray[np.float64]  # [head], sum
    totals: NDArray[np.int64]  # [totals], in the first sum
    counts: NDArray[np.int64]  # n_I of all items, in the first sum
    first: tuple[int, ...]  # who is in the first sum
    second: tuple[int, ...]  # who is in the second


class Encoding(Protocol[Result]):
    """How contributions become the two vectors that are summed, and what the sums give.

    Everybody in a round agrees on it. Vectors are words of `bits` bits, some of which may be parts of wider
    integers (`masks.pieces`). `clients` is the size of the group.
    """

    @property
    def items(self) -> int: ...
    @property
    def totals(self) -> int:
        """Whole numbers that are announced beside the counts."""

    @property
    def k(self) -> int:
        """A row is sent only if its sum is of at least k people."""

    @property
    def bits(self) -> int: ...
    @property
    def hash(self) -> bytes: ...
    @property
    def first_length(self) -> int:
        """The words of the first vector."""

    @property
    def first_wide(self) -> Wide: ...

    def second_length(self, rows: Numbers) -> Numbers:
        """The words of the second vector, if so many rows are announced."""

    def second_wide(self, rows: int) -> Wide: ...

    def announcement_size(self, rows: Numbers) -> Numbers:
        """Bytes of the body of an announcement of so many rows."""

    def check_fits(self, clients: int) -> None:
        """Refuse a group whose sums could overflow."""

    def check(self, mine: Contribution) -> None:
        """Refuse a contribution that does not have the shapes of the round."""

    def fitted(self, mine: Contribution, clients: int) -> Contribution:
        """A contribution that can be sent, whatever its numbers are; itself if it can be sent as it is."""

    def first_vector(self, mine: Contribution, clients: int) -> NDArray[Any]:
        """What a person sends to the first sum, before masks."""

    def announcement(self, summed: NDArray[Any], people: int, threshold: int, clients: int) -> Announcement:
        """What the first sum says, of so many people; refused if it cannot be true."""

    def pack(self, announced: Announcement) -> bytes: ...

    def unpack(self, body: bytes, people: int, threshold: int) -> Announcement: ...

    def second_vector(self, mine: Contribution, announced: Announcement, clients: int) -> NDArray[Any]:
        """What a person sends to the second sum, before masks: announced rows, and the head."""

    def result(
        self,
        announced: Announcement,
        summed: NDArray[Any],
        clients: int,
        people: tuple[tuple[int, ...], tuple[int, ...]],
    ) -> Result:
        """What both sums stand for, of the people in the first and in the second."""


class Plan(NamedTuple):
    """What everybody in a round agrees on: shapes, precision, and k."""

    items: int
    width: int  # numbers in a row
    head: int  # numbers that belong to no item
    totals: int  # whole numbers that are summed beside the counts
    k: int  # a row is sent only if its sum is of at least k people
    bits: int = 32  # the sums are modulo 2^bits
    row_places: int = 20  # binary places of a row's numbers
    head_places: int = 12  # binary places of the head's

    @property
    def first_length(self) -> int:
        return self.items + self.totals

    @property
    def first_wide(self) -> Wide:
        return ()

    def second_length(self, rows: Numbers) -> Numbers:
        return rows * self.width + self.head

    def second_wide(self, rows: int) -> Wide:
        return ()

    def announcement_size(self, rows: Numbers) -> Numbers:
        return ANNOUNCEMENT.size + 8 * (rows + self.totals)

    @property
    def hash(self) -> bytes:
        return digest(b"sottovoce plan", struct.pack("<8Q", *self))

    def forms(self, clients: int) -> tuple[FixedPoint, FixedPoint, FixedPoint]:
        """How counts and totals, rows, and the head become integers that so many clients can sum."""
        places = 0, self.row_places, self.head_places
        count, row, head = (fixed_point(self.bits, each, clients) for each in places)
        return count, row, head

    def check_fits(self, clients: int) -> None:
        if min(self) < 0 or self.items >= 2**32:
            raise MessageError(f"A round cannot be planned with these numbers: {self}.")
        self.forms(clients)

    def check(self, mine: Contribution) -> None:
        check_shapes(mine, self.items, self.width, self.head, self.totals)

    def fitted(self, mine: Contribution, clients: int) -> Contribution:
        """Numbers beyond the range are clipped. If one is not finite, zeros take the place of all.

        A client that stayed silent instead would tell the server that the model and its data do not go
        together. The items count all the same, so that counts do not depend on the model either.
        """
        self.check(mine)
        rows, head = np.asarray(mine.rows, np.float64), np.asarray(mine.head, np.float64)
        if not (np.isfinite(rows).all() and np.isfinite(head).all()):
            rows, head = np.zeros_like(rows), np.zeros_like(head)
        parts = zip(self.forms(clients), (mine.totals, rows, head), strict=True)
        totals, rows, head = (form.clipped(numbers) for form, numbers in parts)
        found = Contribution(mine.items, rows, head, totals)
        same = all(np.array_equal(one, other) for one, other in zip(found, mine, strict=True))
        return mine if same else found

    def first_vector(self, mine: Contribution, clients: int) -> NDArray[Any]:
        self.check(mine)
        self.second_vector(
            mine, everything(np.asarray(mine.items)), clients
        )  # what does not fit is refused before it counts
        vector = np.zeros(self.first_length)
        vector[mine.items] = 1
        vector[self.items :] = mine.totals
        return self.forms(clients)[0].encode(vector)

    def announcement(self, summed: NDArray[Any], people: int, threshold: int, clients: int) -> Announcement:
        counts, totals = np.split(self.forms(clients)[0].integers(summed), [self.items])
        return announced_rows(self, counts, totals, people, threshold)

    def pack(self, announced: Announcement) -> bytes:
        return pack_announcement(announced)

    def unpack(self, body: bytes, people: int, threshold: int) -> Announcement:
        return unpack_announcement(body, self.items, self.totals)

    def second_vector(self, mine: Contribution, announced: Announcement, clients: int) -> NDArray[Any]:
        self.check(mine)
        _, row, head = self.forms(clients)
        vector = np.zeros((len(announced.items), self.width), f"u{self.bits // 8}")
        own, here = np.isin(mine.items, announced.items), np.isin(announced.items, mine.items)
        vector[here] = row.encode(np.asarray(mine.rows)[own])
        return np.concatenate([vector.ravel(), head.encode(mine.head)])

    def result(
        self,
        announced: Announcement,
        summed: NDArray[Any],
        clients: int,
        people: tuple[tuple[int, ...], tuple[int, ...]],
    ) -> Aggregated:
        _, row, head = self.forms(clients)
        items, contributors, totals, counts = announced
        rows, weights = np.split(summed, [len(items) * self.width])
        values = row.decode(rows).reshape(len(items), self.width)
        sums = values, head.decode(weights), totals.astype(np.int64), counts
        return Aggregated(items, contributors, *sums, *people)


def check_shapes(mine: Contribution, size: int, width: int, head: int, totals: int) -> None:
    """Refuse a contribution that does not have these shapes."""
    items = np.asarray(mine.items)
    shapes = items.shape, np.shape(mine.rows), np.shape(mine.head), np.shape(mine.totals)
    if shapes != (items.shape[:1], (len(items), width), (head,), (totals,)):
        raise MessageError(f"A contribution's arrays {shapes} do not have the shapes of the round.")
    if len(items) and (items[0] < 0 or items[-1] >= size or (np.diff(items) <= 0).any()):
        raise MessageError("A contribution's items do not ascend, or are not in the catalogue.")
    if (np.asarray(mine.totals) < 0).any() or (np.rint(mine.totals) != mine.totals).any():
        raise MessageError("A contribution's totals are not whole numbers from 0 on.")


def everything(items: NDArray[Any]) -> Announcement:
    """An announcement of the rows of all these items, by nobody."""
    none = np.empty(0, np.int64)
    return Announcement(items.astype(np.int64), np.ones(len(items), np.int64), none.astype(np.uint64), none)


def needed(plan: Encoding[Any], people: int, threshold: int) -> int:
    """How many contributors a row needs: k + n - t, of n people in the first sum.

    Everybody but t may still drop out of the second; k of the contributors are left even then.
    """
    return plan.k + people - threshold


def allowed(plan: Encoding[Any], counts: NDArray[Any], people: int, threshold: int) -> NDArray[np.int64]:
    """The items whose rows may be sent."""
    return np.flatnonzero(counts >= needed(plan, people, threshold))


def announced_rows(
    plan: Encoding[Any], counts: NDArray[Any], totals: NDArray[Any], people: int, threshold: int
) -> Announcement:
    """What the first sum of so many people says: the rows that may be sent. Refused if it cannot be true."""
    if (counts < 0).any() or (counts > people).any() or (totals < 0).any():
        raise MessageError(IMPOSSIBLE)
    items = allowed(plan, counts, people, threshold)
    return Announcement(items, counts[items], totals.astype(np.uint64), counts)


def plain_sums(
    plan: Encoding[Result],
    group: Sequence[Contribution],
    threshold: int,
    first: Sequence[int] | None = None,
    second: Sequence[int] | None = None,
) -> Result:
    """What secure sums of a group give, by adding integers without masks.

    `first` and `second` are those whose vectors arrived; by default everybody's.
    """
    clients = len(group)
    one = tuple(range(clients)) if first is None else tuple(first)
    two = one if second is None else tuple(second)
    counts = total([plan.first_vector(group[who], clients) for who in one], plan.first_wide)
    announced = plan.announcement(counts, len(one), threshold, clients)
    wide = plan.second_wide(len(announced.items))
    rows = total([plan.second_vector(group[who], announced, clients) for who in two], wide)
    return plan.result(announced, rows, clients, (one, two))


def total(vectors: Sequence[NDArray[Any]], wide: Wide = ()) -> NDArray[Any]:
    """The sum of people's encoded vectors, modulo 2^b: what the masked sum gives, bit by bit."""
    summed = np.zeros_like(vectors[0])
    for vector in vectors:
        for one, other in zip(pieces(summed, wide), pieces(vector, wide), strict=True):
            one += other
    return summed
