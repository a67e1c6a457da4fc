"""Encrypted sums: the server adds what it cannot read, and participants decrypt the sum (MF-HEAvg).

Section 4.3 and Appendix C of Perifanis and Efraimidis 2022. Everybody holds the same keys, which one of them
makes and spreads before the first aggregation. A participant gets the encrypted model and the last sums,
trains, and sends its whole change encrypted: all rows, who changed them, the head times its instances, and
its instances. One of them also sends the model that it decrypted and averaged, so that a row which nobody
changed keeps its value. `exchange.homomorphic` is the protocol, and says what it protects from.

A simulation adds the integers that would be encrypted. Paillier's sums are exact. Those of CKKS are exact
where `error` in `exchange.homomorphic.ckks` is 0, and otherwise differ by so many steps of 2^−fraction. Real
participants round the model they average to 2^−fraction; a simulation keeps it in float32.

Rows are averaged over those who changed them and the head by instances, as MF-FedAvg does. Other rules are
refused. Ciphertexts hold every row of the catalogue, so compression would save nothing. Their bytes are
counted as they are on the wire: every aggregation takes the encrypted model and sums down to each
participant, and a whole encrypted update up.
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.combine.aggregate.interface import stride
from sottovoce.combine.sums import _refusals
from sottovoce.combine.sums._integers import AGGREGATIONS, FAILED, SENT, Integers, Sums, counted, happens
from sottovoce.combine.sums.interface import (
    Decrypted,
    Done,
    Task,
    check_task,
    compiled,
    decrypted,
    participants_decrypt,
    remarks,
    server_sees,
    tally,
    traffic,
    upload,
)
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.errors import MessageError, RecipeError
from sottovoce.exchange import codec
from sottovoce.plural import count
from sottovoce.registry import component
from sottovoce.state import Longs

if TYPE_CHECKING:
    from sottovoce.exchange.homomorphic.plan import Part, Plan
    from sottovoce.exchange.homomorphic.scheme import Scheme


@component("sum", "homomorphic")
class Homomorphic(NamedTuple):
    """A server adds encrypted updates, which participants decrypt."""

    scheme: Literal["paillier", "ckks", "paillier-as-published"] = "paillier"
    """How numbers are encrypted. `paillier`: many in a ciphertext. `paillier-as-published`: one in each, as
    Perifanis and Efraimidis did. `ckks`: thousands, approximately, and much faster."""
    key_bits: Annotated[int, Ge(1024), Le(4096)] = 3072
    """The length of a Paillier key, a multiple of 16; CKKS has parameters of its own."""
    fraction: Annotated[int, Ge(0), Le(60)] = 24
    """Binary places of a weight, and of a row's change."""
    head_fraction: Annotated[int, Ge(0), Le(60)] = 12
    """Binary places of a head's change times instances."""
    change: Annotated[float, Gt(0)] = 4.0
    """The largest change of a weight in one training. More needs more bits."""
    weight: Annotated[float, Gt(0)] = 64.0
    """The largest weight of the model."""
    instances: Annotated[int, Ge(1)] = 2**14
    """The most training instances of one person."""
    fewest: Annotated[int, Ge(2)] = 2
    """The fewest contributions that are summed."""


def plan(sum: Homomorphic, task: Task) -> "Plan":
    """What everybody agrees on."""
    from sottovoce.exchange.homomorphic.plan import Plan

    return Plan(
        items=task.items,
        width=task.row,
        head=task.head,
        clients=task.group,
        fewest=sum.fewest,
        fraction=sum.fraction,
        head_fraction=sum.head_fraction,
        change=sum.change,
        weight=sum.weight,
        instances=sum.instances,
    )


def scheme(sum: Homomorphic) -> "Scheme":
    """The scheme that a recipe names."""
    if sum.scheme == "ckks":
        from sottovoce.exchange.homomorphic.ckks import CKKS

        return CKKS()
    from sottovoce.exchange.homomorphic.paillier_scheme import Paillier

    return Paillier(sum.key_bits, packed=sum.scheme == "paillier")


@compiled.rule(Homomorphic)
def _compiled(sum: Homomorphic, task: Task) -> Integers:
    agreed = plan(sum, task)
    rows, _, head, totals = agreed.sums
    return Integers(
        row_scale=2.0**sum.fraction,
        head_scale=2.0**sum.head_fraction,
        row_most=rows.fixed.largest,
        head_most=head.fixed.largest,
        weight_most=totals.fixed.largest,
        model_most=agreed.base[0].fixed.largest,
        shared=False,
        share=0.0,
        least=sum.fewest,
        k=0,
    )


@check_task.rule(Homomorphic)
def _check_task(sum: Homomorphic, task: Task) -> None:
    from sottovoce.exchange.homomorphic.optional import needed
    from sottovoce.exchange.homomorphic.paillier import check_bits

    rule = task.rule
    _refusals.refuse(task, "homomorphic", "ciphertexts hold a number for every row of the catalogue")
    average = rule.over == "contributors" and _refusals.alike(rule) and _refusals.by_instances(rule)
    if not average or stride(rule) != 1:
        raise RecipeError(
            "Homomorphic sums average rows over those who changed them and the head by instances, and this "
            "aggregation does not.",
            'Set protocol.aggregate = "mf-fedavg".',
        )
    if not task.group:
        return
    if task.group < sum.fewest:
        raise RecipeError(
            f"A group of {count(task.group, 'person')} is too small: protocol.sum.fewest = {sum.fewest}.",
            "Let more people take part (protocol.participants).",
        )
    if sum.scheme == "ckks":
        needed("tenseal")  # whose ciphertexts are measured
    try:
        check_bits(sum.key_bits)
        plan(sum, task).check(scheme(sum))
    except MessageError as error:
        raise RecipeError(f"protocol.sum: {error.problem}", error.remedy) from None


