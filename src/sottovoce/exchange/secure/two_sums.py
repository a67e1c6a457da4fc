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
people. It does not compare totals with its own part, because from its refusal a server that tries several
totals would learn that part. And the counts of rare items are themselves seen by the server, who learns what
nobody in the group changed (Section 5.2).

**Without a server** a member of the group adds in its place: it runs a `TwoSumsServer` that `tells` the sums
to those who stayed to the end, beside its own part as a client. It sees what a server sees, masked vectors
and both sums, and of its own vector what it had before. Everybody can check that the sums they are told are
possible, and nobody that they are right.

How numbers become integers is an `Encoding` (`contribution.Plan`, `row_steps.StepPlan`).
"""

import os
from collections.abc import Sequence
from typing import Any, Generic

import numpy as np

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import Client, State
from sottovoce.exchange.secure.contribution import Contribution, Encoding, Result, needed
from sottovoce.exchange.secure.envelope import Envelope, Kind, from_server, opened, size
from sottovoce.exchange.secure.fixed_point import UNSIGNED
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.messages import Announcement
from sottovoce.exchange.secure.primitives import Identity, RandomBytes, digest
from sottovoce.exchange.secure.server import Event, Phase, Send, Server, Sum, Summed
from sottovoce.plural import count


def _check(plan: Encoding[Any], group: Group) -> None:
    if group.sums != 2:
        raise MessageError(f"A round of counts and rows has 2 sums, and the group is for {group.sums}.")
    if not 1 <= plan.k <= group.threshold:
        raise MessageError(
            f"Rows of at least {plan.k} people cannot be had where {group.threshold} may be left.",
            "Take a larger group, or a smaller k.",
        )
    plan.check_fits(len(group))


def _first(plan: Encoding[Any], model: bytes) -> bytes:
    """What the first sum is about: the plan and the model."""
    return digest(b"counts", plan.hash, model)


def _second(plan: Encoding[Any], model: bytes, body: bytes) -> bytes:
    """What the second sum is about: the plan, the model and the announcement."""
    return digest(b"rows", plan.hash, model, body)


class TwoSumsClient(Generic[Result]):
    """One participant of a round: `start`, then `receive` what comes, and `offer` when it is `READY`."""

    def __init__(
        self,
        plan: Encoding[Result],
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
        self.result: Result | None = None
        """Both sums, where somebody who `tells` them adds, once they have come."""
        self.changed = False
        """Whether what was offered could not be sent as it is, and was clipped or became zeros."""
        self._mine: Contribution | None = None
        self._announced: Announcement | None = None
        self._first: tuple[int, ...] = ()

    @property
    def state(self) -> State:
        return self.session.state

    @property
    def largest(self) -> int:
        """The length in bytes of the longest message that it accepts."""
        bodies = self.plan.announcement_size(self.plan.items), _sums_size(self.plan, self.plan.items)
        return max(self.session.largest, *(size(body, signed=False) for body in bodies))

    def start(self) -> bytes:
        """Advertise keys."""
        return self.session.start()

    def offer(self, mine: Contribution) -> bytes:
        """Send the first masked vector. The rows are kept until the announcement comes.

        Numbers that do not fit are made to (`Encoding.fitted`), and `changed` then says so to the person
        here. Nobody else learns of it: a refusal would tell the server what the person has.
        """
        if self._mine is not None:
            raise MessageError("A contribution is offered once.")
        plan, given = self.plan, mine
        mine = plan.fitted(given, len(self.group))
        vector = plan.first_vector(mine, len(self.group))
        message = self.session.mask(vector, _first(plan, self._model), plan.first_wide)
        self._mine, self.changed = mine, mine is not given
        return message

    def receive(self, data: bytes) -> bytes:
        """Take a message of the server; the answer to send back, which may be empty."""
        message = opened(data)
        if message.kind is Kind.SUMS:
            return self._told(message)
        if message.kind is not Kind.ANNOUNCEMENT:
            return self.session.receive(data)
        if self._mine is None or self.state is not State.READY:
            raise MessageError(
                "An announcement came out of turn.", f"This client waits for {self.state.value}."
            )
        if message.about != self.session.session:
            raise MessageError("The announcement belongs to another session.")
        plan, self._first = self.plan, self.session.survivors
        announced = plan.unpack(message.body, len(self._first), self.group.threshold)
        self._refuse(announced)
        vector, wide = plan.second_vector(self._mine, announced, len(self.group)), len(announced.items)
        answer = self.session.mask(vector, _second(plan, self._model, message.body), plan.second_wide(wide))
        self._announced = announced
        return answer

    def _told(self, message: Envelope) -> bytes:
        """Take both sums of whoever added them."""
        if self._announced is None or self.state is not State.DONE or self.result is not None:
            raise MessageError("Sums came out of turn.", f"This client waits for {self.state.value}.")
        if message.about != self.session.session:
            raise MessageError("The sums belong to another session.")
        plan, rows = self.plan, len(self._announced.items)
        if len(message.body) != _sums_size(plan, rows):
            raise MessageError(f"Sums of {rows} rows do not have {len(message.body)} bytes.")
        vector = np.frombuffer(message.body, f"<u{plan.bits // 8}").astype(UNSIGNED[plan.bits])
        people = self._first, self.session.survivors
        self.result = plan.result(self._announced, vector, len(self.group), people)
        return b""

    def _refuse(self, announced: Announcement) -> None:
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


class TwoSumsServer(Generic[Result]):
    """The server of a round: as `Server`, but what comes at the end is a `Result` of the encoding.

    With `tells`, the sums also go to everybody who stayed.
    """

    def __init__(self, plan: Encoding[Result], group: Group, model: bytes = b"", tells: bool = False) -> None:
        """`model` is what it gave to everybody."""
        _check(plan, group)
        self.plan, self.group, self._model, self._tells = plan, group, model, tells
        first = Sum(plan.bits, plan.first_length, _first(plan, model), plan.first_wide)
        self.session = Server(group, first)
        self._first: Summed | None = None
        self._announced: Announcement | None = None

    @property
    def phase(self) -> Phase:
        return self.session.phase

    @property
    def largest(self) -> int:
        """The length in bytes of the longest message that it accepts now."""
        return self.session.largest

    def receive(self, data: bytes) -> list[Event | Result]:
        """Take a message of a client."""
        return self._next(self.session.receive(data))

    def timeout(self) -> list[Event | Result]:
        """End a phase with those who have answered."""
        return self._next(self.session.timeout())

    def _next(self, events: list[Event]) -> list[Event | Result]:
        following: list[Event | Result] = []
        for event in events:
            if not isinstance(event, Summed):
                following.append(event)
            elif self._first is None or self._announced is None:
                following += self._announce(event)
            else:
                people = self._first.survivors, event.survivors
                try:
                    found = self.plan.result(self._announced, event.vector, len(self.group), people)
                except MessageError as error:
                    return [*self.session.fail(str(error))]
                following.append(found)
                following += self._tell(event) if self._tells else []
        return following

    def _announce(self, summed: Summed) -> list[Event]:
        plan, threshold = self.plan, self.group.threshold
        try:
            announced = plan.announcement(summed.vector, len(summed.survivors), threshold, len(self.group))
        except MessageError as error:
            return self.session.fail(str(error))
        body, rows = plan.pack(announced), len(announced.items)
        self._first, self._announced = summed, announced
        about = _second(plan, self._model, body)
        self.session.begin(Sum(plan.bits, plan.second_length(rows), about, plan.second_wide(rows)))
        return self._to_present(Kind.ANNOUNCEMENT, body)

    def _tell(self, summed: Summed) -> list[Event]:
        return self._to_present(Kind.SUMS, summed.vector.astype(f"<u{self.plan.bits // 8}").tobytes())

    def _to_present(self, kind: Kind, body: bytes) -> list[Event]:
        message = from_server(kind, self.session.session, body)
        return [Send(who, message) for who in self.session.present]


def _sums_size(plan: Encoding[Any], rows: int) -> int:
    """Bytes of the body of a message that tells the second sum."""
    return int(plan.second_length(rows)) * plan.bits // 8
