"""A server that lies, repeats and splits: clients refuse, and never show more than one sum."""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange.secure import shamir
from sottovoce.exchange.secure.client import Client, State
from sottovoce.exchange.secure.envelope import SERVER, Kind, from_client, from_server, signed_text
from sottovoce.exchange.secure.group import group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.keys import SecretKeys
from sottovoce.exchange.secure.masks import masked, pair_key, self_key, signed
from sottovoce.exchange.secure.messages import (
    CONFIRMATION,
    WHO,
    inbox_entry,
    pack_list,
    pack_numbered,
    roster_entry,
    unpack_list,
    unpack_masked,
)
from sottovoce.exchange.secure.primitives import AgreementKey, repeatable
from sottovoce.exchange.secure.server import Phase
from tests.exchange.secure.parties import Session, changed, clients_of, group_of, identities, read, vectors_of
from tests.exchange.secure.test_primitives import SMALL_ORDER

PEOPLE = 6  # of whom 5 have to answer


def session_at(phase: Phase, sums: int = 1, **options: int) -> Session:
    """A session in which clients have not yet seen what the server sent at the beginning of a phase."""
    session = Session(group_of(PEOPLE, sums=sums, **options), [vectors_of(PEOPLE, 4, 32)] * sums)
    session.start()
    while True:
        session.post()
        if session.server.phase is phase:
            return session
        session.answer()


def refused(session: Session, data: bytes, problem: str, who: int = 0) -> None:
    """The client refuses, changes nothing, and goes on with what is right."""
    client = session.clients[who]
    before = client.state
    with pytest.raises(MessageError, match=problem):
        client.receive(data)
    assert client.state is before
    right = next(sent.data for sent in session.sent if sent.to == who)
    client.receive(right)
    assert client.state is not before


def roster_with(session: Session, at: int, keys: bytes | None = None, sign_as: int | None = None) -> bytes:
    """The roster, with other keys of one person, signed by somebody or as they were."""
    sent = read(session.sent[0].data)
    entries = unpack_list(sent.body, roster_entry(1), PEOPLE).copy()
    if keys is not None:
        entries["keys"][at] = np.frombuffer(keys, np.uint8)
    if sign_as is not None:
        text = signed_text(Kind.KEYS, at, sent.about, entries["keys"][at].tobytes())
        entries["signature"][at] = np.frombuffer(identities(PEOPLE)[sign_as].sign(text), np.uint8)
    return changed(session.sent[0].data, len(entries).to_bytes(2, "little") + entries.tobytes())


def fresh(at: int) -> bytes:
    return SecretKeys(at, 1, repeatable(b"another")).body


def test_keys_that_their_owner_did_not_sign() -> None:
    session = session_at(Phase.SHARES)
    refused(session, roster_with(session, 3, fresh(3)), "participant 3 are not signed")
    session = session_at(Phase.SHARES)
    refused(session, roster_with(session, 3, fresh(3), sign_as=2), "participant 3 are not signed")


def test_own_keys_replaced() -> None:
    """Signed even by this node itself, in an earlier attempt at the same round."""
    session = session_at(Phase.SHARES)
    refused(session, roster_with(session, 0, fresh(0), sign_as=0), "does not hold this node's own")


def test_own_keys_left_out_or_too_few_keys() -> None:
    for keep, problem in [
        (range(1, PEOPLE), "this node's own"),
        (range(4), "Only 4 participants published keys"),
    ]:
        session = session_at(Phase.SHARES)
        entries = unpack_list(read(session.sent[0].data).body, roster_entry(1), PEOPLE)[list(keep)]
        body = len(entries).to_bytes(2, "little") + entries.tobytes()
        refused(session, changed(session.sent[0].data, body), problem)


@pytest.mark.parametrize("point", SMALL_ORDER)
@pytest.mark.parametrize("which", [0, 1])
def test_small_points_of_a_colluding_client(point: str, which: int) -> None:
    """Signed by their owner: the server would know the agreed secret, and with it a mask."""
    session = session_at(Phase.SHARES)
    keys = bytearray(fresh(3))
    keys[32 * which : 32 * which + 32] = bytes.fromhex(point)
    refused(session, roster_with(session, 3, bytes(keys), sign_as=3), "small order")


