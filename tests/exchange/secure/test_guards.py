"""Guards refuse what tells about few people, exactly when some combination of sums does."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.secure import guards
from sottovoce.exchange.secure.guards import Guard, is_prime, isolates, random_prime
from tests.exchange.secure.parties import group_of


def people(*numbers: int) -> frozenset[bytes]:
    return frozenset(int(number).to_bytes(32, "big") for number in numbers)


def rank(rows: list[list[Fraction]]) -> int:
    rows, found = [list(row) for row in rows], 0
    for at in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows[found:] if row[at]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows = [
            [a - row[at] / pivot[at] * b for a, b in zip(row, pivot, strict=True)] if row[at] else row
            for row in rows
        ]
        rows.insert(found, pivot)
        found += 1
    return found


def reference(sets: list[frozenset[bytes]], k: int) -> bool:
    """Over the rationals, all supports of fewer than k people: is there a vector that is zero elsewhere?"""
    everybody = sorted(frozenset().union(*sets))
    rows = [[Fraction(person in one) for person in everybody] for one in sets]
    for support in itertools.combinations(range(len(everybody)), min(k - 1, len(everybody))):
        outside = [[row[at] for at in range(len(everybody)) if at not in support] for row in rows]
        if rank(outside) < rank(rows):
            return True
    return False


@settings(max_examples=150)
@given(
    st.lists(st.frozensets(st.integers(0, 8), min_size=1, max_size=9), min_size=1, max_size=6, unique=True),
    st.integers(1, 5),
)
def test_isolation_is_decided_exactly(numbers: list[frozenset[int]], k: int) -> None:
    sets = [people(*each) for each in numbers]
    assert isolates(sets, k) == reference(sets, k)


def test_a_combination_that_no_pair_shows() -> None:
    """1 1 0 0, 0 1 1 0 and 1 0 1 0 (ten people for each digit but one): half of a sum of three is one person.

    With a = {0} + A, b = {0} + B, c = A + B, where A and B have ten people each, a + b - c is twice person 0.
    """
    a, b = range(1, 11), range(11, 21)
    sets = [people(0, *a), people(0, *b), people(*a, *b)]
    assert not any(0 < len(one ^ other) < 10 for one, other in itertools.combinations(sets, 2))
    assert not isolates(sets[:2], 5)
    assert isolates(sets, 2)
    guard = Guard(2)
    for one in sets[:2]:
        guard.check(one)
        guard.remember(one)
    with pytest.raises(MessageError, match="combined with earlier ones, would tell about fewer than 2"):
        guard.check(sets[2])


def test_small_and_similar_groups_are_refused() -> None:
    guard = Guard(3, smallest=5)
    with pytest.raises(MessageError, match="4 people is too small: this node wants 5"):
        guard.check(people(*range(4)))
    with pytest.raises(MessageError, match="2 people is too small: this node wants 3"):
        Guard(3).check(people(*range(2)))
    first = people(*range(10))
    guard.check(first)
    guard.remember(first)
    guard.check(first)  # the same again tells nothing new
    for other in (people(*range(9)), people(*range(8)), people(*range(11)), people(*range(9), 10)):
        with pytest.raises(MessageError, match=r"differs from an earlier one by (1 person|2 people)"):
            guard.check(other)
    guard.check(people(*range(7)))
    guard.check(people(*range(20, 30)))
    guard.remember(first)
    assert guard.earlier == [first]


def test_groups_in_which_too_few_may_be_left() -> None:
    with pytest.raises(MessageError, match="may be of 5 people, and this node wants 6"):
        Guard(6).check_group(group_of(7))
    with pytest.raises(MessageError, match="this node wants 6"):
        Guard(2, smallest=6).check_group(group_of(7))
    Guard(5).check_group(group_of(7))


def test_random_groups_of_a_large_community_are_fine() -> None:
    """30 rounds, 50 of 10,000 people in each: nobody is isolated."""
    rng, guard = np.random.default_rng(1), Guard(5)
    for _ in range(30):
        group = people(0, *(1 + rng.choice(9_999, 49, replace=False)))
        guard.check(group)
        guard.remember(group)
    assert len(guard.earlier) == 30


def test_a_small_community_is_soon_isolated() -> None:
    """Random halves of 12 people span everything after some rounds, so a guard must say no by then."""
    rng, guard = np.random.default_rng(1), Guard(2)
    groups = [people(*rng.choice(12, 6, replace=False)) for _ in range(13)]
    for group in groups[:3]:
        guard.check(group)
        guard.remember(group)
    for group in groups[3:12]:
        guard.remember(group)
    with pytest.raises(MessageError, match="would tell about fewer than 2"):
        guard.check(groups[12])


def test_what_cannot_be_decided_counts_as_unsafe(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [people(*range(10)), people(*range(20, 30))]
    assert not isolates(sets, 3)
    monkeypatch.setattr("sottovoce.exchange.secure.guards.WORK", 0)
    assert isolates(sets, 3)


def doubling(levels: int) -> list[frozenset[bytes]]:
    """Sets whose combination is (2^levels - 1) times one person, b"t".

    Of blocks X, A and B of three people, X + A, X + B and A + B + Y give 2 X - Y: a step from X to the next
    block Y. The person joins the first and the last block.
    """

    def block(name: str, level: int) -> frozenset[bytes]:
        return frozenset(f"{name} {level} {n}".encode() for n in range(3))

    sets = [block("X", 0) | {b"t"}, block("X", levels) | {b"t"}]
    for level in range(levels):
        x, a, b, y = block("X", level), block("A", level), block("B", level), block("X", level + 1)
        sets += [x | a, x | b, a | b | y]
    return sets


def test_sums_that_only_one_prime_would_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    """These 185 sums give one person 2^61 - 1 times, which is nothing modulo that prime."""
    assert isolates(doubling(2), 3)
    assert isolates(doubling(61), 3)
    monkeypatch.setattr(guards, "random_prime", lambda: 2**61 - 1)
    assert not isolates(doubling(61), 3)


def test_primes() -> None:
    small = [n for n in range(41, 3000, 2) if is_prime(n)]
    assert small == [n for n in range(41, 3000, 2) if all(n % d for d in range(3, n, 2))]
    assert is_prime(2**61 - 1)
    for composite in (2**60 + 1, 3215031751, 341550071728321, 3825123056546413051):  # strong pseudoprimes
        assert not is_prime(composite)
    drawn = {random_prime() for _ in range(20)}
    assert len(drawn) == 20
    assert all(2**60 < prime < 2**61 for prime in drawn)
