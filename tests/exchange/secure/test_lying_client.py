"""Clients that lie: the server refuses what is wrong when it comes, or ends the session without a sum."""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.envelope import Kind, from_client
from sottovoce.exchange.secure.keys import share_hashes
from sottovoce.exchange.secure.messages import MASKED, UNMASKING, pack_list, shares_entry, unpack_list
from sottovoce.exchange.secure.server import Phase
from tests.exchange.secure.parties import Session, changed, group_of, identities, read, total, vectors_of
from tests.exchange.secure.test_primitives import SMALL_ORDER

PEOPLE = 6
NAMES = identities(PEOPLE)
PHASES = [Phase.KEYS, Phase.SHARES, Phase.MASKED, Phase.CONSISTENCY, Phase.UNMASKING]
every_phase = pytest.mark.parametrize("phase", PHASES)


def session_in(phase: Phase) -> Session:
    """A session with letters of this phase on their way to the server."""
    return Session(group_of(PEOPLE), [vectors_of(PEOPLE, 4, 32)]).until(phase)


def refused(session: Session, data: bytes, problem: str) -> None:
    """The server refuses, and the session still ends with the right sum."""
    with pytest.raises(MessageError, match=problem):
        session.server.receive(data)
    while session.server.phase is not Phase.DONE:
        session.post()
        session.answer()
    (summed,) = session.summed
    assert (summed.vector == total(session.vectors[0], range(PEOPLE))).all()


def edited(session: Session, who: int, body: bytes) -> bytes:
    return changed(session.letters[who], body, NAMES[who])


def test_a_message_under_another_name() -> None:
    session = session_in(Phase.KEYS)
    message = read(session.letters[2])
    forged = from_client(Kind.KEYS, 2, message.about, message.body, NAMES[3])
    refused(session, forged, "not signed by participant 2")


def test_a_number_that_is_nobodys() -> None:
    session = session_in(Phase.KEYS)
    message = read(session.letters[2])
    for number in (PEOPLE, 65534):
        with pytest.raises(MessageError, match=f"Participant {number} is not in the group"):
            session.server.receive(from_client(Kind.KEYS, number, message.about, message.body, NAMES[2]))


@pytest.mark.parametrize("phase", PHASES[1:])
def test_who_dropped_out_cannot_come_back(phase: Phase) -> None:
    """Its letter of the phase before is lost. Then it sends one of this phase all the same."""
    session = session_in(PHASES[PHASES.index(phase) - 1])
    session.post(lambda who: who == 2)
    assert session.server.phase is phase
    back = from_client(Kind[phase.name], 2, session.server.session, b"", NAMES[2])
    with pytest.raises(MessageError, match="has dropped out"):
        session.server.receive(back)


@every_phase
def test_every_phase_takes_one_message_of_each(phase: Phase) -> None:
    session = session_in(phase)
    letter = session.letters.pop(2)
    session.server.receive(letter)
    refused(session, letter, "has answered already")


@every_phase
def test_changed_on_the_way(phase: Phase) -> None:
    session = session_in(phase)
    data = bytearray(session.letters[2])
    data[-70] ^= 1
    refused(session, bytes(data), "not signed by participant 2")


@every_phase
def test_too_late(phase: Phase) -> None:
    session = session_in(phase)
    late = session.letters.pop(2)
    for letter in session.letters.values():
        session.server.receive(letter)
    session.server.timeout()
    with pytest.raises(MessageError, match="too late"):
        session.server.receive(late)


@every_phase
@pytest.mark.parametrize("by", [-1, 1])
def test_bodies_of_other_lengths(phase: Phase, by: int) -> None:
    session = session_in(phase)
    body = read(session.letters[2]).body
    refused(session, edited(session, 2, body[:-1] if by < 0 else body + b"x"), "bytes|signed another list")
    session = session_in(phase)
    refused(session, edited(session, 2, b""), "bytes|not about sum")


@pytest.mark.parametrize("point", SMALL_ORDER)
def test_keys_of_small_order(point: str) -> None:
    session = session_in(Phase.KEYS)
    body = read(session.letters[2]).body
    refused(session, edited(session, 2, body[:32] + bytes.fromhex(point) + body[64:]), "small order")


def test_keys_of_another() -> None:
    session = session_in(Phase.KEYS)
    session.server.receive(session.letters.pop(1))
    session.letters[1] = b""
    other = read(session.clients[1]._message(Kind.KEYS, session.clients[1]._keys.body)).body
    with pytest.raises(MessageError, match="are equal"):
        session.server.receive(edited(session, 2, other))


def test_shares_for_too_few_people() -> None:
    session = session_in(Phase.SHARES)
    entries = unpack_list(read(session.letters[2]).body, shares_entry(1), PEOPLE)[:-1]
    body = len(entries).to_bytes(2, "little") + entries.tobytes()
    refused(session, edited(session, 2, body), "exactly one entry")


