"""Contributions to groups without a server: numbers in steps that depend on how many people have a row.

People sum rows of numbers whose size nobody knows before. So the first sum tells it: beside the contributors
of each row it has the number of people who contribute anything, s, and the sum of their largest numbers.
From it everybody knows a bound B, `ROOM` times the mean of these. A row with n contributors becomes integers
in steps that are as fine as the modulus 2^b allows for so many,

    v  →  rint(L · min(max(v / B, −1), 1)),   L = ⌊(2^(b − 1) − 1) / n⌋.

Each person clips. Somebody who lies does not, but the modulus holds all: whatever is added, the sum of a row
stays within about n B. The last number of a row, a count or a weight, is a fixed-point number of 32 bits, and
the head's are of 64 bits. Their places in a vector are those of several words (`masks.pieces`).

Of a row with few contributors nothing but their number is known; everybody is told the counts of all rows.

**With shares of noise** (`privacy.steps`) everybody contributes to every row, so counts tell nothing. People
do not tell their largest number, because only sums hide it: the steps are those of the noise, 2^-places, for
all numbers of a row, and nobody clips once more. What exceeds the modulus wraps, which tells nothing either.
"""

import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.contribution import (
    IMPOSSIBLE,
    Contribution,
    Numbers,
    announced_rows,
    check_shapes,
)
from sottovoce.exchange.secure.fixed_point import SIGNED, UNSIGNED
from sottovoce.exchange.secure.masks import Wide, pieces
from sottovoce.exchange.secure.messages import Announcement
from sottovoce.exchange.secure.primitives import digest
from sottovoce.exchange.secure.ranges import (
    COUNT_PLACES,
    LARGEST,
    PLACES,
    bound,
    enough,
    largest_count,
    levels_of,
)
from sottovoce.plural import count

TOLD = struct.Struct("<HQ")
"""The head of an announcement: who contribute, and the sum of their largest numbers."""


class GroupSum(NamedTuple):
    """Both sums of a group, as integers: `part · step · rows` are the numerators of a member."""

    counts: NDArray[np.int64]  # [items], contributors in the first sum
    items: NDArray[np.int64]  # [m], whose rows were summed
    rows: NDArray[np.int64]  # [m, w], the last number included
    levels: NDArray[np.int64]  # [m], L
    bound: float  # B
    last: float  # the step of the last number of a row
    head: NDArray[np.int64]
    first: tuple[int, ...]  # who is in the first sum
    second: tuple[int, ...]  # who is in the second