@functools.cache
def ciphertexts(sum: Homomorphic, part: "Part") -> int:
    """Bytes of an encrypted vector. CKKS compresses, by which lengths vary a little: one is measured."""
    from sottovoce.exchange.homomorphic import ckks

    if sum.scheme == "ckks":
        return ckks.length(part.numbers)
    return scheme(sum).longest(part.numbers, part.fixed)


class Letters(NamedTuple):
    """Bytes of each kind of message."""

    public: int  # the public key
    secret: int  # the secret key, for one person
    first: int  # an invitation before there are sums
    later: int  # and afterwards
    contribution: int
    reference: int


def letters(sum: Homomorphic, task: Task) -> Letters:
    """The lengths of all messages between the people of a task and their server."""
    from sottovoce.exchange.homomorphic.letters import size
    from sottovoce.exchange.homomorphic.spread import OVERHEAD

    agreed, public, secret = plan(sum, task), *keys(sum)
    base, sums = ([ciphertexts(sum, part) for part in parts] for parts in (agreed.base, agreed.sums))
    return Letters(
        public=size([public]),
        secret=size([secret + OVERHEAD]),
        first=size(base),
        later=size([*base, *sums]),
        contribution=size(sums),
        reference=size(base),
    )


@functools.cache
def keys(sum: Homomorphic) -> tuple[int, int]:
    """Bytes of a public and of a secret key."""
    if sum.scheme == "ckks":
        made = scheme(sum).make()
        return len(made.public), len(made.secret)
    from sottovoce.exchange.homomorphic.paillier_format import key_sizes

    return key_sizes(sum.key_bits)


@traffic.rule(Homomorphic)
def _traffic(sum: Homomorphic, sums: Sums, task: Task, done: Done) -> tuple[int, int, int]:
    """Keys once; then an invitation to everybody asked, a contribution from everybody who trained, and from
    the second sum on the reference of one of them."""
    known, people = letters(sum, task), done.participants
    added = done.heard >= sum.fewest
    sums_before = sums.tally[AGGREGATIONS] - sums.tally[FAILED] - added.sum()
    later = sums_before + np.cumsum(added) - added > 0
    references = int((later & (done.heard > 0)).sum())
    # Who was asked is known for all aggregations together: invitations are shared out by participants.
    share = float(people[later].sum() / max(1, people.sum()))
    invited = round(done.asked * share)
    sent = invited * known.later + (done.asked - invited) * known.first
    sent += int(people.sum()) * known.contribution + references * known.reference
    messages = done.asked + int(people.sum()) + references
    arrived = int(people.sum()) + done.dropped + int(done.heard.sum()) + references
    if done.number == 0:
        parcels = 2 * (done.people - 1)  # to the server, and on to its receiver
        return messages + 1 + parcels, arrived + 1 + parcels, sent + known.public + parcels * known.secret
    return messages, arrived, sent


@upload.rule(Homomorphic)
def _upload(sum: Homomorphic, task: Task) -> float:
    """The encrypted update, and what an encrypted model and sums take more than a plain model."""
    known, model = letters(sum, task), codec.size(task.items, task.row, task.head, False)
    return (known.contribution + known.later - model) / model


@server_sees.rule(Homomorphic)
def _server_sees(
    sum: Homomorphic, task: Task, records: list[dict[str, Any]], participants: int, run: int
) -> list[dict[str, Any]]:
    """Who sent something, and when. Ciphertexts all have the same length, and tell nothing else."""
    hidden = []
    for record in records:
        empty = {name: record[name][:0] for name in ("ids", "rows", "age")}
        nothing = {name: np.zeros_like(record[name]) for name in ("offset", "size", "head")}
        hidden.append(record | empty | nothing)
    return hidden


@participants_decrypt.rule(Homomorphic)
def _participants_decrypt(sum: Homomorphic) -> bool:
    return True


@decrypted.rule(Homomorphic)
def _decrypted(sum: Homomorphic, sums: Sums, task: Task) -> Decrypted | None:
    if not happens(compiled(sum, task), sums):
        return None
    changed, rows = sums.changed[: sums.now[SENT]], np.zeros((task.items, task.row + 1), np.float32)
    rows[changed] = sums.rows[changed]
    head = (sums.head.sum(axis=0) / 2.0**sum.head_fraction).astype(np.float32)
    return Decrypted(rows, head, int(sums.total[:, 1].sum()))


tally.rule(Homomorphic)(counted)


@remarks.rule(Homomorphic)
def _remarks(sum: Homomorphic, tally: Longs) -> Sequence[str]:
    if not tally[FAILED]:
        return ()
    every = count(int(tally[AGGREGATIONS]), "aggregation")
    told = f"{tally[FAILED]:,} of {every} had no sum, because fewer than {sum.fewest} people contributed"
    return (f"{told}; the model stayed as it was.",)


@discloses.rule(Homomorphic)
def _discloses(component: Homomorphic) -> tuple[Disclosure, ...]:
    return (
        Disclosure(
            "encrypted updates",
            "the server",
            "Who takes part, and when. All participants hold the same secret key: one of them who gives it "
            "to the server lets it read every update, past ones included.",
        ),
        Disclosure(
            "the sums of a group's changes, of who changed which row, and of their instances",
            "the participants of the next aggregation",
            "The group as a whole. A row that one person changed is that person's change, without a name.",
        ),
    )
