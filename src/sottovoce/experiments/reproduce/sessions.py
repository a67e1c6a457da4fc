"""Sessions of masked sums in memory: the real clients and the real server, what each step costs, and what
the server sees."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import State
from sottovoce.exchange.secure.contribution import Aggregated
from sottovoce.exchange.secure.envelope import Kind, opened
from sottovoce.exchange.secure.server import Event, Failed, Phase, Send, Summed

T = TypeVar("T")

STEPS = {
    Kind.ROSTER: "agreements and shares",
    Kind.INBOX: "others' shares",
    Kind.SURVIVORS: "consistency",
    Kind.CONFIRMATIONS: "unmasking",
    Kind.ANNOUNCEMENT: "masking",
}
"""What a client does when a message of this kind comes."""

Offer = Callable[[int], bytes]
"""The masked vector of a participant, as a message."""


class AnyClient(Protocol):
    """`Client` or `TwoSumsClient`."""

    @property
    def state(self) -> State: ...
    def start(self) -> bytes: ...
    def receive(self, data: bytes) -> bytes: ...


class AnyServer(Protocol):
    """`Server` or `TwoSumsServer`."""

    @property
    def phase(self) -> Phase: ...
    def receive(self, data: bytes) -> Sequence[Event | Aggregated]: ...
    def timeout(self) -> Sequence[Event | Aggregated]: ...


class Outcome(NamedTuple):
    """What a session came to."""

    sums: list[Summed | Aggregated]
    failed: str | None
    """Why there is no sum."""
    refused: dict[int, str]
    """What clients refused, by participant."""
    spent: dict[str, dict[int, float]]
    """Milliseconds of CPU, by step and participant; the server's steps are participant −1."""
    masked: dict[int, bytes]
    """The last masked vector of each participant, as the server got it."""


class Clock:
    """Milliseconds of CPU, by step and participant."""

    def __init__(self) -> None:
        self.spent: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def __call__(self, step: str, who: int, function: Callable[[], T]) -> T:
        began = time.process_time()
        found = function()
        self.spent[step][who] += (time.process_time() - began) * 1e3
        return found


def play(
    server: AnyServer,
    clients: Sequence[AnyClient],
    offer: Offer,
    *,
    lost: Callable[[int, Phase], bool] = lambda who, phase: False,
    begin: Callable[[], bool] = lambda: False,
    clock: Clock | None = None,
) -> Outcome:
    """Play a session to its end.

    `offer` masks a participant's vector when it is its turn. A message for which `lost` is true never
    reaches the server. `begin` starts the next sum of a server that waits for it, if there is one.
    """
    clock, outcome = clock or Clock(), Outcome([], None, {}, {}, {})
    turns: dict[int, Callable[[], bytes]] = {
        who: partial(clock, "keys", who, client.start) for who, client in enumerate(clients)
    }
    while turns:
        phase, events = server.phase, list[Event | Aggregated]()
        for who, turn in turns.items():
            try:
                letter = turn()
            except MessageError as refusal:
                outcome.refused[who] = str(refusal)
                continue
            if lost(who, phase):
                continue
            if phase is Phase.MASKED:
                outcome.masked[who] = letter
            events += clock(f"server: {phase.value}", -1, partial(server.receive, letter))
        events = events or [*clock(f"server: {phase.value}", -1, server.timeout)]
        outcome.sums.extend(event for event in events if isinstance(event, Summed | Aggregated))
        failed = next((event.reason for event in events if isinstance(event, Failed)), None)
        if failed is not None:
            outcome = outcome._replace(failed=failed)
            break
        turns = {
            event.to: partial(_answer, clock, event, clients[event.to], offer)
            for event in events
            if isinstance(event, Send)
        }
        if not turns and begin():
            ready = [who for who, client in enumerate(clients) if client.state is State.READY]
            turns = {who: partial(clock, "masking", who, partial(offer, who)) for who in ready}
    return outcome._replace(spent={step: dict(one) for step, one in clock.spent.items()})


def _answer(clock: Clock, event: Send, client: AnyClient, offer: Offer) -> bytes:
    """What a client sends back; one that has read its inbox masks its vector."""
    step = STEPS[opened(event.data).kind]
    reply = clock(step, event.to, partial(client.receive, event.data))
    return reply or clock("masking", event.to, partial(offer, event.to))