class StepPlan(NamedTuple):
    """What a group agrees on: an `Encoding` with steps for each row."""

    items: int
    width: int  # numbers in a row, the last one included
    head: int
    k: int  # a row is sent only if its sum is of at least k people
    bits: int = 32
    places: int = 0  # binary places of numbers that carry shares of noise; 0: none do
    least: int = 0  # so many people must contribute, whoever drops out

    @property
    def totals(self) -> int:
        return 2

    @property
    def hash(self) -> bytes:
        return digest(b"sottovoce steps", struct.pack("<7Q", *self))

    @property
    def first_length(self) -> int:
        return 64 // self.bits + self.items + 1

    @property
    def first_wide(self) -> Wide:
        return ((64, 1),)

    def second_length(self, rows: Numbers) -> Numbers:
        return self.head * (64 // self.bits) + rows * (max(32 // self.bits, 1) + self.width - 1)

    def second_wide(self, rows: int) -> Wide:
        return (64, self.head), (max(32, self.bits), rows)

    def announcement_size(self, rows: Numbers) -> Numbers:
        return TOLD.size + 2 * self.items

    def check_fits(self, clients: int) -> None:
        if self.bits not in UNSIGNED or min(self) < 0 or self.width < 1 or self.items >= 2**32:
            raise MessageError(f"A group cannot sum with these numbers: {self}.")

    def check(self, mine: Contribution) -> None:
        check_shapes(mine, self.items, self.width, self.head, self.totals)

    def contribution(
        self, ids: NDArray[Any], rows: NDArray[Any], head: NDArray[Any], clients: int
    ) -> Contribution:
        """A person's part in a group of so many, from rows in any order.

        Who has nothing, or numbers that are too large for any sum, adds nothing.
        """
        if self.places:  # nobody tells their largest number, which noise does not hide
            order = np.argsort(ids)
            totals = np.array([len(ids) > 0, 0])
            return Contribution(ids[order].astype(np.int64), rows[order], head, totals)
        numbers, last = rows[:, :-1].astype(np.float64), rows[:, -1].astype(np.float64)
        most = np.abs(numbers).max(initial=0.0)
        fits = (
            len(ids) > 0
            and bool(np.isfinite(numbers).all() and most * 2.0**PLACES <= LARGEST)
            and bool((np.abs(last) <= largest_count(clients)).all())
            and bool((np.abs(head.astype(np.float64)) * 2.0**PLACES <= LARGEST).all())
        )
        if not fits:
            return Contribution(ids[:0].astype(np.int64), rows[:0], np.zeros(self.head), np.zeros(2))
        order = np.argsort(ids)
        totals = np.array([1, np.ceil(most * 2.0**PLACES)])
        return Contribution(ids[order].astype(np.int64), rows[order], head, totals)

    def fitted(self, mine: Contribution, clients: int) -> Contribution:
        """`contribution` made it fit, and vectors clip."""
        return mine

    def first_vector(self, mine: Contribution, clients: int) -> NDArray[Any]:
        self.check(mine)
        vector = np.zeros(self.first_length, UNSIGNED[self.bits])
        peak, counts = pieces(vector, self.first_wide)
        counts[mine.items] = 1
        counts[self.items], peak[0] = (int(each) for each in mine.totals)
        return vector

    def announcement(self, summed: NDArray[Any], people: int, threshold: int, clients: int) -> Announcement:
        peak, counted = (one.view(SIGNED[8 * one.itemsize]) for one in pieces(summed, self.first_wide))
        totals = np.array([counted[self.items], peak[0]], np.int64)
        return self._announcement(counted[: self.items].astype(np.int64), totals, people, threshold)

    def _announcement(
        self, counts: NDArray[np.int64], totals: NDArray[np.int64], people: int, threshold: int
    ) -> Announcement:
        found = announced_rows(self, counts, totals, people, threshold)
        if totals[0] > people or counts.max(initial=0) > totals[0]:
            raise MessageError(IMPOSSIBLE)
        if not enough(int(totals[0]), people - threshold, max(self.k, self.least)):
            raise MessageError(
                f"Only {count(int(totals[0]), 'person')} of the group contribute, of whom "
                f"{people - threshold} may still drop out, and {max(self.k, self.least, 2)} are needed.",
                "Begin a new round in a larger group.",
            )
        return found

    def pack(self, announced: Announcement) -> bytes:
        senders, peak = (int(each) for each in announced.totals)
        return TOLD.pack(senders, peak) + announced.counts.astype("<u2").tobytes()

    def unpack(self, body: bytes, people: int, threshold: int) -> Announcement:
        if len(body) != self.announcement_size(0):
            raise MessageError(f"An announcement of {self.items} counts does not have {len(body)} bytes.")
        senders, peak = TOLD.unpack_from(body)
        if peak > LARGEST * people:
            raise MessageError("People's largest numbers are announced to be larger than any can be.")
        counts = np.frombuffer(body, "<u2", self.items, TOLD.size).astype(np.int64)
        return self._announcement(counts, np.array([senders, peak], np.int64), people, threshold)

    def second_vector(self, mine: Contribution, announced: Announcement, clients: int) -> NDArray[Any]:
        self.check(mine)
        rows = len(announced.items)
        vector = np.zeros(int(self.second_length(rows)), UNSIGNED[self.bits])
        head, last, numbers = pieces(vector, self.second_wide(rows))
        own, here = np.isin(mine.items, announced.items), np.isin(announced.items, mine.items)
        levels = self._levels(announced)[here, None].astype(np.float64)
        values = np.asarray(mine.rows)[own].astype(np.float64)
        scaled = values[:, :-1] / self._bound(announced)
        scaled = scaled if self.places else np.clip(scaled, -1.0, 1.0)
        numbers.reshape(rows, self.width - 1)[here] = _words(levels * scaled, self.bits)
        last[here] = _words(values[:, -1] / self._last, 8 * last.itemsize)
        head[:] = _words(np.asarray(mine.head, np.float64) * 2.0**PLACES, 64)
        return vector

    def result(
        self,
        announced: Announcement,
        summed: NDArray[Any],
        clients: int,
        people: tuple[tuple[int, ...], tuple[int, ...]],
    ) -> GroupSum:
        items, _, _, counts = announced
        head, last, numbers = (
            one.view(SIGNED[8 * one.itemsize]).astype(np.int64)
            for one in pieces(summed, self.second_wide(len(items)))
        )
        rows = np.column_stack([numbers.reshape(len(items), self.width - 1), last])
        steps = self._levels(announced), self._bound(announced), self._last
        return GroupSum(counts, items, rows, *steps, head, *people)

    def _bound(self, announced: Announcement) -> float:
        senders, peak = (int(each) for each in announced.totals)
        return 1.0 if self.places else float(bound(peak, senders))

    def _levels(self, announced: Announcement) -> NDArray[np.int64]:
        levels: NDArray[np.int64] = levels_of(2 ** (self.bits - 1) - 1, announced.contributors)
        return np.full_like(levels, 2**self.places) if self.places else levels

    @property
    def _last(self) -> float:
        return float(2.0 ** -(self.places or COUNT_PLACES))


def _words(values: NDArray[np.float64], bits: int) -> NDArray[Any]:
    words: NDArray[Any] = np.rint(values).astype(np.int64).astype(UNSIGNED[bits])
    return words
