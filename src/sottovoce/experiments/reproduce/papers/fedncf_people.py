"""People who take part in rounds of MF-SecAvg, as published or with guards, for attacks on it.

As published (Perifanis and Efraimidis 2022, Algorithm 2), counts, rows, head and instances are one masked
sum, and nobody looks at the group. With guards, counts are summed before rows (`two_sums`), and everybody
remembers who was in earlier sums (`guards`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import Client
from sottovoce.exchange.secure.contribution import Aggregated, Contribution, Plan, everything
from sottovoce.exchange.secure.envelope import opened
from sottovoce.exchange.secure.group import Group, group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.messages import unpack_masked
from sottovoce.exchange.secure.primitives import Identity, repeatable
from sottovoce.exchange.secure.server import Phase, Server, Sum, Summed
from sottovoce.exchange.secure.two_sums import TwoSumsClient, TwoSumsServer
from sottovoce.experiments.reproduce.sessions import Outcome, play

K = 3
PLAN = Plan(items=200, width=2, head=3, totals=1, k=K)
"""A row is sent with guards if it has at least K contributors, whoever drops out."""
NEGATIVES = 4

Lost = Callable[[int, Phase], bool]


def nobody(who: int, phase: Phase) -> bool:
    """No message is lost."""
    return False


@dataclass
class Person:
    """Somebody with liked items, and with a memory of earlier sums."""

    identity: Identity
    liked: NDArray[np.int64]
    guards: list[Guard] = field(default_factory=lambda: [Guard(K), Guard(K)])


class Round(NamedTuple):
    """What the server has after a round; without a sum it has no counts."""

    group: Group
    clients: list[Client]
    server: Server | None
    """None if the round did not begin."""
    outcome: Outcome
    counts: NDArray[np.int64] | None
    """[items]"""
    rows: dict[int, NDArray[np.float64]]
    """The sums of the rows that the server has, by item."""
    instances: int


def people(rng: np.random.Generator, count: int, popular: bool = True) -> list[Person]:
    """People in the order of their identities. Most like the first items, if these are popular."""
    chance = np.linspace(1, 0, PLAN.items) ** 4 if popular else np.full(PLAN.items, 0.04)
    made = [
        Person(Identity(rng.bytes(32)), np.flatnonzero(rng.random(PLAN.items) < chance)) for _ in range(count)
    ]
    return sorted(made, key=lambda person: person.identity.public)


def trained(rng: np.random.Generator, person: Person, negatives: int = 0) -> Contribution:
    """What a person's training changes: the rows of liked items, and of sampled negatives."""
    others = np.setdiff1d(np.arange(PLAN.items), person.liked)
    sampled = rng.choice(others, min(len(others), negatives * len(person.liked)), replace=False)
    items = np.sort(np.concatenate([person.liked, sampled]))
    rows = rng.normal(size=(len(items), PLAN.width)) * 0.1
    return Contribution(items, rows, rng.normal(size=PLAN.head), np.array([len(items)]))


def vector(part: Contribution, clients: int) -> NDArray[Any]:
    """All that a person sends as published, before masks: counts, instances, rows, head."""
    rows = PLAN.second_vector(part, everything(np.arange(PLAN.items)), clients)
    return np.concatenate([PLAN.first_vector(part, clients), rows])


def published(
    members: Sequence[Person],
    parts: Sequence[Contribution],
    lost: Lost = nobody,
    watch: Callable[[Client], None] = lambda client: None,
) -> Round:
    """A round as published: one sum of everything. `watch` sees each client that masks its vector."""
    every, length = _group(members, 1), len(vector(parts[0], len(parts)))
    clients = [Client(every, one.identity, (), _random(one)) for one in members]
    server = Server(every, Sum(PLAN.bits, length))
    vectors = [vector(part, len(parts)) for part in parts]

    def offer(who: int) -> bytes:
        watch(clients[who])
        return clients[who].mask(vectors[who])

    outcome = play(server, clients, offer, lost=lost)
    if not outcome.sums:
        return Round(every, clients, server, outcome, None, {}, 0)
    (summed,) = outcome.sums
    assert isinstance(summed, Summed)
    count, row, _ = PLAN.forms(len(parts))
    firsts, rest = np.split(summed.vector, [PLAN.first_length])
    sums = row.decode(rest[: PLAN.items * PLAN.width]).reshape(PLAN.items, PLAN.width)
    counts = count.integers(firsts)
    rows = dict(enumerate(sums))
    return Round(every, clients, server, outcome, counts[: PLAN.items], rows, int(counts[PLAN.items]))


def guarded(members: Sequence[Person], parts: Sequence[Contribution], lost: Lost = nobody) -> Round:
    """A round with two sums and guards. It ends at once if somebody refuses the group."""
    every, made, refused = _group(members, 2), [], {}
    for who, one in enumerate(members):
        try:
            made.append(TwoSumsClient(PLAN, every, one.identity, one.guards, _random(one)))
        except MessageError as refusal:
            refused[who] = str(refusal)
    if refused:
        return Round(every, [], None, Outcome([], None, refused, {}, {}), None, {}, 0)
    server = TwoSumsServer(PLAN, every)
    outcome = play(server, made, lambda who: made[who].offer(parts[who]), lost=lost)
    clients = [one.session for one in made]
    if not outcome.sums:
        return Round(every, clients, server.session, outcome, None, {}, 0)
    (summed,) = outcome.sums
    assert isinstance(summed, Aggregated)
    rows = dict(zip(summed.items.tolist(), summed.rows, strict=True))
    return Round(every, clients, server.session, outcome, summed.counts, rows, int(summed.totals[0]))


def seen(found: Round, who: int) -> NDArray[np.uint32]:
    """The masked vector of a participant, as the server has it."""
    body = opened(found.outcome.masked[who]).body
    return unpack_masked(body, PLAN.bits, PLAN.first_length + PLAN.second_length(PLAN.items)).vector


def _group(members: Sequence[Person], sums: int) -> Group:
    return group([one.identity.public for one in members], b"an attack", sums=sums)


def _random(person: Person) -> Callable[[int], bytes]:
    return repeatable(person.identity.public)
