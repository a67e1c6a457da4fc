"""Groups of clients with a server, for tests: identities from seeds, and a session from end to end."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.exchange.secure.client import Client, State
from sottovoce.exchange.secure.envelope import Envelope, from_client, from_server, opened
from sottovoce.exchange.secure.group import Group, group
from sottovoce.exchange.secure.primitives import Identity, repeatable
from sottovoce.exchange.secure.server import Event, Failed, Phase, Send, Server, Sum, Summed

STAYS = 1000
"""A stage that no session reaches."""


def identities(count: int) -> list[Identity]:
    """Identities in the order in which a group has them."""
    every = (Identity(bytes([number // 256, number % 256]) * 16) for number in range(count))
    return sorted(every, key=lambda one: one.public)


def group_of(count: int, threshold: int | None = None, sums: int = 1, label: bytes = b"round 1") -> Group:
    return group([one.public for one in identities(count)], label, threshold, sums)


def clients_of(every: Group, seed: bytes = b"") -> list[Client]:
    names = identities(len(every))
    return [Client(every, one, random_bytes=repeatable(seed + one.public)) for one in names]


def vectors_of(count: int, length: int, bits: int, seed: int = 1) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(0, 2**bits, (count, length), dtype=f"u{bits // 8}")


class Session:
    """A server and its clients, moved on one stage at a time: keys, shares, then three for each sum."""

    def __init__(self, every: Group, sums: Sequence[NDArray[Any]], seed: bytes = b"") -> None:
        self.sums = [Sum(8 * each.itemsize, each.shape[1]) for each in sums]
        self.vectors, self.server, self.clients = sums, Server(every, self.sums[0]), clients_of(every, seed)
        self.letters: dict[int, bytes] = {}  # from clients, not yet with the server
        self.sent: list[Send] = []  # what the server sent last
        self.summed: list[Summed] = []
        self.failed: Failed | None = None

    def start(self) -> None:
        self.letters = {who: client.start() for who, client in enumerate(self.clients)}

    def post(self, absent: Callable[[int], bool] = lambda who: False, shuffle: int = 0) -> list[Event]:
        """Give the server all letters, in some order, except those of the absent."""
        events: list[Event] = []
        order = sorted(self.letters)
        random.Random(shuffle).shuffle(order)
        for who in order:
            if not absent(who):
                events += self.server.receive(self.letters[who])
        events = events or self.server.timeout()
        self.letters = {}
        self.sent = [event for event in events if isinstance(event, Send)]
        self.summed += [event for event in events if isinstance(event, Summed)]
        self.failed = next((event for event in events if isinstance(event, Failed)), None)
        return events

    def answer(self) -> None:
        """Let clients take what the server sent; who has no vector to mask answers at once."""
        for letter in self.sent:
            self.letters[letter.to] = self.clients[letter.to].receive(letter.data)
        if self.server.phase is Phase.IDLE:
            self.server.begin(self.sums[self.server.number])
        for who, client in enumerate(self.clients):
            if client.state is State.READY and self.server.phase is Phase.MASKED:
                self.letters[who] = client.mask(self.vectors[client.number][who])

    def until(self, phase: Phase) -> "Session":
        """Go on, with everybody, until the server waits for this, and letters are on their way."""
        self.start()
        while self.server.phase is not phase:
            self.post()
            self.answer()
        return self

    def run(self, leaves: Mapping[int, int] = {}, shuffle: int = 0) -> None:
        """Go to the end; who leaves at a stage does not send its message of that stage, or a later one."""
        self.start()
        stage = 0
        while True:
            self.post(lambda who, stage=stage: leaves.get(who, STAYS) <= stage, shuffle)
            if self.failed or self.server.phase is Phase.DONE:
                return
            self.answer()
            stage += 1


def total(vectors: NDArray[Any], who: Sequence[int]) -> NDArray[Any]:
    """A plain sum modulo 2^b, by Python's integers."""
    modulus = 2 ** (8 * vectors.itemsize)
    columns = [sum(int(vectors[one, at]) for one in who) % modulus for at in range(vectors.shape[1])]
    return np.array(columns, vectors.dtype)


def changed(data: bytes, body: bytes, identity: Identity | None = None, about: bytes = b"") -> bytes:
    """The same message with another body, signed anew if it is a client's, or of another session."""
    message = opened(data)
    if identity is None:
        return from_server(message.kind, about or message.about, body)
    return from_client(message.kind, message.sender, message.about, body, identity)


def read(data: bytes) -> Envelope:
    return opened(data)
