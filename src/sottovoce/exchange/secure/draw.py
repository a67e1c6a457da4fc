"""People draw a group themselves, so that a server cannot put one person among others of its choice.

Perifanis and Efraimidis (2022, Section 5.2) propose that participants select at random. Here all of them
do, by commitment: everybody who wants to take part publishes a hash of a secret; when the list of hashes
is complete everybody reveals the secret; the hash of all secrets is a number that nobody could choose.
The group is those whose identity, hashed with this number, comes first. Everybody can check all of it.

A reveal is signed together with the list of commitments that its sender saw, so a server that shows
different lists to different people is noticed. Everybody who committed has to reveal: otherwise the draw
is void, and is repeated without those who withheld.

What remains possible: whoever reveals last can void a draw whose outcome it does not like, once for each
identity that it is ready to lose. The server gathers all secrets before anybody else knows them. It can void
a draw at no price, by saying that somebody was silent who was not, and repeat it until it likes the group.
Nobody else can tell that from real silence. Only refusing to take part in many draws limits it, which
`node.drawn` does, and which is left to whoever else runs a `Drawer`.

| state of a person | gets        | sends      |     | phase of the server | gets       | sends       |
|-------------------|-------------|------------|-----|---------------------|------------|-------------|
| NEW               |             | COMMITMENT |     | COMMITMENT          | COMMITMENT | COMMITMENTS |
| COMMITTED         | COMMITMENTS | REVEAL     |     | REVEAL              | REVEAL     | REVEALS     |
| REVEALED          | REVEALS     |            |     | DONE, FAILED        |            |             |

COMMITMENT is a hash (32 bytes); COMMITMENTS a list (see `messages`) of hash and signature (64); REVEAL a
hash of that list (32) and a secret (32); REVEALS a list of secret and signature.
"""

import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.envelope import Kind, from_client, from_server, opened, signed_text
from sottovoce.exchange.secure.messages import pack_list, unpack_list
from sottovoce.exchange.secure.primitives import KEY, SIGNATURE, Identity, RandomBytes, digest, is_signed
from sottovoce.exchange.secure.server import Failed, Send
from sottovoce.plural import count

ENTRY = np.dtype([("who", "<u2"), ("value", "u1", KEY), ("signature", "u1", SIGNATURE)])
LARGEST = 2**16 - 2
"""People who can be drawn from: the number after it stands for the server."""


@dataclass(frozen=True)
class Lottery:
    """What a draw is about: who may take part, in ascending order, how many are drawn, which draw it is."""

    candidates: tuple[bytes, ...]
    size: int
    label: bytes

    def __post_init__(self) -> None:
        if not 2 <= self.size <= len(self.candidates) <= LARGEST:
            raise MessageError(
                f"{count(self.size, 'person')} cannot be drawn from {len(self.candidates)}.",
                f"Draw at least 2, from at most {LARGEST}.",
            )
        if any(a >= b for a, b in zip(self.candidates, self.candidates[1:], strict=False)):
            raise MessageError("The candidates of a draw are not in ascending order, or one is there twice.")

    @cached_property
    def context(self) -> bytes:
        return digest(b"sottovoce draw", struct.pack("<I", self.size), self.label, *self.candidates)

    def commitment(self, who: int, secret: bytes) -> bytes:
        return digest(b"commitment", self.context, struct.pack("<H", who), secret)

    def drawn(self, people: Iterable[int], secrets: Sequence[bytes]) -> tuple[bytes, ...]:
        """The group that the secrets of these people draw among them, in ascending order."""
        chance = digest(b"chance", self.context, *secrets)
        names = [self.candidates[who] for who in people]
        return tuple(sorted(sorted(names, key=lambda name: digest(b"rank", chance, name))[: self.size]))

    def signed_list(self, kind: Kind, about: bytes, body: bytes, prefix: bytes = b"") -> dict[int, bytes]:
        """The values of a list, each signed by its owner as the body of a message of this kind."""
        values = {}
        for entry in unpack_list(body, ENTRY, len(self.candidates)):
            who, value, signature = int(entry["who"]), entry["value"].tobytes(), entry["signature"].tobytes()
            text = signed_text(kind, who, about, prefix + value)
            if not is_signed(self.candidates[who], signature, text):
                raise MessageError(
                    f"Candidate {who} did not sign what a draw says of it, or saw another list.",
                    "Draw again; if it happens twice, leave this server.",
                )
            values[who] = value
        return values


class Step(Enum):
    """Where a draw stands."""

    NEW = "to be started"
    COMMITTED = "the list of commitments"
    REVEALED = "the list of secrets"
    DONE = "nothing"


