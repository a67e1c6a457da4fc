"""MF-SecAvg with a guarantee for every row: counts are summed first, then rows of enough people.

Perifanis and Efraimidis (2022, Algorithm 2) sum counts and rows at once. A row that one person changed is
then that person's update, and withholding it afterwards is too late, because the server has the sum. Here
a session has two sums. The first is of counts and totals. The server announces the items that have enough
contributors, n_I >= k + n - t with n people in the first sum: so many that k are left if everybody who may
still drop out does. Clients check the announcement, and send these rows and no others.

**What the two sums share.** One group, one exchange of keys and of shares: a session of two sums costs
little more than one. What hides a vector is not shared. Each sum has its own mask keys and its own seeds
(see `keys`), because a client may survive the first sum, which reveals its seed, and drop out of the
second, which reveals its mask key; with common keys both masks of its first vector would be known. With
separate ones each sum is an instance of Bonawitz et al. of its own, and their proof holds for each: what
one reveals is independent of what hides the other. Only people whose vectors are in the first sum are
partners in the second. That set was confirmed by t signatures, so all agree on it.

**What binds them.** The masks of the second sum, and the signatures under its survivors, depend on a hash
of the announcement. A server that announces different items to different people gets noise, and is
noticed before anything is unmasked. The masks of both sums depend on a hash of the model that is trained.
Otherwise a server could give one person a model, and all others one that they cannot learn from: the sum
would be that person's update (Pasquini, Francati and Ateniese, CCS 2022).

**Why counts are not summed again.** People may drop out between the sums, and then n_I counts some whose
rows are missing: the average is too small by their share. Counting again in the second sum would repair
that, but the difference of the two counts is what those who left had changed. A server that ignores one
person's message could read off that person's items. The same holds for totals.

**What is not prevented.** A server that lies about the counts, or clients that count what they did not
change, can make a rare row look common: sums are not proven. A client notices counts above the number of
people and totals below its own part. And the counts of rare items are themselves
seen by the server, who learns what nobody in the group changed (Section 5.2).
"""

import os
from collections.abc import Sequence

import numpy as np

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import Client, State
from sottovoce.exchange.secure.contribution import (
    Aggregated,
    Contribution,
    Plan,
    aggregated,
    allowed,
    check,
    first_vector,
    needed,
    second_vector,
)
from sottovoce.exchange.secure.envelope import Kind, from_server, opened, size
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.messages import (
    ANNOUNCEMENT,
    Announcement,
    pack_announcement,
    unpack_announcement,
)
from sottovoce.exchange.secure.primitives import Identity, RandomBytes, digest
from sottovoce.exchange.secure.server import Event, Phase, Send, Server, Sum, Summed
from sottovoce.plural import count


def _check(plan: Plan, group: Group) -> None:
    if min(plan) < 0 or plan.items >= 2**32:
        raise MessageError(f"A round cannot be planned with these numbers: {plan}.")
    if group.sums != 2:
        raise MessageError(f"A round of counts and rows has 2 sums, and the group is for {group.sums}.")
    if not 1 <= plan.k <= group.threshold:
        raise MessageError(
            f"Rows of at least {plan.k} people cannot be had where {group.threshold} may be left.",
            "Take a larger group, or a smaller k.",
        )
    plan.forms(len(group))


def _first(plan: Plan, model: bytes) -> bytes:
    """What the first sum is about: the plan and the model."""
    return digest(b"counts", plan.hash, model)


def _second(plan: Plan, model: bytes, body: bytes) -> bytes:
    """What the second sum is about: the plan, the model and the announcement."""
    return digest(b"rows", plan.hash, model, body)


