"""Section 5 of Perifanis and Efraimidis (2022), attacked: what the server, a participant and colluders learn.

Every attack runs whole rounds with the real clients and the real server. Where guards can stop it, it is run
as published and with guards. Figures are shares:

    found            of the victim's items, those that the attacker names
    rightly          of the items that the attacker names, those that are the victim's
    beyond guessing  `rightly` minus the share of a guess
    refused          of the people asked (other than the victim), those who refuse to take part or to sign
"""

from collections.abc import Callable, Collection
from math import comb

import numpy as np
from numpy.typing import NDArray

from sottovoce.exchange.secure import shamir
from sottovoce.exchange.secure.client import Client
from sottovoce.exchange.secure.contribution import Contribution
from sottovoce.exchange.secure.draw import Drawer, Drawn, DrawServer, Lottery
from sottovoce.exchange.secure.masks import masked, pair_key, self_key, signed
from sottovoce.exchange.secure.primitives import AgreementKey, repeatable
from sottovoce.exchange.secure.server import Phase, Send
from sottovoce.experiments.reproduce.papers import measurement
from sottovoce.experiments.reproduce.papers.fedncf_people import (
    NEGATIVES,
    PLAN,
    K,
    Person,
    Round,
    guarded,
    nobody,
    people,
    published,
    seen,
    trained,
    vector,
)

PEOPLE = 8
VICTIM = 2
DRAWS, CANDIDATES, DRAWN = 100, 10, 5

Figures = dict[str, float]
Held = dict[int, tuple[dict[int, NDArray[np.uint8]], dict[int, list[bytes]]]]
"""By participant: its shares of everybody's secrets, and what it agreed on with everybody."""
Attack = Callable[[np.random.Generator, bool, int], Figures]


@measurement("fedncf_section_5.attack")
def attack(seed: int, *, attack: str, guards: bool = False, number: int = 0) -> Figures:
    """Run an attack; `number` is of rounds, people or colluders, as the attack needs it."""
    return ATTACKS[attack](np.random.default_rng(seed), guards, number)


