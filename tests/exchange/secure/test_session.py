"""Sessions from end to end: the sum is the plain sum, or there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import Client, State
from sottovoce.exchange.secure.envelope import Kind
from sottovoce.exchange.secure.group import Group, default_threshold, group
from sottovoce.exchange.secure.messages import MASKED, unpack_masked
from sottovoce.exchange.secure.server import Phase, Server, Sum
from tests.exchange.secure.parties import (
    STAYS,
    Session,
    clients_of,
    group_of,
    identities,
    read,
    total,
    vectors_of,
)


@st.composite
def plays(draw: st.DrawFn) -> tuple[Group, list[tuple[int, int]], dict[int, int], int]:
    """A group, bits and length of each sum, who leaves at which stage, and an order of letters."""
    people = draw(st.integers(2, 7))
    threshold = draw(st.integers(people // 2 + 1, people))
    shapes = draw(
        st.lists(st.tuples(st.sampled_from([16, 32, 64]), st.integers(0, 5)), min_size=1, max_size=3)
    )
    stages = 2 + 3 * len(shapes)
    leaves = draw(
        st.dictionaries(
            st.integers(0, people - 1), st.integers(0, stages - 1), max_size=people - threshold + 1
        )
    )
    return group_of(people, threshold, len(shapes)), shapes, leaves, draw(st.integers(0, 99))


@settings(max_examples=60)
@given(plays())
def test_sums_are_plain_sums_down_to_the_threshold(
    play: tuple[Group, list[tuple[int, int]], dict[int, int], int],
) -> None:
    every, shapes, leaves, order = play
    vectors = [vectors_of(len(every), length, bits, order) for bits, length in shapes]
    session = Session(every, vectors)
    session.run(leaves, order)

    def here(stage: int) -> tuple[int, ...]:
        return tuple(who for who in range(len(every)) if leaves.get(who, STAYS) > stage)

    stages = range(2 + 3 * len(shapes))
    broken = next((stage for stage in stages if len(here(stage)) < every.threshold), None)
    done = len(shapes) if broken is None else max(0, (broken - 2) // 3)
    assert [summed.survivors for summed in session.summed] == [here(2 + 3 * number) for number in range(done)]
    for number, summed in enumerate(session.summed):
        assert summed.number == number
        assert summed.vector.dtype == vectors[number].dtype
        assert (summed.vector == total(vectors[number], summed.survivors)).all()
    if broken is None:
        assert session.server.phase is Phase.DONE
        assert all(session.clients[who].state is State.DONE for who in here(stages[-1]))
    else:
        assert session.server.phase is Phase.FAILED
        assert session.failed is not None
        assert f"Only {len(here(broken))} participant" in session.failed.reason
        assert f"and {every.threshold} are needed" in session.failed.reason


def test_a_larger_group() -> None:
    """40 people, 9 of whom leave one by one."""
    every = group_of(40, sums=2)
    vectors = [vectors_of(40, 50, 32), vectors_of(40, 70, 64)]
    session = Session(every, vectors)
    leaves = {3: 0, 4: 1, 39: 2, 0: 2, 17: 3, 18: 4, 20: 5, 25: 6, 30: 7}
    session.run(leaves)
    first, second = session.summed
    assert len(first.survivors) == 36
    assert len(second.survivors) == 33
    assert (first.vector == total(vectors[0], first.survivors)).all()
    assert (second.vector == total(vectors[1], second.survivors)).all()


@pytest.mark.parametrize(
    ("people", "threshold"), [(2, 2), (3, 3), (4, 3), (6, 5), (7, 5), (50, 34), (100, 67)]
)
def test_default_threshold(people: int, threshold: int) -> None:
    """floor(2n / 3) + 1, worked out by hand."""
    assert default_threshold(people) == threshold


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_masked_vectors_look_uniform(bits: int) -> None:
    """Chi-square over bytes of constant vectors: 255 degrees of freedom, above 340 once in 4,000 times."""
    length = 2**19 // bits
    vectors = np.full((4, length), 5, f"u{bits // 8}")
    session = Session(group_of(4), [vectors]).until(Phase.MASKED)
    seen = [unpack_masked(read(session.letters[who]).body, bits, length).vector for who in range(4)]

    def spread(vector: np.ndarray) -> float:
        found = np.bincount(vector.view(np.uint8), minlength=256)
        expected = vector.nbytes / 256
        return float(((found - expected) ** 2 / expected).sum())

    assert spread(vectors[0]) > 1e6  # the measure tells a vector without masks
    for one, vector in enumerate(seen):
        assert spread(vector) < 340
        for other in range(one):
            assert spread(vector - seen[other]) < 340
    # Pairwise masks alone cancel in the sum, the own masks stay: the sum is uniform too until it is unmasked.
    assert spread(np.sum(seen, axis=0, dtype=vectors.dtype)) < 340


def test_the_same_vector_is_never_masked_alike() -> None:
    """Two sums of one session, and two sessions of one group, have unrelated masks."""
    vectors = vectors_of(3, 8, 32)
    seen = []
    for seed in (b"a", b"b"):
        session = Session(group_of(3, sums=2), [vectors, vectors], seed).until(Phase.MASKED)
        seen.append(unpack_masked(read(session.letters[0]).body, 32, 8).vector)
        for _ in range(3):
            session.post()
            session.answer()
        seen.append(unpack_masked(read(session.letters[0]).body, 32, 8).vector)
    assert len(np.unique(np.concatenate(seen))) == 32


def test_clients_that_sum_different_things_are_refused() -> None:
    """And if the server did not look, their masks would not cancel: see `test_masks`."""
    session = Session(group_of(3), [vectors_of(3, 4, 32)])
    session.start()
    for _ in range(2):
        session.post()
        for letter in session.sent:
            session.letters[letter.to] = session.clients[letter.to].receive(letter.data)
    letter = session.clients[0].mask(session.vectors[0][0], b"something else")
    with pytest.raises(MessageError, match="about something else"):
        session.server.receive(letter)


def test_lengths_of_messages_are_within_what_is_declared() -> None:
    session = Session(group_of(5, sums=2), [vectors_of(5, 1000, 64), vectors_of(5, 9, 16)])
    session.start()
    while session.server.phase is not Phase.DONE:
        largest = session.server.largest
        assert all(len(letter) <= largest for letter in session.letters.values())
        session.post()
        assert all(len(sent.data) <= session.clients[sent.to].largest for sent in session.sent)
        session.answer()
    assert MASKED.size + 8000 < Server(session.server.group, Sum(64, 1000)).largest


def test_drawn_from_the_system_by_default() -> None:
    one, other = (Client(group_of(2), identities(2)[0]).start() for _ in range(2))
    assert read(one).kind is Kind.KEYS
    assert read(one).body != read(other).body


@pytest.mark.parametrize(
    ("identities", "threshold", "label", "sums", "problem"),
    [
        ((b"a" * 32,), 1, b"", 1, "has 1 person"),
        (tuple(number.to_bytes(32, "big") for number in range(1025)), 700, b"", 1, "has 1,025 people"),
        ((b"a" * 32, b"b" * 31), 2, b"", 1, "not a key"),
        ((b"b" * 32, b"a" * 32), 2, b"", 1, "ascending"),
        ((b"a" * 32, b"a" * 32), 2, b"", 1, "ascending"),
        ((b"a" * 32, b"b" * 32), 1, b"", 1, "not safe"),
        ((b"a" * 32, b"b" * 32), 3, b"", 1, "not safe"),
        ((b"a" * 32, b"b" * 32), 2, b"x" * 65, 1, "65 bytes"),
        ((b"a" * 32, b"b" * 32), 2, b"", 0, "0 sums"),
        ((b"a" * 32, b"b" * 32), 2, b"", 9, "9 sums"),
    ],
)
def test_groups_that_cannot_be(
    identities: tuple[bytes, ...], threshold: int, label: bytes, sums: int, problem: str
) -> None:
    with pytest.raises(MessageError, match=problem):
        Group(identities, threshold, label, sums)


def test_groups_differ_in_all_that_is_agreed() -> None:
    names = [one.public for one in identities(5)]
    base = group(names, b"1")
    others = [
        group(names, b"2"),
        group(names, b"1", 5),
        group(names, b"1", sums=2),
        group(names[1:], b"1", 4),
    ]
    assert len({each.context for each in [base, *others]}) == 5
    assert group(names[::-1], b"1") == base


def test_who_is_not_in_the_group_cannot_take_part() -> None:
    every = group([one.public for one in identities(4)[:3]], b"round 1")
    with pytest.raises(MessageError, match="not in the group"):
        Client(every, identities(4)[3])


@pytest.mark.parametrize(
    "vector", [np.zeros(3), np.zeros(3, np.int32), np.zeros((2, 2), np.uint32), np.zeros(3, np.uint8)]
)
def test_only_unsigned_rows_are_masked(vector: np.ndarray) -> None:
    session = Session(group_of(2), [vectors_of(2, 3, 32)])
    session.start()
    for _ in range(2):
        session.post()
        for letter in session.sent:
            session.letters[letter.to] = session.clients[letter.to].receive(letter.data)
    with pytest.raises(MessageError, match="unsigned integers"):
        session.clients[0].mask(vector)


def test_methods_out_of_turn() -> None:
    client = clients_of(group_of(2))[0]
    with pytest.raises(MessageError, match="out of turn"):
        client.mask(np.zeros(3, np.uint32))
    client.start()
    with pytest.raises(MessageError, match="started once"):
        client.start()
    server = Server(group_of(2), Sum(32, 3))
    with pytest.raises(MessageError, match="one before it"):
        server.begin(Sum(32, 3))
    for bits, length in [(8, 3), (32, -1), (32, 2**32)]:
        with pytest.raises(MessageError, match="not possible"):
            Server(group_of(2), Sum(bits, length))


def test_a_timeout_without_a_phase_does_nothing() -> None:
    session = Session(group_of(2), [vectors_of(2, 3, 32)])
    session.run()
    assert session.server.timeout() == []
    assert session.server.waiting_for == ()