class TwoSumsClient:
    """One participant of a round: `start`, then `receive` what comes, and `offer` when it is `READY`."""

    def __init__(
        self,
        plan: Plan,
        group: Group,
        identity: Identity,
        guards: Sequence[Guard] = (),
        random_bytes: RandomBytes = os.urandom,
        model: bytes = b"",
    ) -> None:
        """`model` is what everybody trains: masks cancel only among clients that have the same."""
        _check(plan, group)
        if any(guard.k > plan.k for guard in guards):
            raise MessageError(
                f"The round sends rows of {plan.k} people, and this node wants {max(g.k for g in guards)}.",
                "Take part in a round with a larger k.",
            )
        self.plan, self.group, self._model = plan, group, model
        self.session = Client(group, identity, guards, random_bytes)
        self._mine: Contribution | None = None

    @property
    def state(self) -> State:
        return self.session.state

    @property
    def largest(self) -> int:
        """The length in bytes of the longest message that it accepts."""
        announcement = ANNOUNCEMENT.size + 8 * (self.plan.items + self.plan.totals)
        return max(self.session.largest, size(announcement, signed=False))

    def start(self) -> bytes:
        """Advertise keys."""
        return self.session.start()

    def offer(self, mine: Contribution) -> bytes:
        """Send the first masked vector. The rows are kept until the announcement comes."""
        if self._mine is not None:
            raise MessageError("A contribution is offered once.")
        clients = len(self.group)
        everything = np.asarray(mine.items, np.int64)
        check(self.plan, mine)
        second_vector(self.plan, mine, everything, clients)  # what does not fit is refused before it counts
        message = self.session.mask(first_vector(self.plan, mine, clients), _first(self.plan, self._model))
        self._mine = mine
        return message

    def receive(self, data: bytes) -> bytes:
        """Take a message of the server; the answer to send back, which may be empty."""
        message = opened(data)
        if message.kind is not Kind.ANNOUNCEMENT:
            return self.session.receive(data)
        if self._mine is None or self.state is not State.READY:
            raise MessageError(
                "An announcement came out of turn.", f"This client waits for {self.state.value}."
            )
        if message.about != self.session.session:
            raise MessageError("The announcement belongs to another session.")
        announced = unpack_announcement(message.body, self.plan.items, self.plan.totals)
        self._refuse(announced, self._mine)
        vector = second_vector(self.plan, self._mine, announced.items, len(self.group))
        return self.session.mask(vector, _second(self.plan, self._model, message.body))

    def _refuse(self, announced: Announcement, mine: Contribution) -> None:
        """Refuse an announcement of rows with too few contributors, or one that cannot be true."""
        people = len(self.session.survivors)
        least = needed(self.plan, people, self.group.threshold)
        if len(announced.items) and announced.contributors.min() < least:
            at = int(announced.contributors.argmin())
            raise MessageError(
                f"The server asks for the row of item {announced.items[at]}, which "
                f"{count(int(announced.contributors[at]), 'person')} changed, and {least} are needed.",
                "This node sends no such row; leave this server.",
            )
        if len(announced.items) and announced.contributors.max() > people:
            raise MessageError(
                "The server counts more contributors to a row than there are people in the sum."
            )
        if (announced.totals < np.asarray(mine.totals).astype(np.uint64)).any():
            raise MessageError("A total that the server announces is less than this node's own part of it.")


class TwoSumsServer:
    """The server of a round: as `Server`, but what comes at the end is `Aggregated`."""

    def __init__(self, plan: Plan, group: Group, model: bytes = b"") -> None:
        """`model` is what it gave to everybody."""
        _check(plan, group)
        self.plan, self.group, self._model = plan, group, model
        self.session = Server(group, Sum(plan.bits, plan.first_length, _first(plan, model)))
        self._first: Summed | None = None

    @property
    def phase(self) -> Phase:
        return self.session.phase

    @property
    def largest(self) -> int:
        """The length in bytes of the longest message that it accepts now."""
        return self.session.largest

    def receive(self, data: bytes) -> list[Event | Aggregated]:
        """Take a message of a client."""
        return self._next(self.session.receive(data))

    def timeout(self) -> list[Event | Aggregated]:
        """End a phase with those who have answered."""
        return self._next(self.session.timeout())

    def _next(self, events: list[Event]) -> list[Event | Aggregated]:
        following: list[Event | Aggregated] = []
        for event in events:
            if not isinstance(event, Summed):
                following.append(event)
            elif self._first is None:
                following += self._announce(event)
            else:
                sums, people = (self._first.vector, event.vector), (self._first.survivors, event.survivors)
                following.append(aggregated(self.plan, len(self.group), self.group.threshold, sums, people))
        return following

    def _announce(self, summed: Summed) -> list[Event]:
        values = self.plan.forms(len(self.group))[0].integers(summed.vector)
        counts, totals = np.split(values, [self.plan.items])
        people = len(summed.survivors)
        if (counts < 0).any() or (counts > people).any() or (totals < 0).any():
            return self.session.fail("The sum of counts is impossible: a client did not count by 0 and 1.")
        items = allowed(self.plan, counts, people, self.group.threshold)
        body = pack_announcement(Announcement(items, counts[items], totals.astype(np.uint64)))
        self._first = summed
        about = _second(self.plan, self._model, body)
        self.session.begin(Sum(self.plan.bits, self.plan.second_length(len(items)), about))
        message = from_server(Kind.ANNOUNCEMENT, self.session.session, body)
        return [Send(who, message) for who in self.session.present]
