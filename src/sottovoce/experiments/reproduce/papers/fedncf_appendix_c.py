"""Appendix C of Perifanis and Efraimidis (2022), attacked: what homomorphic sums show to whom.

Rounds run with the real participants and the real server, with Paillier at 512 bits: the length of the key
does not matter to these attacks, which do not break it. Figures are shares, as in `fedncf_section_5`.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import letters, packing, spread
from sottovoce.exchange.homomorphic.paillier import PublicKey
from sottovoce.exchange.homomorphic.paillier_format import decode_public, decode_vector, encode_vector
from sottovoce.exchange.homomorphic.paillier_scheme import Paillier
from sottovoce.exchange.homomorphic.participant import Participant
from sottovoce.exchange.homomorphic.plan import Change, Model, Plan
from sottovoce.exchange.homomorphic.scheme import Holder
from sottovoce.exchange.homomorphic.server import Server
from sottovoce.experiments.reproduce.papers import measurement

BITS = 512
PACKED, SINGLE = Paillier(BITS, packed=True, weak=True), Paillier(BITS, packed=False, weak=True)
PLAN = Plan(items=30, width=2, head=3, clients=5)
PEOPLE, VICTIM = 4, 3
ROWS, COUNTS, _, TOTALS = range(4)
"""The vectors of a contribution."""

Figures = dict[str, float]
Attack = Callable[[np.random.Generator, bool], Figures]


@measurement("fedncf_appendix_c.attack")
def attack(seed: int, *, attack: str, helped: bool = False) -> Figures:
    """Run an attack, by an attacker alone or one that is helped, as the attack needs it."""
    return ATTACKS[attack](np.random.default_rng(seed), helped)


def encrypted_guesses(rng: np.random.Generator, helped: bool) -> Figures:
    """The server encrypts "changed" itself and compares; ciphertexts without fresh randomness help it."""
    server, participants = _group(SINGLE)
    changes = _changes(rng)
    sent = _play(server, participants, changes)
    key, form = decode_public(participants[0].keys.public, BITS), PLAN.sums[COUNTS].fixed
    figures = []
    for who, change in changes.items():
        counts = _parts(sent[who], server, SINGLE)[COUNTS]
        if helped:
            plain = packing.pack(form.encode(PLAN.vectors(change)[COUNTS]), form.bits, 1, key.n)
            counts = encode_vector(key, key.cover(plain, [1] * PLAN.items))
        figures.append(_found(_guessed(key, decode_vector(counts, key, PLAN.items)), change))
    return _mean(figures)


def lengths(rng: np.random.Generator, helped: bool) -> Figures:
    """How much longer the contribution of somebody who changed everything is than that of one who did not."""
    server, participants = _group(PACKED)
    idle = Change(np.empty(0, np.int64), np.empty((0, 2)), np.zeros(3), 0)
    busy = Change(np.arange(PLAN.items), rng.normal(size=(PLAN.items, 2)), rng.normal(size=3), 999)
    sent = _play(server, participants, {0: idle, 1: busy})
    return {"longer": len(sent[1]) / len(sent[0]) - 1}


def secret_key(rng: np.random.Generator, helped: bool) -> Figures:
    """The server reads everybody's contribution with the key of a participant outside the round."""
    server, participants = _group(PACKED, PEOPLE + 1)
    changes = _changes(rng)
    sent = _play(server, participants, changes)
    keys, figures = participants[PEOPLE].keys, []
    for who, change in changes.items():
        counts = _opened(keys, _parts(sent[who], server, PACKED))[COUNTS]
        figures.append(_found(np.flatnonzero(counts), change))
    return _mean(figures)


def but_one(rng: np.random.Generator, helped: bool) -> Figures:
    """Two rounds whose groups differ by one person. Helped, the server has a participant who decrypts sums.

    Alone it divides the sums, which gives the encrypted difference, and compares that with its guesses.
    """
    scheme = PACKED if helped else SINGLE
    server, participants = _group(scheme, PEOPLE + 1)
    changes, seen = _changes(rng), []
    for chosen in (range(PEOPLE), [who for who in range(PEOPLE) if who != VICTIM]):
        _play(server, participants, {who: changes[who] for who in chosen})
        assert server._sums is not None
        seen.append(tuple(server._sums))
    curious = participants[PEOPLE].keys
    if helped:
        before, after = (_opened(curious, sums)[COUNTS] for sums in seen)
        return _found(np.flatnonzero(before - after), changes[VICTIM])
    key = decode_public(curious.public, BITS)
    first, second = (decode_vector(sums[COUNTS], key, PLAN.items) for sums in seen)
    square = int(key.n) ** 2
    divided = [int(a) * pow(int(b), -1, square) % square for a, b in zip(first, second, strict=True)]
    return _found(_guessed(key, divided), changes[VICTIM])


