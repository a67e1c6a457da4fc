"""The server of secure sums: a state machine that gets bytes and gives messages, sums and failures.

The server's side of Bonawitz et al., CCS 2017, Figure 4. A phase ends when everybody who can still answer
has, or by `timeout()` with those who have; fewer than the threshold end the session. What a client sends
is checked when it comes: a message that is refused raises `MessageError` and counts as not sent.

Beyond the paper: a client commits to its seeds and to each share that it deals. So a wrong share is
noticed when it comes, from whom, and what shares give back is compared with what was advertised before a
mask is removed. A client that lies there can end a session, but not make its sum wrong.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure import shamir
from sottovoce.exchange.secure.envelope import Envelope, Kind, from_server, opened, size
from sottovoce.exchange.secure.fixed_point import UNSIGNED
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.keys import (
    PublicKeys,
    public_keys,
    refuse_repeated,
    session_hash,
    share_hashes,
    survivors_hash,
)
from sottovoce.exchange.secure.masks import (
    Wide,
    binding,
    commitment,
    masked,
    pair_key,
    pieces,
    self_key,
    signed,
)
from sottovoce.exchange.secure.messages import (
    CONFIRMATION,
    MASKED,
    UNMASKING,
    WHO,
    inbox_entry,
    keys_size,
    pack_list,
    pack_numbered,
    roster_entry,
    shares_entry,
    unpack_list,
    unpack_masked,
    unpack_numbered,
)
from sottovoce.exchange.secure.primitives import KEY, AgreementKey
from sottovoce.plural import count

_PROBE = AgreementKey(bytes(range(KEY)))
"""Any private key shows whether a public one is of small order."""


class Phase(Enum):
    """What a server waits for."""

    KEYS = "keys"
    SHARES = "shares of secrets"
    MASKED = "masked vectors"
    CONSISTENCY = "signatures of the list of survivors"
    UNMASKING = "shares that remove masks"
    IDLE = "the next sum to begin"
    DONE = "nothing, because all sums are done"
    FAILED = "nothing, because the session failed"


class Sum(NamedTuple):
    """What is summed: vectors of `length` integers modulo 2^bits; see `Client.mask` for `about`.

    Wider integers at the beginning (`masks.pieces`) count as several.
    """

    bits: int
    length: int
    about: bytes = b""
    wide: Wide = ()


class Send(NamedTuple):
    """A message for a participant."""

    to: int
    data: bytes


class Summed(NamedTuple):
    """A sum modulo 2^b, of the vectors of these participants."""

    number: int
    vector: NDArray[Any]
    survivors: tuple[int, ...]


class Failed(NamedTuple):
    """The session is over without a sum."""

    reason: str


Event = Send | Summed | Failed


class Server:
    """The server of one session. It knows no secret of anybody."""

    def __init__(self, group: Group, first: Sum) -> None:
        self.group, self.phase, self.number = group, Phase.KEYS, 0
        self.session = b""
        """A hash of the group and of everybody's keys, once they are known."""
        self.survivors: tuple[int, ...] = ()
        """Whose vectors are in the sum under way, or in the last one."""
        self.present: tuple[int, ...] = tuple(range(len(group)))
        """Who can still answer: those who did so in the last phase."""
        self._answers: dict[int, Any] = {}
        self._roster: dict[int, PublicKeys] = {}
        self._hashes: dict[
            int, NDArray[np.uint8]
        ] = {}  # of the shares that each client dealt [people, 2S, 16]
        self._partners: tuple[int, ...] = ()
        self._set(first)

    @property
    def largest(self) -> int:
        """The length in bytes of the longest message that it accepts now."""
        people, sums = len(self.group), self.group.sums
        shares = 2 + people * shares_entry(sums).itemsize
        vector = MASKED.size + self._sum.length * self._sum.bits // 8
        return size(max(keys_size(sums), shares, vector), signed=True)

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """Who has not answered yet in this phase."""
        busy = self.phase not in (Phase.IDLE, Phase.DONE, Phase.FAILED)
        return tuple(who for who in self.present if who not in self._answers) if busy else ()

    def receive(self, data: bytes) -> list[Event]:
        """Take a message of a client."""
        message = opened(data)
        phases: dict[Kind, tuple[Phase, Callable[[Envelope], Any]]] = {
            Kind.KEYS: (Phase.KEYS, self._keys),
            Kind.SHARES: (Phase.SHARES, self._shares),
            Kind.MASKED: (Phase.MASKED, self._masked),
            Kind.CONSISTENCY: (Phase.CONSISTENCY, self._consistency),
            Kind.UNMASKING: (Phase.UNMASKING, self._unmasking),
        }
        if message.kind not in phases:
            raise MessageError(f"A server does not take messages of kind {message.kind.name}.")
        phase, handle = phases[message.kind]
        if self.phase is not phase:
            raise MessageError(
                f"A message of kind {message.kind.name} came out of turn or too late.",
                f"This server waits for {self.phase.value}.",
            )
        if message.sender not in self.present or message.sender in self._answers:
            raise MessageError(
                f"Participant {message.sender} is not in the group, has dropped out, or has answered already."
            )
        if message.about != (self.session or self.group.context):
            raise MessageError("The message belongs to another session, or to another group.")
        if not message.is_signed_by(self.group.identities[message.sender]):
            raise MessageError(f"The message is not signed by participant {message.sender}.")
        self._answers[message.sender] = handle(message)
        return [] if self.waiting_for else self._close()

    def timeout(self) -> list[Event]:
        """End a phase with those who have answered."""
        return self._close() if self.waiting_for else []

    def begin(self, following: Sum) -> None:
        """Say what the next sum of the session is; its partners are the survivors of the last one."""
        if self.phase is not Phase.IDLE:
            raise MessageError("A sum can begin once the one before it is done.")
        self._set(following)
        self.phase = Phase.MASKED

    def _set(self, following: Sum) -> None:
        if following.bits not in UNSIGNED or not 0 <= following.length < 2**32:
            raise MessageError(
                f"A sum of {following.length} numbers of {following.bits} bits is not possible.",
                "Take 16, 32 or 64 bits, and fewer than 2^32 numbers.",
            )
        self._sum = following
        self._bound = binding(self.number, *following)
        self._total = np.zeros(following.length, UNSIGNED[following.bits])

    def _keys(self, message: Envelope) -> PublicKeys:
        keys = public_keys(message.body, message.signature, self.group.sums)
        for public in (keys.channel, *keys.masks):
            _PROBE.agree(public)
        refuse_repeated([*self._answers.values(), keys])
        return keys

    def _shares(self, message: Envelope) -> NDArray[Any]:
        entries = unpack_list(message.body, shares_entry(self.group.sums), len(self.group))
        self._everybody(entries, self._roster)
        return entries

    def _masked(self, message: Envelope) -> bool:
        masked = unpack_masked(message.body, self._sum.bits, self._sum.length)
        if (masked.number, masked.bound) != (self.number, self._bound):
            raise MessageError("A masked vector belongs to another sum, or is about something else.")
        parts = pieces(self._total, self._sum.wide), pieces(masked.vector, self._sum.wide)
        for total, vector in zip(*parts, strict=True):
            total += vector
        return True

    def _consistency(self, message: Envelope) -> bytes:
        said = unpack_numbered(message.body, self.number)
        if said != survivors_hash(self.session, self._bound, self.survivors):
            raise MessageError(f"Participant {message.sender} signed another list of survivors.")
        return message.signature

    def _unmasking(self, message: Envelope) -> NDArray[np.uint8]:
        body = unpack_numbered(message.body, self.number)
        entries = unpack_list(body, UNMASKING, len(self.group))
        self._everybody(entries, self._partners)
        shares = np.ascontiguousarray(entries["share"])
        place = sorted(self._roster).index(message.sender)
        which = [2 * self.number + (who in self.survivors) for who in self._partners]
        dealt = [self._hashes[who][place, kind] for who, kind in zip(self._partners, which, strict=True)]
        wrong = (share_hashes(shares[:, None])[:, 0] != np.array(dealt)).any(axis=1)
        if wrong.any():
            dealer = self._partners[int(wrong.argmax())]
            raise MessageError(
                f"Participant {message.sender} gives a share that participant {dealer} did not deal to it."
            )
        return shares

    def _everybody(self, entries: NDArray[Any], people: Iterable[int]) -> None:
        if [int(who) for who in entries["who"]] != sorted(people):
            raise MessageError(
                "A message does not have exactly one entry for each participant of this phase."
            )

    def _close(self) -> list[Event]:
        """Go on to the next phase with those who have answered, if they are enough."""
        answers, self._answers = dict(sorted(self._answers.items())), {}
        if len(answers) < self.group.threshold:
            return self.fail(
                f"Only {count(len(answers), 'participant')} sent {self.phase.value}, "
                f"and {self.group.threshold} are needed."
            )
        self.present = tuple(answers)
        closing: dict[Phase, Callable[[dict[int, Any]], Sequence[Event]]] = {
            Phase.KEYS: self._send_roster,
            Phase.SHARES: self._send_inboxes,
            Phase.MASKED: self._send_survivors,
            Phase.CONSISTENCY: self._send_confirmations,
            Phase.UNMASKING: self._unmask,
        }
        return list(closing[self.phase](answers))

    def fail(self, reason: str) -> list[Event]:
        """End the session without a sum."""
        self.phase, self._answers = Phase.FAILED, {}
        return [Failed(reason)]

    def _send_roster(self, answers: dict[int, PublicKeys]) -> list[Event]:
        keys, signatures = zip(*((each.body, each.signature) for each in answers.values()), strict=True)
        body = pack_list(roster_entry(self.group.sums), list(answers), keys=keys, signature=signatures)
        message = from_server(Kind.ROSTER, self.group.context, body)
        self._roster, self.session = answers, session_hash(self.group, body)
        self.phase = Phase.SHARES
        return [Send(who, message) for who in answers]

    def _send_inboxes(self, answers: dict[int, NDArray[Any]]) -> list[Event]:
        self._hashes = {who: entries["hashes"] for who, entries in answers.items()}
        self._partners, self.phase = tuple(answers), Phase.MASKED
        events: list[Event] = []
        for who in answers:
            place, others = sorted(self._roster).index(who), [other for other in answers if other != who]
            boxes = [answers[other]["box"][place].tobytes() for other in others]
            body = pack_list(inbox_entry(self.group.sums), others, box=boxes)
            events.append(Send(who, from_server(Kind.INBOX, self.session, body)))
        return events

    def _send_survivors(self, answers: dict[int, bool]) -> list[Event]:
        self.survivors, self.phase = tuple(answers), Phase.CONSISTENCY
        return self._to_all(Kind.SURVIVORS, pack_list(WHO, list(answers)))

    def _send_confirmations(self, answers: dict[int, bytes]) -> list[Event]:
        self.phase = Phase.UNMASKING
        body = pack_list(CONFIRMATION, list(answers), signature=list(answers.values()))
        return self._to_all(Kind.CONFIRMATIONS, body)

    def _to_all(self, kind: Kind, body: bytes) -> list[Event]:
        message = from_server(kind, self.session, pack_numbered(self.number, body))
        return [Send(who, message) for who in self.present]

    def _unmask(self, answers: dict[int, NDArray[np.uint8]]) -> list[Event]:
        """Join shares, check what they give, and take all masks out of the sum."""
        holders = list(answers)[: self.group.threshold]
        secrets = shamir.join(np.array([answers[who] for who in holders]), holders)
        result, seeds = self._total, []
        for who, secret in zip(self._partners, secrets, strict=True):
            published = self._roster[who]
            if who in self.survivors:
                if commitment(secret, who, self.number) != published.commitments[self.number]:
                    return self.fail(f"Participant {who} dealt shares that do not give its seed.")
                seeds.append(self_key(secret, self.session, self._bound, who))
                continue
            key = AgreementKey(secret)
            if key.public != published.masks[self.number]:
                return self.fail(f"Participant {who} dealt shares that do not give its mask key.")
            pairs = {}  # each survivor applied a mask that nobody else in the sum has
            for other in self.survivors:
                agreed = key.agree(self._roster[other].masks[self.number])
                pairs[other] = pair_key(agreed, self.session, self._bound, who, other)
            result = masked(result, *signed(who, pairs), self._sum.wide)
        done = Summed(self.number, masked(result, (), seeds, self._sum.wide), self.survivors)
        self._partners, self.number = self.survivors, self.number + 1
        self.phase = Phase.DONE if self.number == self.group.sums else Phase.IDLE
        return [done]
