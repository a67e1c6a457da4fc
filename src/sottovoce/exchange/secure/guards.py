"""What a client refuses because of who is in a sum, now and in earlier ones.

A sum of few people tells much about each, and so does the difference of two sums: a server that runs a
round with a group, and another with the same group but one, subtracts (Perifanis and Efraimidis, 2022,
Section 5.2). More sums can be combined in more ways. Earlier sums are 0/1 vectors of who was in them, and
the server knows every linear combination. A `Guard` refuses a sum if some combination of it and earlier
ones is about fewer than k people, that is, if the span of these vectors has a vector that is not zero and
has fewer than k places that are not zero.

The sets to look at are those whose vectors are really in a sum: a server that pretends that one person
dropped out chooses them as freely as groups. So the client checks survivors before it signs them, and the
group before it begins. It remembers what it signed, whether a sum came of it or not; of sums that it was
not in it knows nothing.

Whether such a vector exists is decided exactly. People who were in the same sums have the same place in
every combination, so they are one column with a weight. A column whose weight reaches what is left of k
must be zero, which is a linear condition. Among columns that decide the combination one at least is not
zero: it is tried which is the first, the ones before it are zero, and its weight is used up. Arithmetic is
modulo a prime between 2^60 and 2^61. A zero there that is none would need a determinant of 0/1 vectors, an
integer, that this prime divides; up to 35 sums none is large enough. A server that knew the prime could
choose more sums so that it divides one: therefore it is drawn anew for each check.

The guard is strict: it takes people's numbers for unchanged between sums. In a small community it allows
few different groups, and then refuses. A group that stays together can go on for ever, but not without
some of its people: who leaves is what two of its sums differ by, so at least k have to leave at once.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.group import Group
from sottovoce.plural import count

WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Bases with which the test of Miller and Rabin is exact below 2^64 (Sorenson and Webster 2015)."""
WORK = 2_000
"""Eliminations that one check may take; a history that needs more is refused."""

Matrix = list[list[int]]


@dataclass
class Guard:
    """Refuses sums about fewer than k people, alone or combined with earlier ones."""

    k: int
    smallest: int = 0  # people in a sum; at least k
    earlier: list[frozenset[bytes]] = field(default_factory=list)
    """Who was in earlier sums, by identity, each set once. A device keeps this between rounds."""

    def check_group(self, group: Group) -> None:
        """Refuse a group that is too small even if as many drop out as may, or too like an earlier one."""
        least = max(self.k, self.smallest)
        if group.threshold < least:
            raise MessageError(
                f"A sum of this group may be of {group.threshold} people, and this node wants {least}.",
                "Take part in a larger group, or in one with a higher threshold.",
            )
        self.check(frozenset(group.identities))

    def check(self, people: frozenset[bytes]) -> None:
        """Refuse a sum of these people."""
        least = max(self.k, self.smallest)
        if len(people) < least:
            raise MessageError(
                f"A sum of {count(len(people), 'person')} is too small: this node wants {least}.",
                "Begin a new round.",
            )
        for known in self.earlier:
            apart = len(known ^ people)
            if 0 < apart < self.k:
                raise MessageError(
                    f"A sum of {count(len(people), 'person')} differs from an earlier one by "
                    f"{count(apart, 'person')}, and both together would tell about these alone; "
                    f"this node wants at least {self.k}.",
                    "Take part with the same group as before, or with a very different one.",
                )
        if people not in self.earlier and isolates([*self.earlier, people], self.k):
            raise MessageError(
                f"A sum of {count(len(people), 'person')}, combined with earlier ones, would tell about "
                f"fewer than {self.k} of them.",
                "Take part with the same group as before, or with people whom this node never met.",
            )

    def remember(self, people: frozenset[bytes]) -> None:
        """Keep who was in a sum."""
        if people not in self.earlier:
            self.earlier.append(people)


def is_prime(number: int) -> bool:
    """Whether an odd number from 41 to 2^64 is prime."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in WITNESSES:
        power = pow(base, odd, number)
        if power != 1 and all(pow(power, 2**n, number) != number - 1 for n in range(twos)):
            return False
    return True


def random_prime() -> int:
    """A prime between 2^60 and 2^61 that nobody else knows."""
    while True:
        number = 2**60 + 1 + 2 * secrets.randbelow(2**59)
        if is_prime(number):
            return number


def isolates(sets: Iterable[frozenset[bytes]], k: int) -> bool:
    """Whether some combination of these sets, other than zero, is about fewer than k people.

    Where that cannot be decided with reasonable work, the answer is yes.
    """
    listed = list(dict.fromkeys(sets))
    columns: dict[tuple[int, ...], int] = {}  # in which sets, and how many people
    for person in frozenset().union(*listed):
        membership = tuple(int(person in one) for one in listed)
        columns[membership] = columns.get(membership, 0) + 1
    rows = [list(row) for row in zip(*columns, strict=True)] if columns else []
    work, prime = [WORK], random_prime()
    return _reaches(_reduced(rows, prime)[0], list(columns.values()), k - 1, work, prime) or work[0] < 0


def _reaches(rows: Matrix, weights: list[int], budget: int, work: list[int], prime: int) -> bool:
    """Whether the span of `rows` has a vector other than zero whose places weigh at most `budget`.

    Rows are independent as elements of the span. A column whose weight is 0 is free: what stands there
    was paid for, or does not matter.
    """
    work[0] -= 1
    if work[0] < 0:
        return False
    rows = _without(rows, [at for at, weight in enumerate(weights) if weight > budget], prime)
    if not rows:
        return False
    open_columns = [at for at, weight in enumerate(weights) if weight]
    _, pivots = _reduced([[row[at] for at in open_columns] for row in rows], prime)
    if len(pivots) < len(rows):
        return True  # some combination is zero in all columns that still cost something
    for at in (open_columns[pivot] for pivot in pivots):
        left = [0 if place == at else weight for place, weight in enumerate(weights)]
        if _reaches(rows, left, budget - weights[at], work, prime):
            return True
        rows = _without(rows, [at], prime)
    return False


def _without(rows: Matrix, columns: list[int], prime: int) -> Matrix:
    """Independent combinations of `rows` that span all that are zero in these columns."""
    for at in columns:
        pivot = next((row for row in rows if row[at]), None)
        if pivot is not None:
            inverse = pow(pivot[at], -1, prime)
            rows = [_minus(row, row[at] * inverse % prime, pivot, prime) for row in rows if row is not pivot]
    return rows


def _reduced(rows: Matrix, prime: int) -> tuple[Matrix, list[int]]:
    """Independent rows with the same span, and columns: as many, not all zero in any of its vectors."""
    rows, kept, pivots = [list(row) for row in rows], [], []
    for at in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows if row[at]), None)
        if pivot is not None:
            inverse = pow(pivot[at], -1, prime)
            rows = [_minus(row, row[at] * inverse % prime, pivot, prime) for row in rows if row is not pivot]
            kept.append(pivot)
            pivots.append(at)
    return kept, pivots


def _minus(row: list[int], factor: int, other: list[int], prime: int) -> list[int]:
    return [(a - factor * b) % prime for a, b in zip(row, other, strict=True)] if factor else row
