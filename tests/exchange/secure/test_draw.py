"""People draw a group: everybody gets the same, nobody chooses it, lies are noticed."""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.draw import ENTRY, Drawer, Drawn, DrawPhase, DrawServer, Lottery, Step
from sottovoce.exchange.secure.envelope import Kind, from_client
from sottovoce.exchange.secure.messages import unpack_list
from sottovoce.exchange.secure.primitives import repeatable
from sottovoce.exchange.secure.server import Failed, Send
from tests.exchange.secure.parties import changed, identities, read

NAMES = identities(8)
LOTTERY = Lottery(tuple(one.public for one in NAMES), 3, b"round 1")


def drawers(seed: bytes = b"") -> list[Drawer]:
    return [Drawer(LOTTERY, one, repeatable(seed + one.public)) for one in NAMES]


def committed(count: int = 8, seed: bytes = b"") -> tuple[DrawServer, list[Drawer], list[Send]]:
    server, people, events = DrawServer(LOTTERY), drawers(seed), []
    for person in people[:count]:
        events += server.receive(person.start())
    events = events or server.timeout()
    return server, people, [event for event in events if isinstance(event, Send)]


def finished(seed: bytes = b"", count: int = 8) -> tuple[tuple[bytes, ...], list[Drawer]]:
    server, people, sent = committed(count, seed)
    events = []
    for letter in sent:
        events += server.receive(people[letter.to].receive(letter.data))
    for letter in events:
        if isinstance(letter, Send):
            assert people[letter.to].receive(letter.data) == b""
    assert server.phase is DrawPhase.DONE
    (drawn,) = (event for event in events if isinstance(event, Drawn))
    return drawn.group, people


@pytest.mark.parametrize("count", [8, 5, 3])
def test_everybody_draws_the_same_group(count: int) -> None:
    group, people = finished(count=count)
    assert len(group) == 3
    assert list(group) == sorted(set(group))
    assert set(group) <= {one.public for one in NAMES[:count]}
    assert all(person.group == group and person.step is Step.DONE for person in people[:count])


def test_every_secret_matters_and_everybody_is_drawn_about_equally() -> None:
    """400 draws of 3 among 8: each is expected 150 times, with a standard deviation of 9.7."""
    rng = np.random.default_rng(1)
    times = dict.fromkeys(LOTTERY.candidates, 0)
    for _ in range(400):
        for name in LOTTERY.drawn(range(8), [rng.bytes(32) for _ in range(8)]):
            times[name] += 1
    assert min(times.values()) > 105
    assert max(times.values()) < 195
    secrets = [bytes([n]) * 32 for n in range(8)]
    groups = {LOTTERY.drawn(range(8), [*secrets[:at], b"x" * 32, *secrets[at + 1 :]]) for at in range(8)}
    assert len(groups) > 1


def test_too_few_commitments() -> None:
    server, people = DrawServer(LOTTERY), drawers()
    for person in people[:2]:
        server.receive(person.start())
    (event,) = server.timeout()
    assert event == Failed("Only 2 people committed, and 3 are to be drawn.")


def test_who_withholds_is_named() -> None:
    server, people, sent = committed()
    for letter in sent[:6]:
        server.receive(people[letter.to].receive(letter.data))
    (event,) = server.timeout()
    assert isinstance(event, Failed)
    assert "without candidates 6, 7" in event.reason
    assert server.timeout() == []


def test_a_secret_other_than_the_committed_one() -> None:
    server, people, sent = committed()
    reveal = read(people[2].receive(sent[2].data))
    forged = from_client(Kind.REVEAL, 2, reveal.about, reveal.body[:32] + b"x" * 32, NAMES[2])
    with pytest.raises(MessageError, match="another secret"):
        server.receive(forged)
    for body in (reveal.body[:-1], reveal.body + b"x", b""):
        with pytest.raises(MessageError, match=r"too few bytes|another secret"):
            server.receive(from_client(Kind.REVEAL, 2, reveal.about, body, NAMES[2]))
    with pytest.raises(MessageError, match="not signed by candidate 3"):
        server.receive(from_client(Kind.REVEAL, 3, reveal.about, reveal.body, NAMES[2]))


def test_a_server_that_changes_lists() -> None:
    _, people, sent = committed()
    entries = unpack_list(read(sent[0].data).body, ENTRY, 8)

    def lists(entries: np.ndarray) -> bytes:
        return changed(sent[0].data, len(entries).to_bytes(2, "little") + entries.tobytes())

    forged = entries.copy()
    forged["value"][5] = 1
    for some, problem in [
        (forged, "Candidate 5 did not sign"),
        (entries[1:], "this node's own"),
        (entries[:2], "Only 2 people committed"),
        (entries[[0, 0, 1]], "one of them twice"),
    ]:
        with pytest.raises(MessageError, match=problem):
            people[0].receive(lists(some))
    # A split: one person is shown a shorter list. What others reveal is signed with the full one.
    people[0].receive(lists(entries[:7]))
    full, others, letters = committed()
    events = []
    for letter in letters:
        events += full.receive(others[letter.to].receive(letter.data))
    with pytest.raises(MessageError, match="saw another list"):
        people[0].receive(next(event.data for event in events if isinstance(event, Send)))


