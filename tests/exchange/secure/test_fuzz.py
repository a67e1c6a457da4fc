"""Whatever comes, in whatever order: a MessageError or nothing, and never a wrong sum."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import State
from sottovoce.exchange.secure.envelope import HEADER, MAGIC, VERSION, Kind, from_client, from_server, opened
from sottovoce.exchange.secure.server import Phase, Send, Server, Sum, Summed
from tests.exchange.secure.parties import clients_of, group_of, identities, total, vectors_of

PEOPLE, THRESHOLD = 4, 3
NAMES = identities(PEOPLE)


class Wire(RuleBasedStateMachine):
    """A network that delivers, repeats, reorders, loses, damages and invents messages, and lets time pass."""

    def __init__(self) -> None:
        super().__init__()
        every = group_of(PEOPLE, THRESHOLD, sums=2)
        self.vectors = [vectors_of(PEOPLE, 3, 32), vectors_of(PEOPLE, 2, 64)]
        self.sums = [Sum(32, 3), Sum(64, 2)]
        self.server, self.clients = Server(every, self.sums[0]), clients_of(every)
        self.wire: list[tuple[int, bytes]] = [(-1, client.start()) for client in self.clients]

    def deliver(self, to: int, data: bytes) -> None:
        try:
            if to < 0:
                self.happened(self.server.receive(data))
            else:
                reply = self.clients[to].receive(data)
                self.wire += [(-1, reply)] if reply else []
        except MessageError:
            pass
        self.go_on()

    def happened(self, events: list) -> None:
        for event in events:
            if isinstance(event, Send):
                self.wire.append((event.to, event.data))
            elif isinstance(event, Summed):
                assert len(event.survivors) >= THRESHOLD
                assert (event.vector == total(self.vectors[event.number], event.survivors)).all()

    def go_on(self) -> None:
        if self.server.phase is Phase.IDLE:
            self.server.begin(self.sums[self.server.number])
        for who, client in enumerate(self.clients):
            if client.state is State.READY and self.server.phase is Phase.MASKED:
                self.wire.append((-1, client.mask(self.vectors[client.number][who])))

    @rule(at=st.integers(0, 200))
    def some_message(self, at: int) -> None:
        if self.wire:
            self.deliver(*self.wire[at % len(self.wire)])

    @rule()
    def newest_messages(self) -> None:
        for letter in self.wire[-PEOPLE:]:
            self.deliver(*letter)

    @rule(at=st.integers(0, 200), to=st.integers(-1, PEOPLE - 1))
    def misdirected(self, at: int, to: int) -> None:
        if self.wire:
            self.deliver(to, self.wire[at % len(self.wire)][1])

    @rule(at=st.integers(0, 200), place=st.integers(0, 5000), bits=st.integers(1, 255))
    def damaged(self, at: int, place: int, bits: int) -> None:
        if self.wire:
            to, data = self.wire[at % len(self.wire)]
            self.deliver(to, bytes(byte ^ bits * (n == place % len(data)) for n, byte in enumerate(data)))

    @rule(at=st.integers(0, 200), length=st.integers(0, 5000))
    def cut(self, at: int, length: int) -> None:
        if self.wire:
            to, data = self.wire[at % len(self.wire)]
            self.deliver(to, data[: length % len(data)])

    @rule(data=st.binary(max_size=100), to=st.integers(-1, PEOPLE - 1))
    def noise(self, data: bytes, to: int) -> None:
        self.deliver(to, data)

    @rule(
        kind=st.sampled_from(list(Kind)),
        body=st.binary(max_size=90),
        to=st.integers(-1, PEOPLE - 1),
        sender=st.sampled_from([0, 3, PEOPLE, 65534]),
    )
    def well_formed_noise(self, kind: Kind, body: bytes, to: int, sender: int) -> None:
        """With the right session, and signed by a participant where that is needed."""
        about = self.server.session or self.server.group.context
        signed = from_client(kind, sender, about, body, NAMES[3])
        self.deliver(to, from_server(kind, about, body) if to >= 0 else signed)

    @rule(place=st.integers(0, 5000), bits=st.integers(1, 255), at=st.integers(0, 200))
    def signed_lies(self, place: int, bits: int, at: int) -> None:
        """A body of participant 3, changed and signed anew."""
        letters = [data for to, data in self.wire if to < 0 and opened(data).sender == 3]
        message = opened(letters[at % len(letters)])
        if message.kind is Kind.MASKED:  # a client may send any vector: that is no lie the server can see
            return
        body = bytes(byte ^ bits * (n == place % len(message.body)) for n, byte in enumerate(message.body))
        self.deliver(-1, from_client(message.kind, 3, message.about, body, NAMES[3]))

    @rule()
    def time_passes(self) -> None:
        self.happened(self.server.timeout())
        self.go_on()

    @invariant()
    def no_client_gives_both_kinds_of_shares(self) -> None:
        """At most one unmasking of each client for each sum was ever made."""
        given_away = [(message.sender, message.body[0]) for message in map(opened, self.unmaskings())]
        assert len(set(given_away)) == len(given_away)

    def unmaskings(self) -> list[bytes]:
        return [data for to, data in self.wire if to < 0 and opened(data).kind is Kind.UNMASKING]


TestWire = Wire.TestCase
TestWire.settings = settings(max_examples=100, stateful_step_count=60)


def test_the_wire_can_come_to_its_end() -> None:
    """Otherwise the search above would prove little."""
    wire = Wire()
    for _ in range(20):
        wire.newest_messages()
    assert wire.server.phase is Phase.DONE


def test_lost_and_late_messages_in_random_order() -> None:
    """Sessions over a bad network: half of them end with sums, which are right, the others with none."""
    ends = {Phase.DONE: 0, Phase.FAILED: 0}
    for seed in range(40):
        rng, wire = random.Random(seed), Wire()
        for _ in range(400):
            if wire.server.phase in ends:
                break
            letters, wire.wire = wire.wire, []
            rng.shuffle(letters)
            for letter in letters:
                if rng.random() < 0.97:
                    wire.deliver(*letter)
            if not wire.wire:
                wire.time_passes()
        ends[wire.server.phase] += 1
    assert sum(ends.values()) == 40
    assert min(ends.values()) > 3


@settings(max_examples=300)
@given(st.binary(max_size=120))
def test_any_bytes_are_opened_or_refused(data: bytes) -> None:
    for head in (b"", MAGIC, MAGIC + bytes([VERSION])):
        try:
            opened(head + data)
        except MessageError:
            continue


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "0 bytes are too few"),
        (bytes(43), "43 bytes are too few"),
        (bytes(44), "begins with other bytes"),
        (HEADER.pack(MAGIC, 2, 2, 65535, bytes(32), 0), "in version 2"),
        (HEADER.pack(MAGIC, 1, 99, 65535, bytes(32), 0), "of kind 99"),
        (HEADER.pack(MAGIC, 1, 2, 65535, bytes(32), 1), "has 44 bytes, and its header announces 45"),
        (HEADER.pack(MAGIC, 1, 2, 65535, bytes(32), 2**32 - 1), "announces"),
        (HEADER.pack(MAGIC, 1, 2, 3, bytes(32), 0), "kind ROSTER cannot come from sender 3"),
        (HEADER.pack(MAGIC, 1, 1, 3, bytes(32), 0), "announces 108"),
    ],
)
def test_headers_that_are_refused(data: bytes, problem: str) -> None:
    with pytest.raises(MessageError, match=problem):
        opened(data)


def test_what_is_packed_is_opened() -> None:
    message = from_client(Kind.KEYS, 3, b"a" * 32, b"body", NAMES[3])
    found = opened(message)
    assert found[:4] == (Kind.KEYS, 3, b"a" * 32, b"body")
    assert found.is_signed_by(NAMES[3].public)
    assert not found.is_signed_by(NAMES[2].public)
    for change in ({"kind": Kind.SHARES}, {"sender": 2}, {"about": b"b" * 32}, {"body": b"bodx"}):
        assert not found._replace(**change).is_signed_by(NAMES[3].public)
    assert opened(from_server(Kind.INBOX, b"a" * 32, b"")).signature == b""
    assert np.frombuffer(message, np.uint8).nbytes == 44 + 4 + 64