def rare_rows(rng: np.random.Generator, helped: bool) -> Figures:
    """Rows that one person changed: how many the next participants see as that person changed them."""
    server, participants = _group(PACKED)
    changes = _changes(rng)
    _play(server, participants, changes)
    server.open_round([0, 1])
    model = participants[0].join(server.invitation())
    who = {item: [c for c in changes.values() if item in c.ids] for item in range(PLAN.items)}
    alone = {item: found[0] for item, found in who.items() if len(found) == 1}
    shown = [
        np.allclose(model.rows[item], change.rows[change.ids == item][0], atol=2.0**-22)
        for item, change in alone.items()
    ]
    return {"rows of one person shown": float(np.mean(shown))}


def roster(rng: np.random.Generator, helped: bool) -> Figures:
    """The server carries the secret key between participants; helped, it forged the maker's roster."""
    people, spy = [spread.identity() for _ in range(3)], spread.identity()
    true = {number: person.public for number, person in enumerate(people)}
    forged = true | {2: spy.public}
    maker = Participant(0, people[0], forged if helped else true, PLAN, PACKED)
    maker.make_keys()
    limit, agreed = [PACKED.longest_keys() + spread.OVERHEAD], letters.settings(PLAN, PACKED)
    carried = letters.decode(maker.wrapped_key(2), letters.WRAPPED_KEY, agreed, limit).parts[0]
    try:
        got = PACKED.holder(spread.unwrap(carried, spy, 2, 0, forged)).public == maker.keys.public
    except MessageError:
        got = False
    noticed = spread.fingerprint(forged) != spread.fingerprint(true)
    return {"secret key read": float(got), "fingerprint differs": float(noticed)}


ATTACKS: dict[str, Attack] = {
    "encrypted guesses": encrypted_guesses,
    "lengths": lengths,
    "secret key": secret_key,
    "but one": but_one,
    "rare rows": rare_rows,
    "roster": roster,
}


def _group(scheme: Paillier, size: int = PEOPLE) -> tuple[Server, list[Participant]]:
    """A server with a model of zeros, and participants who all hold the keys that one of them made."""
    people = [spread.identity() for _ in range(size)]
    known = {number: person.public for number, person in enumerate(people)}
    participants = [Participant(n, person, known, PLAN, scheme) for n, person in enumerate(people)]
    server, maker = Server(PLAN, scheme), participants[spread.maker(known)]
    server.take_key(maker.make_keys())
    for participant in participants:
        if participant is not maker:
            participant.accept(maker.wrapped_key(participant.number))
    server.start(Model(np.zeros((PLAN.items, PLAN.width)), np.zeros(PLAN.head)))
    return server, participants


def _changes(rng: np.random.Generator) -> dict[int, Change]:
    """What everybody changed."""
    found = {}
    for who in range(PEOPLE):
        ids = np.flatnonzero(rng.random(PLAN.items) < 0.4)
        rows = rng.normal(size=(len(ids), PLAN.width)) * 0.3
        found[who] = Change(ids, rows, rng.normal(size=PLAN.head) * 0.3, int(rng.integers(1, 200)))
    return found


def _play(
    server: Server, participants: Sequence[Participant], changes: Mapping[int, Change]
) -> dict[int, bytes]:
    """A round in which these people send these changes: their messages."""
    server.open_round(list(changes))
    invitation, sent = server.invitation(), {}
    for who, change in changes.items():
        participants[who].join(invitation)
        sent[who] = participants[who].contribute(change)
        server.receive(who, sent[who])
    if server.keeper is not None:
        server.receive(server.keeper, participants[server.keeper].reference())
    server.close_round()
    return sent


def _parts(data: bytes, server: Server, scheme: Paillier) -> tuple[bytes, ...]:
    """The vectors of a contribution, as the server has them."""
    limits = letters.limits(PLAN.sums, scheme)
    return letters.decode(data, letters.CONTRIBUTION, server._agreed, limits).parts


def _opened(keys: Holder, parts: Sequence[bytes]) -> list[np.ndarray]:
    return [keys.open(data, part.numbers, part.fixed) for data, part in zip(parts, PLAN.sums, strict=True)]


def _guessed(key: PublicKey, ciphertexts: Sequence[int]) -> list[int]:
    """Items whose ciphertext is the one of 1 without randomness."""
    (yes,) = key.cover(packing.pack(np.array([1]), PLAN.sums[COUNTS].fixed.bits, 1, key.n), [1])
    return [item for item, ciphertext in enumerate(ciphertexts) if ciphertext == yes]


def _found(named: Sequence[int] | np.ndarray, change: Change) -> Figures:
    right = len(np.intersect1d(np.asarray(named, np.int64), change.ids))
    return {"found": right / len(change.ids), "rightly": right / len(named) if len(named) else 0.0}


def _mean(figures: Sequence[Figures]) -> Figures:
    return {name: float(np.mean([one[name] for one in figures])) for name in figures[0]}