def test_a_client_that_repeats_the_keys_of_another() -> None:
    session = session_at(Phase.SHARES)
    other = unpack_list(read(session.sent[0].data).body, roster_entry(1), PEOPLE)["keys"][4].tobytes()
    refused(session, roster_with(session, 3, other, sign_as=3), "are equal")


def test_keys_of_a_group_that_looks_different() -> None:
    """Somebody who was shown another group has signed another group."""
    session = session_at(Phase.SHARES)
    names = identities(PEOPLE)
    elsewhere = group([one.public for one in names[:5]], b"round 1", 4)
    text = signed_text(Kind.KEYS, 3, elsewhere.context, fresh(3))
    sent = read(session.sent[0].data)
    entries = unpack_list(sent.body, roster_entry(1), PEOPLE).copy()
    entries["keys"][3] = np.frombuffer(fresh(3), np.uint8)
    entries["signature"][3] = np.frombuffer(names[3].sign(text), np.uint8)
    body = len(entries).to_bytes(2, "little") + entries.tobytes()
    refused(session, changed(session.sent[0].data, body), "sees another group")


def test_different_lists_of_keys_to_different_people() -> None:
    """Five keys to one, six to the others: boxes do not open across the two."""
    session = session_at(Phase.SHARES)
    full = session.sent[0].data
    entries = unpack_list(read(full).body, roster_entry(1), PEOPLE)[:5]
    fewer = changed(full, (5).to_bytes(2, "little") + entries.tobytes())
    replies = [session.clients[who].receive(fewer if who == 0 else full) for who in range(5)]
    assert read(replies[0]).about != read(replies[1]).about
    with pytest.raises(MessageError, match="another session"):
        session.server.receive(replies[0])
    # The server could pass boxes on all the same, with the name of the session that the receiver has.
    shares = {who: read(replies[who]).body for who in range(1, 5)}
    size = np.dtype([("who", "<u2"), ("hashes", "u1", (2, 16)), ("box", "u1", 80)])
    boxes = [np.frombuffer(shares[who], size, PEOPLE, 2)["box"][0].tobytes() for who in shares]
    inbox = from_server(
        Kind.INBOX, read(replies[0]).about, pack_list(inbox_entry(1), list(shares), box=boxes)
    )
    with pytest.raises(MessageError, match="changed on its way"):
        session.clients[0].receive(inbox)


def inbox_of(session: Session) -> np.ndarray:
    return unpack_list(read(session.sent[0].data).body, inbox_entry(1), PEOPLE).copy()


def as_inbox(session: Session, entries: np.ndarray) -> bytes:
    return changed(session.sent[0].data, len(entries).to_bytes(2, "little") + entries.tobytes())


def test_boxes_changed_swapped_or_of_strangers() -> None:
    session = session_at(Phase.MASKED)
    entries = inbox_of(session)
    entries["box"][1][5] ^= 1
    refused(session, as_inbox(session, entries), "changed on its way")

    session = session_at(Phase.MASKED)
    entries = inbox_of(session)
    entries["box"][[0, 1]] = entries["box"][[1, 0]]
    refused(session, as_inbox(session, entries), "changed on its way")

    session = session_at(Phase.MASKED)
    entries = inbox_of(session)
    entries["who"][0] = 0  # oneself
    refused(session, as_inbox(session, entries), "participant 0, who is not in the list")

    session = session_at(Phase.MASKED)
    refused(session, session.sent[1].data, "participant 0, who is not in the list")  # another's inbox


def test_too_few_boxes_and_doubled_boxes() -> None:
    session = session_at(Phase.MASKED)
    refused(session, as_inbox(session, inbox_of(session)[:3]), "Only 4 participants shared")
    session = session_at(Phase.MASKED)
    refused(session, as_inbox(session, inbox_of(session)[[0, 1, 1, 2, 3]]), "one of them twice")


def survivors(session: Session, who: list[int], number: int = 0) -> bytes:
    return from_server(Kind.SURVIVORS, session.server.session, pack_numbered(number, pack_list(WHO, who)))


@pytest.mark.parametrize(
    ("who", "problem"),
    [
        ([0, 1, 2, 3], "Only 4 participants sent a masked vector"),
        ([1, 2, 3, 4, 5], "lacks this node"),
        ([0, 1, 2, 3, 3], "one of them twice"),
        ([0, 1, 2, 3, 9], "not in the group"),
        ([4, 3, 2, 1, 0], "out of order"),
    ],
)
def test_survivors_that_cannot_be(who: list[int], problem: str) -> None:
    session = session_at(Phase.CONSISTENCY)
    refused(session, survivors(session, who), problem)