@pytest.mark.parametrize(("bits", "length"), [(16, 8), (32, 5), (32, 3), (64, 2), (0, 4)])
def test_vectors_of_other_shapes(bits: int, length: int) -> None:
    session = session_in(Phase.MASKED)
    bound = MASKED.unpack_from(read(session.letters[2]).body)[3]
    body = MASKED.pack(0, bits, length, bound) + bytes(length * bits // 8)
    refused(session, edited(session, 2, body), "4 of 32 bits were expected")


def test_vectors_of_other_sums() -> None:
    for number, bound in [(1, None), (0, b"x" * 32)]:
        session = session_in(Phase.MASKED)
        body = read(session.letters[2]).body
        true = MASKED.unpack_from(body)[3]
        refused(
            session,
            edited(session, 2, MASKED.pack(number, 32, 4, bound or true) + body[MASKED.size :]),
            "another sum",
        )


def test_another_list_of_survivors_signed() -> None:
    session = session_in(Phase.CONSISTENCY)
    refused(
        session, edited(session, 2, b"\x00" + b"x" * 32), "participant 2 signed another list|Participant 2"
    )


def shares_of(session: Session, who: int) -> np.ndarray:
    return unpack_list(read(session.letters[who]).body[1:], UNMASKING, PEOPLE).copy()


def as_shares(session: Session, who: int, entries: np.ndarray) -> bytes:
    return edited(session, who, b"\x00" + len(entries).to_bytes(2, "little") + entries.tobytes())


def test_shares_that_are_wrong_swapped_short_doubled_or_anothers() -> None:
    session = session_in(Phase.UNMASKING)
    entries = shares_of(session, 2)
    entries["share"][4][31] ^= 1
    refused(session, as_shares(session, 2, entries), "participant 4 did not deal")

    session = session_in(Phase.UNMASKING)
    entries = shares_of(session, 2)
    entries["share"][[0, 1]] = entries["share"][[1, 0]]
    refused(session, as_shares(session, 2, entries), "participant 0 did not deal")

    session = session_in(Phase.UNMASKING)
    refused(session, as_shares(session, 2, shares_of(session, 2)[:-1]), "exactly one entry")

    session = session_in(Phase.UNMASKING)
    refused(session, as_shares(session, 2, shares_of(session, 2)[[0, 1, 2, 2, 3, 4]]), "one of them twice")

    session = session_in(Phase.UNMASKING)
    refused(session, as_shares(session, 2, shares_of(session, 3)), "did not deal to it")


def test_the_other_kind_of_share() -> None:
    """A share of a survivor's mask key instead of its seed."""
    session = session_in(Phase.UNMASKING)
    entries = shares_of(session, 2)
    entries["share"][1] = session_in(Phase.MASKED).clients[2]._shares[1][0]
    refused(session, as_shares(session, 2, entries), "participant 1 did not deal")


@pytest.mark.parametrize("drops", [False, True])
def test_a_dealer_whose_shares_do_not_fit_ends_the_session_without_a_sum(drops: bool) -> None:
    """Client 4 deals shares that fit its hashes, but not the key and the seed that it published."""
    session = Session(group_of(PEOPLE), [vectors_of(PEOPLE, 4, 32)])
    session.start()
    honest = session.clients[4]._keys.masks[0]
    session.post()
    session.clients[4]._keys.seeds[0] = b"x" * 32
    session.clients[4]._keys.masks[0] = type(honest)(b"y" * 32)
    session.answer()
    session.clients[4]._keys.masks[0] = honest
    session.post()
    session.answer()
    session.post(lambda who: drops and who == 4)
    for _ in range(2):
        session.answer()
        session.post()
    assert not session.summed
    assert session.server.phase is Phase.FAILED
    assert session.failed is not None
    assert (
        session.failed.reason
        == f"Participant 4 dealt shares that do not give its {'mask key' if drops else 'seed'}."
    )
    with pytest.raises(MessageError, match="the session failed"):
        session.server.receive(session.clients[0]._message(Kind.KEYS, b""))


def test_hashes_are_of_each_share() -> None:
    shares = np.arange(3 * 2 * 32, dtype=np.uint8).reshape(3, 2, 32)
    hashes = share_hashes(shares)
    assert hashes.shape == (3, 2, 16)
    assert len({one.tobytes() for row in hashes for one in row}) == 6
    assert (share_hashes(shares[1:2]) == hashes[1:2]).all()


def test_an_empty_list_is_a_list() -> None:
    assert len(unpack_list(pack_list(UNMASKING, [], share=[]), UNMASKING, 3)) == 0