class Drawer:
    """One candidate in one draw."""

    def __init__(self, lottery: Lottery, identity: Identity, random_bytes: RandomBytes = os.urandom) -> None:
        if identity.public not in lottery.candidates:
            raise MessageError("This node's identity is not among the candidates of the draw.")
        self.lottery, self.me = lottery, lottery.candidates.index(identity.public)
        self.step = Step.NEW
        self.group: tuple[bytes, ...] = ()
        """The group that was drawn, at the end."""
        self._identity, self._secret = identity, random_bytes(KEY)
        self._committed: dict[int, bytes] = {}
        self._list = b""

    def start(self) -> bytes:
        """Commit to a secret."""
        if self.step is not Step.NEW:
            raise MessageError("A draw is started once.")
        self.step = Step.COMMITTED
        return self._message(Kind.COMMITMENT, self.lottery.commitment(self.me, self._secret))

    def receive(self, data: bytes) -> bytes:
        """Take a message of the server; the answer to send back, which may be empty."""
        message = opened(data)
        wanted = {Step.COMMITTED: Kind.COMMITMENTS, Step.REVEALED: Kind.REVEALS}.get(self.step)
        if message.kind is not wanted or message.about != self.lottery.context:
            raise MessageError(
                f"A message of kind {message.kind.name} came out of turn, or is about another draw.",
                f"This candidate waits for {self.step.value}.",
            )
        return self._reveal(message.body) if self.step is Step.COMMITTED else self._finish(message.body)

    def _reveal(self, body: bytes) -> bytes:
        lottery = self.lottery
        committed = lottery.signed_list(Kind.COMMITMENT, lottery.context, body)
        if committed.get(self.me) != lottery.commitment(self.me, self._secret):
            raise MessageError("The list of commitments does not hold this node's own.")
        if len(committed) < lottery.size:
            raise MessageError(
                f"Only {count(len(committed), 'person')} committed, and {lottery.size} are to be drawn."
            )
        self._committed, self._list, self.step = committed, digest(body), Step.REVEALED
        return self._message(Kind.REVEAL, self._list + self._secret)

    def _finish(self, body: bytes) -> bytes:
        lottery = self.lottery
        secrets = lottery.signed_list(Kind.REVEAL, lottery.context, body, self._list)
        if set(secrets) != set(self._committed):
            raise MessageError("Not everybody who committed has revealed.", "Draw again without those.")
        for who, secret in secrets.items():
            if self._committed[who] != lottery.commitment(who, secret):
                raise MessageError(f"Candidate {who} revealed another secret than it committed to.")
        self.group, self.step = lottery.drawn(secrets, list(secrets.values())), Step.DONE
        return b""

    def _message(self, kind: Kind, body: bytes) -> bytes:
        return from_client(kind, self.me, self.lottery.context, body, self._identity)


class Drawn(NamedTuple):
    """The group that was drawn, in ascending order."""

    group: tuple[bytes, ...]


class DrawPhase(Enum):
    """What the server of a draw waits for."""

    COMMITMENT = "commitments"
    REVEAL = "secrets"
    DONE = "nothing, because the group is drawn"
    FAILED = "nothing, because the draw is void"


class DrawServer:
    """Passes the messages of one draw on. It has no say in the outcome."""

    def __init__(self, lottery: Lottery) -> None:
        self.lottery, self.phase = lottery, DrawPhase.COMMITMENT
        self._answers: dict[int, tuple[bytes, bytes]] = {}
        self._committed: dict[int, bytes] = {}
        self._list = b""

    def receive(self, data: bytes) -> list[Send | Drawn | Failed]:
        """Take a message of a candidate."""
        message, lottery = opened(data), self.lottery
        if message.kind.name != self.phase.name or message.about != lottery.context:
            raise MessageError(
                f"A message of kind {message.kind.name} came out of turn, or is about another draw.",
                f"This server waits for {self.phase.value}.",
            )
        who = message.sender
        revealing = self.phase is DrawPhase.REVEAL
        allowed = self._committed if revealing else range(len(lottery.candidates))
        if who not in allowed or who in self._answers:
            raise MessageError(f"Candidate {who} is not in the draw, or has answered already.")
        if not message.is_signed_by(lottery.candidates[who]):
            raise MessageError(f"The message is not signed by candidate {who}.")
        prefix, value = message.body[:-KEY], message.body[-KEY:]
        if prefix != self._list or len(value) != KEY:
            raise MessageError(f"Candidate {who} saw another list of commitments, or sent too few bytes.")
        if revealing and self._committed[who] != lottery.commitment(who, value):
            raise MessageError(f"Candidate {who} revealed another secret than it committed to.")
        self._answers[who] = value, message.signature
        return self._close() if len(self._answers) == len(allowed) else []

    def timeout(self) -> list[Send | Drawn | Failed]:
        """End a phase with those who have answered."""
        return self._close() if self.phase in (DrawPhase.COMMITMENT, DrawPhase.REVEAL) else []

    def _close(self) -> list[Send | Drawn | Failed]:
        answers, self._answers = dict(sorted(self._answers.items())), {}
        values, lottery = {who: value for who, (value, _) in answers.items()}, self.lottery
        fields = {"value": list(values.values()), "signature": [sign for _, sign in answers.values()]}
        body = pack_list(ENTRY, list(answers), **fields)
        if self.phase is DrawPhase.COMMITMENT:
            if len(answers) < lottery.size:
                self.phase = DrawPhase.FAILED
                return [
                    Failed(
                        f"Only {count(len(answers), 'person')} committed, and {lottery.size} are to be drawn."
                    )
                ]
            self.phase, self._committed, self._list = DrawPhase.REVEAL, values, digest(body)
            message = from_server(Kind.COMMITMENTS, lottery.context, body)
            return [Send(who, message) for who in answers]
        if missing := sorted(set(self._committed) - set(values)):
            self.phase = DrawPhase.FAILED
            names = ", ".join(map(str, missing))
            return [
                Failed(
                    f"The draw is void, because secrets are missing. Draw again without candidates {names}."
                )
            ]
        self.phase = DrawPhase.DONE
        message = from_server(Kind.REVEALS, lottery.context, body)
        drawn = Drawn(lottery.drawn(values, list(values.values())))
        return [*(Send(who, message) for who in answers), drawn]