def test_survivors_of_another_sum_or_session() -> None:
    session = session_at(Phase.CONSISTENCY)
    refused(session, survivors(session, [0, 1, 2, 3, 4], number=1), "not about sum 0")
    session = session_at(Phase.CONSISTENCY)
    body = pack_numbered(0, pack_list(WHO, [0, 1, 2, 3, 4]))
    refused(session, from_server(Kind.SURVIVORS, b"x" * 32, body), "another session")


def test_survivors_who_share_no_masks() -> None:
    """Participant 5 sent no shares; a server that names it later would get masks that nobody can remove."""
    session = Session(group_of(PEOPLE), [vectors_of(PEOPLE, 4, 32)])
    session.start()
    session.post()
    session.answer()
    session.post(lambda who: who == 5)
    session.answer()
    session.post()
    refused(session, survivors(session, [0, 1, 2, 3, 4, 5]), "share no masks")


def test_a_split_server_is_noticed_before_anything_is_unmasked() -> None:
    """It shows 0, 1, 2 that participant 5 survived, and 3, 4 that it dropped out, to get both its secrets."""
    session = session_at(Phase.CONSISTENCY)
    with_5, without_5 = [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4]
    replies = {}
    for who in range(PEOPLE):
        shown = with_5 if who in (0, 1, 2, 5) else without_5
        replies[who] = session.clients[who].receive(survivors(session, shown))
    signatures = [read(replies[who]).signature for who in range(PEOPLE)]

    def confirmations(who: list[int]) -> bytes:
        body = pack_list(CONFIRMATION, who, signature=[signatures[one] for one in who])
        return from_server(Kind.CONFIRMATIONS, session.server.session, pack_numbered(0, body))

    for who in range(PEOPLE):
        client = session.clients[who]
        with pytest.raises(MessageError, match="did not sign the list of survivors that this node was shown"):
            client.receive(confirmations([0, 1, 2, 3, 4]))
        with pytest.raises(MessageError, match="Only 4 participants confirmed"):
            client.receive(confirmations([0, 1, 2, 5]))
        with pytest.raises(MessageError, match="out of turn"):  # nobody signs a second list
            client.receive(survivors(session, with_5 if who in (3, 4) else without_5))
        assert client.state is State.SIGNED


def test_both_kinds_of_shares_are_not_to_be_had() -> None:
    """After one unmasking, the server asks again as if participant 5 had dropped out, and as in a new sum."""
    session = session_at(Phase.UNMASKING, sums=2)
    first = session.sent[0].data
    session.answer()
    for data in (first, survivors(session, [0, 1, 2, 3, 4])):
        with pytest.raises(MessageError, match="out of turn"):
            session.clients[0].receive(data)
    session.post()
    session.answer()
    assert session.clients[0].state is State.MASKED
    with pytest.raises(MessageError, match="not about sum 1"):
        session.clients[0].receive(survivors(session, [0, 1, 2, 3, 4], number=0))
    session.clients[0].receive(survivors(session, [0, 1, 2, 3, 4], number=1))
    with pytest.raises(MessageError, match="not about sum 1"):
        session.clients[0].receive(first)


def test_what_is_unmasked_in_two_sums_hides_each_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    """Participant 5 survives the first sum and drops out of the second.

    The server then has the seed of the first sum and the mask key of the second. Neither key is the other
    sum's, so pairwise masks of the first vector stay unknown.
    """
    session = Session(group_of(PEOPLE, sums=2), [vectors_of(PEOPLE, 4, 32)] * 2)
    session.until(Phase.MASKED)
    sent = unpack_masked(read(session.letters[5]).body, 32, 4)
    own = session.clients[5]._keys
    first_seed, (first_key, second_key) = own.seeds[0], own.masks
    seen: list[bytes] = []
    joined = shamir.join
    monkeypatch.setattr(shamir, "join", lambda *given: seen.extend(joined(*given)) or joined(*given))
    for absent in (-1, -1, -1, 5, -1, -1):
        session.post(lambda who, absent=absent: who == absent)
        session.answer()
    assert [len(summed.survivors) for summed in session.summed] == [6, 5]
    assert first_seed in seen
    assert second_key.private in seen
    assert first_key.private not in seen

    def stripped(key: AgreementKey) -> list[int]:
        """What is left of the first vector without the own mask, and pairwise masks made with a key."""
        server = session.server
        pairs = {
            who: pair_key(key.agree(server._roster[who].masks[0]), server.session, sent.bound, 5, who)
            for who in range(5)
        }
        added, subtracted = signed(5, pairs)
        own_mask = self_key(first_seed, server.session, sent.bound, 5)
        return masked(sent.vector, subtracted, [own_mask, *added]).tolist()

    assert stripped(first_key) == session.vectors[0][5].tolist()  # this is what one key for both would show
    assert stripped(second_key) != session.vectors[0][5].tolist()


