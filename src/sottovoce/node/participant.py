"""One node's part in a session of two masked sums, whoever adds: a server, or a member of the group."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic

from sottovoce.exchange.secure.client import State
from sottovoce.exchange.secure.contribution import Contribution, Encoding, Result
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.primitives import Identity, RandomBytes, digest
from sottovoce.exchange.secure.two_sums import TwoSumsClient

if TYPE_CHECKING:
    from sottovoce.node.node import Node


class Participant(Generic[Result]):
    """`start`, then `receive` whatever comes. The node trains when the group has agreed on keys."""

    def __init__(
        self,
        node: "Node",
        plan: Encoding[Result],
        group: Group,
        identity: Identity,
        guards: Sequence[Guard] = (),
        random_bytes: RandomBytes = os.urandom,
        about: bytes = b"",
    ) -> None:
        """`about` is what everybody must have alike, or masks do not cancel."""
        node.refuse_spent()  # before the others count on this node
        self._node, self._group = node, group
        self._client = TwoSumsClient(plan, group, identity, guards, random_bytes, about)
        self._round = digest(b"sottovoce round", group.context, identity.public, self._version(about))
        node.rounds.check(self._round)

    def _version(self, about: bytes) -> bytes:
        """What, beside the group, tells this round from others."""
        return about

    @property
    def state(self) -> State:
        """What it waits for; in a group without a server the sums come after `DONE`."""
        return self._client.state

    @property
    def largest(self) -> int:
        """The length in bytes of the longest message that it accepts."""
        return self._client.largest

    @property
    def changed(self) -> bool:
        """Whether training gave numbers that do not fit the sum, so that others or none were added.

        Nobody else is told: whether a node answers, and what it says, must not show what its person has.
        """
        return self._client.changed

    def start(self) -> bytes:
        """The first message for whoever adds: fresh keys. A node takes part in a round once."""
        if self.state is State.NEW:
            self._node.rounds.begin(self._round)
        return self._client.start()

    def receive(self, data: bytes) -> bytes:
        """Take a message of whoever adds; the answer to send back, which may be empty."""
        answer = self._client.receive(data)
        if self.state is State.READY and self._client.session.number == 0:
            return self._client.offer(self._contribution())
        if self.state is State.DONE:
            self._node.rounds.draws = 0
        return answer

    def _contribution(self) -> Contribution:
        """Train, and say what that adds to the sums."""
        raise NotImplementedError
