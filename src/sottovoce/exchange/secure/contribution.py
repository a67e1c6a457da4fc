"""What one person adds to a round, as the two vectors that are summed, and what the sums give.

The first vector has, for each item, 1 if the person changed its row and 0 otherwise, and then totals such
as the number of instances. The second has the changes of the rows that may be sent, zeros where the
person changed nothing, and then the head. Whoever averages the head by instances sends head × instances
and the instances as a total (Algorithm 2 in Perifanis and Efraimidis, 2022); any other rule that is a
weighted sum multiplies rows and head by its weights before, and has their sum as a total.

Nothing here is masked. The masked sums equal `plain_sums` bit by bit, so a simulation of many people can
add these integers and draw no masks.
"""

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.fixed_point import FixedPoint, fixed_point, total
from sottovoce.exchange.secure.primitives import digest


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

    def second_length(self, rows: int) -> int:
        return rows * self.width + self.head

    @property
    def hash(self) -> bytes:
        return digest(b"sottovoce plan", struct.pack("<8Q", *self))

    def forms(self, clients: int) -> tuple[FixedPoint, FixedPoint, FixedPoint]:
        """How counts and totals, rows, and the head become integers that so many clients can sum."""
        places = 0, self.row_places, self.head_places
        count, row, head = (fixed_point(self.bits, each, clients) for each in places)
        return count, row, head


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


def check(plan: Plan, mine: Contribution) -> None:
    """Refuse a contribution that does not have the plan's shapes."""
    items = np.asarray(mine.items)
    shapes = items.shape, np.shape(mine.rows), np.shape(mine.head), np.shape(mine.totals)
    if shapes != (items.shape[:1], (len(items), plan.width), (plan.head,), (plan.totals,)):
        raise MessageError(f"A contribution's arrays {shapes} do not have the shapes of the round.")
    if len(items) and (items[0] < 0 or items[-1] >= plan.items or (np.diff(items) <= 0).any()):
        raise MessageError("A contribution's items do not ascend, or are not in the catalogue.")
    if (np.asarray(mine.totals) < 0).any() or (np.rint(mine.totals) != mine.totals).any():
        raise MessageError("A contribution's totals are not whole numbers from 0 on.")


def first_vector(plan: Plan, mine: Contribution, clients: int) -> NDArray[Any]:
    """What a person sends to the first sum, before masks, in a group of so many."""
    check(plan, mine)
    vector = np.zeros(plan.first_length)
    vector[mine.items] = 1
    vector[plan.items :] = mine.totals
    return plan.forms(clients)[0].encode(vector)


def second_vector(plan: Plan, mine: Contribution, items: NDArray[np.int64], clients: int) -> NDArray[Any]:
    """What a person sends to the second sum, before masks: rows of these items, and the head."""
    check(plan, mine)
    _, row, head = plan.forms(clients)
    vector = np.zeros((len(items), plan.width), f"u{plan.bits // 8}")
    own, here = np.isin(mine.items, items), np.isin(items, mine.items)
    vector[here] = row.encode(np.asarray(mine.rows)[own])
    return np.concatenate([vector.ravel(), head.encode(mine.head)])


def needed(plan: Plan, people: int, threshold: int) -> int:
    """How many contributors a row needs: k + n - t, of n people in the first sum.

    Everybody but t may still drop out of the second; k of the contributors are left even then.
    """
    return plan.k + people - threshold


def allowed(plan: Plan, counts: NDArray[Any], people: int, threshold: int) -> NDArray[np.int64]:
    """The items whose rows may be sent."""
    return np.flatnonzero(counts >= needed(plan, people, threshold))


def aggregated(
    plan: Plan,
    clients: int,
    threshold: int,
    sums: tuple[NDArray[Any], NDArray[Any]],
    people: tuple[tuple[int, ...], tuple[int, ...]],
) -> Aggregated:
    """What the two sums of a group of so many clients stand for."""
    count, row, head = plan.forms(clients)
    counts, totals = np.split(count.integers(sums[0]), [plan.items])
    items = allowed(plan, counts, len(people[0]), threshold)
    rows, weights = np.split(sums[1], [len(items) * plan.width])
    values = row.decode(rows).reshape(len(items), plan.width)
    return Aggregated(items, counts[items], values, head.decode(weights), totals, counts, *people)


def plain_sums(
    plan: Plan,
    group: Sequence[Contribution],
    threshold: int,
    first: Sequence[int] | None = None,
    second: Sequence[int] | None = None,
) -> Aggregated:
    """What secure sums of a group give, by adding integers without masks.

    `first` and `second` are those whose vectors arrived; by default everybody's.
    """
    clients = len(group)
    one = tuple(range(clients)) if first is None else tuple(first)
    two = one if second is None else tuple(second)
    counts = total(np.array([first_vector(plan, group[who], clients) for who in one]))
    items = allowed(plan, plan.forms(clients)[0].integers(counts)[: plan.items], len(one), threshold)
    rows = total(np.array([second_vector(plan, group[who], items, clients) for who in two]))
    return aggregated(plan, clients, threshold, (counts, rows), (one, two))