def test_confirmations_by_strangers_dropouts_and_damaged_ones() -> None:
    session = Session(group_of(PEOPLE), [vectors_of(PEOPLE, 4, 32)])
    session.start()
    for _ in range(2):
        session.post()
        session.answer()
    session.post(lambda who: who == 5)
    session.answer()
    five = session.clients[5]  # it signs what it was not shown
    text = signed_text(Kind.CONSISTENCY, 5, session.server.session, session.clients[0]._consistency())
    session.post()
    entries = unpack_list(read(session.sent[0].data).body[1:], CONFIRMATION, PEOPLE)
    signatures = [entry["signature"].tobytes() for entry in entries]

    def with_signatures(who: list[int], signatures: list[bytes]) -> bytes:
        return changed(
            session.sent[0].data, pack_numbered(0, pack_list(CONFIRMATION, who, signature=signatures))
        )

    stranger = five._identity.sign(text)
    with pytest.raises(MessageError, match="Participant 5 did not sign"):
        session.clients[0].receive(with_signatures([0, 1, 2, 3, 4, 5], [*signatures, stranger]))
    with pytest.raises(MessageError, match="Participant 2 did not sign"):
        session.clients[0].receive(
            with_signatures([0, 1, 2, 3, 4], [*signatures[:2], bytes(64), *signatures[3:]])
        )
    with pytest.raises(MessageError, match="Participant 0 did not sign"):
        session.clients[0].receive(with_signatures([0, 1, 2, 3, 4], [signatures[1]] * 5))
    with pytest.raises(MessageError, match="Only 4"):
        session.clients[0].receive(with_signatures([0, 1, 2, 3], signatures[:4]))
    session.answer()
    session.post()
    assert session.server.phase is Phase.DONE


def test_messages_of_an_earlier_session_are_refused() -> None:
    """The same group and the same label, twice: only keys tell the sessions apart, and they are enough."""
    old, new = (Session(group_of(PEOPLE), [vectors_of(PEOPLE, 4, 32)], seed) for seed in (b"old", b"new"))
    for session in (old, new):
        session.start()
        session.post()
    refused(new, old.sent[0].data, "does not hold this node's own")
    for session in (old, new):
        session.letters = {
            sent.to: session.clients[sent.to].receive(sent.data)
            for sent in session.sent
            if session.clients[sent.to].state is State.ADVERTISED
        }
    with pytest.raises(MessageError, match="another session"):
        new.server.receive(old.letters[1])


def test_clients_refuse_messages_of_clients() -> None:
    client = clients_of(group_of(2))[0]
    letter = client.start()
    with pytest.raises(MessageError, match="does not take messages of kind KEYS"):
        client.receive(letter)
    forged = from_client(Kind.KEYS, SERVER, b"x" * 32, b"", identities(2)[1])
    with pytest.raises(MessageError, match="cannot come from sender 65535"):
        client.receive(forged)


def test_the_guard_looks_at_survivors_before_they_are_signed() -> None:
    """A server that pretends that one person dropped out is refused by those who saw the sum with it."""
    names = identities(PEOPLE)
    guards = [Guard(2) for _ in names]
    every = group_of(PEOPLE, threshold=4)
    for leaves, works in [({}, True), ({5: 2}, False), ({}, True), ({4: 2, 5: 2}, True)]:
        session = Session(every, [vectors_of(PEOPLE, 4, 32)])
        session.clients = [
            Client(every, one, [guard], repeatable(one.public))
            for one, guard in zip(names, guards, strict=True)
        ]
        if works:
            session.run(leaves)
            assert len(session.summed) == 1
        else:
            with pytest.raises(MessageError, match="differs from an earlier one by 1 person"):
                session.run(leaves)
