"""A participant of secure sums: a state machine that gets bytes and gives bytes.

The client's side of Bonawitz et al., CCS 2017, Figure 4, in the variant that holds against an active
server. What is refused raises `MessageError` and changes nothing: a client goes on if what it waits for
still comes, and in each state it answers once. So it signs one set of survivors per sum, and gives for
each client one kind of share per sum: of the seed if it survived, of the mask key if it dropped out.
"""

import os
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure import shamir
from sottovoce.exchange.secure.envelope import Envelope, Kind, from_client, opened, signed_text, size
from sottovoce.exchange.secure.fixed_point import UNSIGNED
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.keys import (
    SecretKeys,
    box_key,
    read_roster,
    session_hash,
    share_hashes,
    survivors_hash,
)
from sottovoce.exchange.secure.masks import Wide, binding, masked, pair_key, self_key, signed
from sottovoce.exchange.secure.messages import (
    CONFIRMATION,
    UNMASKING,
    WHO,
    box_size,
    inbox_entry,
    pack_list,
    pack_masked,
    pack_numbered,
    roster_entry,
    shares_entry,
    unpack_list,
    unpack_numbered,
)
from sottovoce.exchange.secure.primitives import KEY, Identity, RandomBytes, decrypt, encrypt, is_signed
from sottovoce.plural import count


class State(Enum):
    """What a client waits for."""

    NEW = "to be started"
    ADVERTISED = "the list of keys"
    SHARED = "shares of the others"
    READY = "a vector to mask"
    MASKED = "the list of survivors"
    SIGNED = "signatures of the others"
    DONE = "nothing"