def plain(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """Section 4.3: without masks the server sees which rows a participant changed."""
    part = trained(rng, people(rng, 1, popular=False)[0], NEGATIVES)
    rows = np.zeros((PLAN.items, PLAN.width))
    rows[part.items] = part.rows  # what is sent is the whole matrix
    return _found(np.flatnonzero(rows.any(axis=1)), part.items)


def one_vector(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """The server names items by the numbers of each masked vector alone, as many as the person has."""
    members = people(rng, PEOPLE, popular=False)
    parts = [trained(rng, one, NEGATIVES) for one in members]
    round_ = published(members, parts)
    beyond, vectors = [], [vector(part, PEOPLE) for part in parts]
    for who, part in enumerate(parts):
        numbers = seen(round_, who)[: PLAN.items].view(np.int32).astype(np.int64)
        named = np.argsort(-numbers)[: len(part.items)]
        beyond.append(_found(named, part.items)["rightly"] - len(part.items) / PLAN.items)
    total = np.sum(vectors, axis=0, dtype=np.uint32)
    (summed,) = round_.outcome.sums
    return {
        "beyond guessing": float(np.mean(beyond)),
        "numbers of the sum that differ": float((getattr(summed, "vector", total + 1) != total).mean()),
    }


def counts(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """What the counts of a round tell about everybody: items that nobody has, and items that all have."""
    _, round_, parts = _round(rng, guards)
    assert round_.counts is not None
    truth = np.zeros((PEOPLE, PLAN.items), bool)
    for who, part in enumerate(parts):
        truth[who, part.items] = True
    cleared, named = round_.counts == 0, round_.counts == PEOPLE
    right = not truth[:, cleared].any() and truth[:, named].all()
    return {
        "known not to have": float(cleared.mean()),
        "known to have": float(named.mean()),
        "rightly": float(right),
    }


def rare_rows(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """Rows that one person changed: how many of them the server has, exactly as that person changed them."""
    _, round_, parts = _round(rng, guards)
    changes = {item: [part for part in parts if item in part.items] for item in range(PLAN.items)}
    alone = {item: who[0] for item, who in changes.items() if len(who) == 1}
    shown = [
        item
        for item, part in alone.items()
        if item in round_.rows
        and np.allclose(round_.rows[item], part.rows[part.items == item][0], atol=2.0**-PLAN.row_places)
    ]
    few = [item for item in round_.rows if 0 < len(changes[item]) < K]
    return {
        "rows of one person shown": len(shown) / len(alone),
        "rows of fewer than k shown": len(few) / sum(0 < len(who) < K for who in changes.values()),
    }


def but_one(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """Section 5.2: the same group again, except one person, whose part is the difference of the sums."""
    return _difference(rng, guards, pretended=False)


def pretended_dropout(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """The same group twice; the second time the server claims that one person's vector did not come."""
    return _difference(rng, guards, pretended=True)


def blurred(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """The same with new negatives in every round, over `number` pairs of rounds.

    The server knows how many items the victim likes from the instances, and names those whose mean counts
    differ most between rounds with the victim and rounds without.
    """
    members = people(rng, PEOPLE, popular=False)
    rest = [one for one in members if one is not members[VICTIM]]
    difference, instances = np.zeros(PLAN.items), 0.0
    for _ in range(number):
        for sign, group in ((1, members), (-1, rest)):
            round_ = published(group, [trained(rng, one, NEGATIVES) for one in group])
            assert round_.counts is not None
            difference += sign * round_.counts
            instances += sign * round_.instances
    likes = round(instances / number / (1 + NEGATIVES))
    liked = members[VICTIM].liked
    found = _found(np.argsort(-difference, kind="stable")[:likes], liked)
    return found | {"beyond guessing": found["rightly"] - len(liked) / PLAN.items}


def participant(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """A participant of a group of `number` compares the model before and after, and leaves out its own part.

    It sees averages, not counts: a row that is not what its own part would make of it was changed by others.
    """
    members = people(rng, number, popular=False)
    parts = [trained(rng, one, NEGATIVES) for one in members]
    round_ = guarded(members, parts) if guards else published(members, parts)
    refused = {"refused": len(round_.outcome.refused) / number}
    if round_.counts is None:
        return {"found": 0.0, "rightly": 0.0, "others' items known": 0.0} | refused
    own = np.zeros((PLAN.items, PLAN.width))
    own[parts[0].items] = parts[0].rows
    named = [
        item
        for item, total in round_.rows.items()
        if np.abs(total / max(1, round_.counts[item]) - own[item]).max() > 2.0 ** (2 - PLAN.row_places)
    ]
    others = np.unique(np.concatenate([part.items for part in parts[1:]]))
    known = _found(named, others)
    return _found(named, parts[1].items) | {"others' items known": known["found"]} | refused


def colluders(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """So many participants give the server all that they hold, to unmask one other's vector.

    Everybody's shares of the victim's seed are the server's by right, because the victim survives. The
    colluders add their shares of its mask key, and the secrets that they agreed on with it.
    """
    members = people(rng, PEOPLE, popular=False)
    parts = [trained(rng, one, NEGATIVES) for one in members]
    held: Held = {}

    def keep(client: Client) -> None:
        """Clients forget their secrets at the end, so colluders copy them before."""
        held[client.me] = dict(client._shares), dict(client._agreed)

    round_ = published(members, parts, watch=keep)
    helpers = [who for who in range(PEOPLE) if who != VICTIM][:number]
    found = _unmasked(round_, helpers, held)
    return _found(np.flatnonzero(found[: PLAN.items] == 1), parts[VICTIM].items)


def drawn_by_all(rng: np.random.Generator, guards: bool, number: int) -> Figures:
    """How often a group that people draw differs from an earlier one by one person, as a server wants it."""
    members = people(rng, CANDIDATES)
    names = tuple(one.identity.public for one in members)
    earlier, wanted = set(names[:DRAWN]), 0
    for label in range(DRAWS):
        lottery = Lottery(names, DRAWN, label.to_bytes(2, "big"))
        wanted += len(set(_draw(lottery, members, rng)) - earlier) == 1
    groups = shares = 0
    for overlap in range(DRAWN + 1):  # of all groups, those with one other person
        ways = comb(DRAWN, overlap) * comb(CANDIDATES - DRAWN, DRAWN - overlap)
        groups, shares = groups + ways, shares + ways * (overlap == DRAWN - 1)
    share = wanted / DRAWS
    return {"wanted group": share, "beyond guessing": share - shares / groups}


ATTACKS: dict[str, Attack] = {
    "plain": plain,
    "one vector": one_vector,
    "counts": counts,
    "rare rows": rare_rows,
    "but one": but_one,
    "pretended dropout": pretended_dropout,
    "blurred": blurred,
    "participant": participant,
    "colluders": colluders,
    "draw": drawn_by_all,
}


def _found(named: Collection[int] | NDArray[np.int64], truth: NDArray[np.int64]) -> Figures:
    right = len(np.intersect1d(np.asarray(named), truth))
    return {"found": right / len(truth), "rightly": right / len(named) if len(named) else 0.0}


def _round(rng: np.random.Generator, guards: bool) -> tuple[list[Person], Round, list[Contribution]]:
    members = people(rng, PEOPLE)
    parts = [trained(rng, one) for one in members]
    round_ = guarded(members, parts) if guards else published(members, parts)
    return members, round_, parts


def _difference(rng: np.random.Generator, guards: bool, pretended: bool) -> Figures:
    """Two rounds whose sums differ by the victim alone; everybody trains alike in both."""
    members, first, parts = _round(rng, guards)
    others = [who for who in range(PEOPLE) if who != VICTIM]
    asked = range(PEOPLE) if pretended else others
    again, sent = [members[who] for who in asked], [parts[who] for who in asked]
    lost = (lambda who, phase: who == VICTIM and phase is Phase.MASKED) if pretended else nobody
    second = guarded(again, sent, lost) if guards else published(again, sent, lost)
    refused = len(second.outcome.refused) / len(others)
    if second.counts is None:
        return {"found": 0.0, "rightly": 0.0, "refused": refused}
    assert first.counts is not None
    found = _found(np.flatnonzero(first.counts - second.counts), parts[VICTIM].items)
    return found | {"refused": refused}


def _unmasked(
    round_: Round,
    helpers: list[int],
    held: Held,
) -> NDArray[np.uint32]:
    """The victim's vector, as far as the helpers can take its masks away."""
    everybody, server = list(held), round_.server
    assert server is not None
    threshold = round_.group.threshold
    (seed,) = shamir.join(
        np.array([held[who][0][VICTIM][1:2] for who in everybody[:threshold]]), everybody[:threshold]
    )
    (secret,) = shamir.join(np.array([held[who][0][VICTIM][:1] for who in helpers]), helpers)
    key, pairs = AgreementKey(secret), {}
    for who in (one for one in everybody if one != VICTIM):
        public = server._roster[who].masks[0]
        agreed = held[who][1][VICTIM][1] if who in helpers else key.agree(public)
        pairs[who] = pair_key(agreed, server.session, server._bound, VICTIM, who)
    added, subtracted = signed(VICTIM, pairs)
    own = self_key(seed, server.session, server._bound, VICTIM)
    return masked(seen(round_, VICTIM), subtracted, [own, *added])


def _draw(lottery: Lottery, members: list[Person], rng: np.random.Generator) -> tuple[bytes, ...]:
    """One draw by everybody."""
    server = DrawServer(lottery)
    drawers = [Drawer(lottery, one.identity, repeatable(rng.bytes(32))) for one in members]
    letters = [drawer.start() for drawer in drawers]
    while True:
        events = [event for letter in letters for event in server.receive(letter)]
        for event in events:
            if isinstance(event, Drawn):
                return event.group
        letters = [drawers[e.to].receive(e.data) for e in events if isinstance(e, Send)]
