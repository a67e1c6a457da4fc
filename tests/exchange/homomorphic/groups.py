"""Small groups of people with homomorphic sums, and MF-FedAvg in plain NumPy to compare them with."""

from collections.abc import Mapping, Sequence

import numpy as np

from sottovoce.exchange.homomorphic import spread
from sottovoce.exchange.homomorphic.ckks import CKKS
from sottovoce.exchange.homomorphic.paillier_scheme import Paillier
from sottovoce.exchange.homomorphic.participant import Participant
from sottovoce.exchange.homomorphic.plan import Change, Model, Plan
from sottovoce.exchange.homomorphic.scheme import Scheme
from sottovoce.exchange.homomorphic.server import Server

WEAK = 512  # bits; quick, and protects nothing
PACKED, SINGLE = Paillier(WEAK, packed=True, weak=True), Paillier(WEAK, packed=False, weak=True)
SCHEMES: dict[str, Scheme] = {"packed": PACKED, "single": SINGLE, "ckks": CKKS()}


def group(plan: Plan, scheme: Scheme, size: int) -> tuple[Server, list[Participant]]:
    """A server, and participants that all hold the keys that one of them made."""
    people = [spread.identity() for _ in range(size)]
    roster = {number: person.public for number, person in enumerate(people)}
    participants = [Participant(n, person, roster, plan, scheme) for n, person in enumerate(people)]
    server, maker = Server(plan, scheme), participants[spread.maker(roster)]
    server.take_key(maker.make_keys())
    for participant in participants:
        if participant is not maker:
            participant.accept(maker.wrapped_key(participant.number))
    return server, participants


def play(
    server: Server, participants: Sequence[Participant], changes: Mapping[int, Change]
) -> tuple[Model, dict[int, bytes]]:
    """A round in which these people send these changes: the model that they trained, and their messages."""
    server.open_round(list(changes))
    invitation, sent = server.invitation(), {}
    for number, change in changes.items():
        model = participants[number].join(invitation)
        sent[number] = participants[number].contribute(change)
        server.receive(number, sent[number])
    if server.keeper is not None:
        server.receive(server.keeper, participants[server.keeper].reference())
    server.close_round()
    return model, sent


def start(rng: np.random.Generator, plan: Plan) -> Model:
    """Any model."""
    return Model(rng.normal(size=(plan.items, plan.width)), rng.normal(size=plan.head))


def change(rng: np.random.Generator, plan: Plan) -> Change:
    """What a person who trained on some items changed."""
    ids = np.flatnonzero(rng.random(plan.items) < 0.4)
    rows = rng.normal(size=(len(ids), plan.width)) * 0.3
    return Change(ids, rows, rng.normal(size=plan.head) * 0.3, int(rng.integers(1, 200)))


def mf_fedavg(model: Model, changes: Sequence[Change]) -> Model:
    """Algorithm 1: mean rows of those who changed them, mean heads weighted by instances."""
    rows = model.rows.copy()
    for item in range(len(rows)):
        new = [model.rows[item] + c.rows[list(c.ids).index(item)] for c in changes if item in c.ids]
        if new:
            rows[item] = np.mean(new, axis=0)
    heads = [model.head + c.head for c in changes]
    return Model(rows, np.average(heads, axis=0, weights=[c.instances for c in changes]))