class Client:
    """One participant of one session."""

    def __init__(
        self,
        group: Group,
        identity: Identity,
        guards: Sequence[Guard] = (),
        random_bytes: RandomBytes = os.urandom,
    ) -> None:
        """`guards`, one for each sum, remember who was in earlier sums of its kind."""
        self.group, self.me = group, group.number(identity.public)
        if guards and len(guards) != group.sums:
            raise MessageError(f"{group.sums} sums have {len(guards)} guards.", "Give one for each sum.")
        for guard in guards:
            guard.check_group(group)
        self.state = State.NEW
        self.number = 0
        """Which sum is under way."""
        self.session = b""
        """A hash of the group and of everybody's keys, once they are known."""
        self.survivors: tuple[int, ...] = ()
        """Whose vectors are in the sum under way, or in the last one."""
        self._identity, self._guards, self._random_bytes = identity, guards, random_bytes
        self._keys = SecretKeys(self.me, group.sums, random_bytes)
        self._agreed: dict[int, list[bytes]] = {}  # with each other: secrets for the channel and each sum
        self._shares: dict[int, NDArray[np.uint8]] = {}  # of each other's secrets, and of one's own
        self._partners: tuple[int, ...] = ()  # whose masks are in the sum under way
        self._bound = b""

    @property
    def largest(self) -> int:
        """The length in bytes of the longest message that it accepts."""
        entry = max(roster_entry(self.group.sums).itemsize, inbox_entry(self.group.sums).itemsize)
        return size(3 + len(self.group) * entry, signed=False)

    def start(self) -> bytes:
        """Advertise keys (round 0)."""
        self._expect(State.NEW, "A client is started once.")
        self.state = State.ADVERTISED
        return self._message(Kind.KEYS, self._keys.body)

    def receive(self, data: bytes) -> bytes:
        """Take a message of the server; the answer to send back, which may be empty."""
        message = opened(data)
        states = {
            Kind.ROSTER: (State.ADVERTISED, self._on_roster),
            Kind.INBOX: (State.SHARED, self._on_inbox),
            Kind.SURVIVORS: (State.MASKED, self._on_survivors),
            Kind.CONFIRMATIONS: (State.SIGNED, self._on_confirmations),
        }
        if message.kind not in states:
            raise MessageError(f"A client does not take messages of kind {message.kind.name}.")
        state, handle = states[message.kind]
        self._expect(state, f"A message of kind {message.kind.name} came out of turn.")
        if message.about != (self.session or self.group.context):
            raise MessageError("The message belongs to another session, or to another group.")
        return handle(message)

    def mask(self, vector: NDArray[Any], about: bytes = b"", wide: Wide = ()) -> bytes:
        """Send a vector modulo 2^b, masked (round 2), which may begin with `wide` integers.

        `about` says what is summed. Masks cancel only among clients that say the same.
        """
        self._expect(State.READY, "A vector was given out of turn.")
        bits = 8 * vector.itemsize
        if vector.ndim != 1 or vector.dtype != UNSIGNED.get(bits):
            raise MessageError(
                f"A vector to mask has shape {vector.shape} and type {vector.dtype}.",
                "Give one row of unsigned integers of 16, 32 or 64 bits.",
            )
        bound = binding(self.number, bits, len(vector), about, wide)
        own = self_key(self._keys.seeds[self.number], self.session, bound, self.me)
        pairs = {
            other: pair_key(self._agreed[other][1 + self.number], self.session, bound, self.me, other)
            for other in self._partners
            if other != self.me
        }
        added, subtracted = signed(self.me, pairs)
        hidden = masked(vector, [own, *added], subtracted, wide)
        self._bound, self.state = bound, State.MASKED
        return self._message(Kind.MASKED, pack_masked(self.number, bound, hidden))

    def _on_roster(self, message: Envelope) -> bytes:
        """Check everybody's keys, and send shares of one's own secrets (round 1)."""
        group, mine = self.group, self._keys
        roster = read_roster(message.body, group)
        self._enough(roster, "published keys")
        if self.me not in roster or roster[self.me].body != mine.body:
            raise MessageError("The list of keys does not hold this node's own.")
        session, people = session_hash(group, message.body), sorted(roster)
        agreed = {}
        for other in people:
            if other != self.me:
                pairs = zip(
                    (mine.channel, *mine.masks), (roster[other].channel, *roster[other].masks), strict=True
                )
                agreed[other] = [key.agree(public) for key, public in pairs]
        shares = shamir.split(mine.secrets, people, group.threshold, self._random_bytes)
        boxes = []
        for other, share in zip(people, shares, strict=True):
            if other == self.me:
                boxes.append(bytes(box_size(group.sums)))
            else:
                key = box_key(agreed[other][0], session, self.me, other)
                boxes.append(encrypt(key, share.tobytes(), session))
        self._shares = {self.me: shares[people.index(self.me)]}
        self._agreed, self.session, self.state = agreed, session, State.SHARED
        entry = shares_entry(group.sums)
        return self._message(Kind.SHARES, pack_list(entry, people, hashes=share_hashes(shares), box=boxes))

    def _on_inbox(self, message: Envelope) -> bytes:
        """Decrypt the shares of others. Those who sent some are the partners of the first sum."""
        entries = unpack_list(message.body, inbox_entry(self.group.sums), len(self.group))
        shares = dict(self._shares)
        for entry in entries:
            other = int(entry["who"])
            if other not in self._agreed:
                raise MessageError(f"Shares come from participant {other}, who is not in the list of keys.")
            key = box_key(self._agreed[other][0], self.session, other, self.me)
            text = decrypt(key, entry["box"].tobytes(), self.session)
            shares[other] = np.frombuffer(text, np.uint8).reshape(-1, KEY)
        self._enough(shares, "shared their secrets")
        self._shares, self._partners = shares, tuple(sorted(shares))
        self.state = State.READY
        return b""

    def _on_survivors(self, message: Envelope) -> bytes:
        """Sign whose vectors the server says are in the sum (round 3, the consistency check)."""
        body = unpack_numbered(message.body, self.number)
        survivors = tuple(int(who) for who in unpack_list(body, WHO, len(self.group))["who"])
        self._enough(survivors, "sent a masked vector")
        if self.me not in survivors or not set(survivors) <= set(self._partners):
            raise MessageError(
                "The list of survivors lacks this node, or names people who share no masks with it."
            )
        if self._guards:
            names = self.group.names(survivors)
            self._guards[self.number].check(names)
            self._guards[self.number].remember(names)
        self.survivors, self.state = survivors, State.SIGNED
        return self._message(Kind.CONSISTENCY, self._consistency())

    def _on_confirmations(self, message: Envelope) -> bytes:
        """Check that enough others signed the same list, and give shares (round 4)."""
        body = unpack_numbered(message.body, self.number)
        entries = unpack_list(body, CONFIRMATION, len(self.group))
        self._enough(entries, "confirmed the list of survivors")
        for entry in entries:
            other = int(entry["who"])
            text = signed_text(Kind.CONSISTENCY, other, self.session, self._consistency())
            if other not in self.survivors or not is_signed(
                self.group.identities[other], entry["signature"].tobytes(), text
            ):
                raise MessageError(
                    f"Participant {other} did not sign the list of survivors that this node was shown.",
                    "The server shows different lists to different people: leave this server.",
                )
        survived = set(self.survivors)
        which = [2 * self.number + (who in survived) for who in self._partners]
        shares = [self._shares[who][kind] for who, kind in zip(self._partners, which, strict=True)]
        body = pack_list(UNMASKING, self._partners, share=np.array(shares))
        answer = self._message(Kind.UNMASKING, pack_numbered(self.number, body))
        self._partners, self.number = self.survivors, self.number + 1
        self.state = State.READY
        if self.number == self.group.sums:
            self.state = State.DONE
            self._agreed, self._shares = {}, {}
            del self._keys
        return answer

    def _consistency(self) -> bytes:
        return pack_numbered(self.number, survivors_hash(self.session, self._bound, self.survivors))

    def _message(self, kind: Kind, body: bytes) -> bytes:
        return from_client(kind, self.me, self.session or self.group.context, body, self._identity)

    def _expect(self, state: State, problem: str) -> None:
        if self.state is not state:
            raise MessageError(problem, f"This client waits for {self.state.value}.")

    def _enough(self, people: Any, did: str) -> None:
        if len(people) < self.group.threshold:
            raise MessageError(
                f"Only {count(len(people), 'participant')} {did}, and {self.group.threshold} are needed.",
                "Begin a new round.",
            )