def test_a_server_that_leaves_secrets_out() -> None:
    server, people, sent = committed()
    events = []
    for letter in sent:
        events += server.receive(people[letter.to].receive(letter.data))
    reveals = events[0].data
    entries = unpack_list(read(reveals).body, ENTRY, 8)
    fewer = entries[:-1]
    with pytest.raises(MessageError, match="Not everybody"):
        people[0].receive(changed(reveals, len(fewer).to_bytes(2, "little") + fewer.tobytes()))
    assert people[0].step is Step.REVEALED


def test_messages_out_of_turn() -> None:
    server, people, sent = committed()
    with pytest.raises(MessageError, match="started once"):
        people[0].start()
    reveal = people[0].receive(sent[0].data)
    with pytest.raises(MessageError, match="out of turn"):
        people[0].receive(sent[0].data)
    server.receive(reveal)
    with pytest.raises(MessageError, match="answered already"):
        server.receive(reveal)
    with pytest.raises(MessageError, match="out of turn"):
        server.receive(drawers()[1].start())


def test_messages_of_another_draw_or_of_nobody() -> None:
    other = Lottery(LOTTERY.candidates, 3, b"round 2")
    _, people, sent = committed()
    with pytest.raises(MessageError, match="about another draw"):
        people[0].receive(changed(sent[0].data, b"", about=other.context))
    with pytest.raises(MessageError, match="about another draw"):
        DrawServer(LOTTERY).receive(Drawer(other, NAMES[0]).start())
    for number in (8, 65534):
        with pytest.raises(MessageError, match=f"Candidate {number} is not in the draw"):
            DrawServer(LOTTERY).receive(from_client(Kind.COMMITMENT, number, LOTTERY.context, b"", NAMES[0]))


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_commitments_of_other_lengths(length: int) -> None:
    body = b"x" * length
    with pytest.raises(MessageError, match="too few bytes"):
        DrawServer(LOTTERY).receive(from_client(Kind.COMMITMENT, 2, LOTTERY.context, body, NAMES[2]))


def test_a_candidate_that_colludes_with_the_server() -> None:
    """It signs another secret when it has seen those of all others, and the server passes it on."""
    server, people, sent = committed()
    replies = [people[letter.to].receive(letter.data) for letter in sent]
    events = [event for reply in replies for event in server.receive(reply)]
    entries = unpack_list(read(events[0].data).body, ENTRY, 8).copy()
    signed = from_client(Kind.REVEAL, 5, LOTTERY.context, read(replies[5]).body[:32] + b"y" * 32, NAMES[5])
    entries["value"][5] = np.frombuffer(b"y" * 32, np.uint8)
    entries["signature"][5] = np.frombuffer(read(signed).signature, np.uint8)
    with pytest.raises(MessageError, match="Candidate 5 revealed another secret than it committed to"):
        people[0].receive(changed(events[0].data, len(entries).to_bytes(2, "little") + entries.tobytes()))


def test_a_reveal_after_another_list_or_without_a_commitment() -> None:
    server, people, sent = committed(count=5)
    reveal = read(people[2].receive(sent[2].data))
    elsewhere = from_client(Kind.REVEAL, 2, reveal.about, b"x" * 32 + reveal.body[32:], NAMES[2])
    with pytest.raises(MessageError, match="saw another list"):
        server.receive(elsewhere)
    with pytest.raises(MessageError, match="Candidate 6 is not in the draw"):
        server.receive(from_client(Kind.REVEAL, 6, reveal.about, reveal.body, NAMES[6]))


@pytest.mark.parametrize(("size", "names"), [(1, 8), (9, 8), (3, 2)])
def test_lotteries_that_cannot_be(size: int, names: int) -> None:
    with pytest.raises(MessageError, match="cannot be drawn"):
        Lottery(LOTTERY.candidates[:names], size, b"")


def test_candidates_are_in_order_and_drawers_among_them() -> None:
    with pytest.raises(MessageError, match="ascending"):
        Lottery(LOTTERY.candidates[::-1], 3, b"")
    with pytest.raises(MessageError, match="not among the candidates"):
        Drawer(Lottery(LOTTERY.candidates[:4], 3, b""), NAMES[5])
