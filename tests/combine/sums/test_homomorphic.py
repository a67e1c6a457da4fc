"""Sums of integers equal those of real ciphertexts, and bytes are those of real messages."""

from typing import Any

import numpy as np
import pytest

from sottovoce.combine.aggregate.change import Change as ByChange
from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.reptile import Reptile
from sottovoce.combine.sums.homomorphic import Homomorphic, plan, scheme
from sottovoce.combine.sums.interface import remarks
from sottovoce.combine.sums.plain import Plain
from sottovoce.errors import MessageError, RecipeError
from sottovoce.exchange.compression.interface import Chain
from sottovoce.exchange.homomorphic.ckks import CKKS
from sottovoce.exchange.homomorphic.plan import Change, Model
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.fedfast import FedFast
from tests.combine.sums.federations import aggregate, everybody, federation, updates
from tests.exchange.homomorphic.groups import PACKED, group, play

PEOPLE = 5


def changes(lines: dict[str, Any]) -> dict[int, Change]:
    """The lines of a record, as people encrypt them."""
    found = {}
    for n, person in enumerate(lines["sender"].tolist()):
        at = slice(lines["offset"][n], lines["offset"][n + 1])
        order = np.argsort(lines["ids"][at])
        rows, head = (part.astype(np.float64) for part in (lines["rows"][at][order], lines["head"][n]))
        found[person] = Change(lines["ids"][at][order].astype(np.int64), rows, head, int(lines["size"][n]))
    return found


@pytest.mark.parametrize(("real", "rounds"), [(CKKS(), 5), (PACKED, 1)], ids=["ckks", "paillier"])
def test_real_rounds_equal_the_integer_path(uncompiled, real, rounds):
    """Everybody trains what they decrypted; the other federation has no ciphertexts at all.

    Both add the same integers, so they differ by what is rounded: the real model to 2^-24, the simulated
    one to float32, whose weights here are below 1. Training then makes more of it, a little in each round.
    """
    sum = Homomorphic()
    encrypted, simulated = (federation(PEOPLE, sum) for _ in range(2))
    agreed, groups = plan(sum, encrypted.task), everybody(encrypted)
    server, people = group(agreed, real, PEOPLE)
    tables = encrypted.tables
    server.start(Model(tables.rows.astype(np.float64), tables.head[0].astype(np.float64)))
    start = tables.rows.copy()
    for _ in range(rounds):
        play(server, people, changes(updates(encrypted, groups)))
        aggregate(encrypted, groups), aggregate(simulated, groups)
        server.open_round(range(PEOPLE))
        model = people[0].join(server.invitation())
        server.cancel_round()
        np.testing.assert_allclose(tables.rows, model.rows, rtol=0, atol=2.0**-23)
        np.testing.assert_allclose(tables.head[0], model.head, rtol=0, atol=2.0**-23)
        tables.rows[:], tables.head[0] = model.rows, model.head
    assert np.abs(tables.rows - start).max() > 1e-3
    np.testing.assert_allclose(tables.rows, simulated.tables.rows, rtol=0, atol=rounds * 2.0**-21)
    np.testing.assert_allclose(tables.head, simulated.tables.head, rtol=0, atol=rounds * 2.0**-21)


def test_the_model_is_that_of_plain_sums(uncompiled):
    encrypted, plain = (federation(PEOPLE, sum) for sum in (Homomorphic(), Plain()))
    for one in (encrypted, plain):
        one.advance(1)
    np.testing.assert_allclose(encrypted.tables.rows, plain.tables.rows, rtol=0, atol=2.0**-22)
    np.testing.assert_allclose(encrypted.tables.head, plain.tables.head, rtol=0, atol=2.0**-10)
    np.testing.assert_array_equal(encrypted.tables.age, plain.tables.age)


@pytest.mark.parametrize("named", ["paillier", "ckks", "paillier-as-published"])
def test_bytes_are_those_of_real_messages(uncompiled, named):
    """Two rounds: keys, invitations, contributions, and the reference of the second round."""
    sum = Homomorphic(scheme=named, key_bits=1024)
    s = federation(PEOPLE, sum)
    agreed, real, sizes = plan(sum, s.task), scheme(sum), []
    server, people = group(agreed, real, PEOPLE)
    holder = next(one for one in people if one.number == 0)
    parcel = len(holder.wrapped_key(1))
    public = len(holder._letter(0, 0, holder.keys.public))
    sizes += [public] + [parcel] * 2 * (PEOPLE - 1)
    server.start(Model(s.tables.rows.astype(np.float64), s.tables.head[0].astype(np.float64)))
    for _ in range(2):
        sent = updates(s, everybody(s))
        server.open_round(range(PEOPLE))
        sizes += [len(server.invitation())] * PEOPLE
        server.cancel_round()
        sizes += [len(letter) for letter in play(server, people, changes(sent))[1].values()]
        s.advance(1)
    sizes.append(len(people[0].reference()))
    assert s.messages == len(sizes) == s.arrived
    if named == "ckks":
        assert s.bytes == pytest.approx(np.sum(sizes), rel=0.002)
    else:
        assert s.bytes == np.sum(sizes)


def test_too_few_contributions_are_no_sum(uncompiled):
    s = federation(PEOPLE, Homomorphic(fewest=4))
    before = s.tables.rows.copy()
    aggregate(s, everybody(s, (1, 2)))
    np.testing.assert_array_equal(s.tables.rows, before)
    aggregate(s, everybody(s, (1,)))
    assert (s.tables.rows != before).any()
    (told,) = remarks(s.sum, s.driver.state()["sum tally"])
    assert told.startswith("1 of 2 aggregations had no sum, because fewer than 4 people")


def test_a_number_above_the_limit_ends_the_run(uncompiled):
    s = federation(PEOPLE, Homomorphic(change=1e-6))
    with pytest.raises(RecipeError, match=r"the largest that cannot overflow.*protocol\.sum\.change"):
        s.advance(1)


def test_a_weight_above_the_limit_ends_the_run_as_it_ends_real_rounds(uncompiled):
    """The model of round 2 is too large: its reference cannot be encrypted, and the run ends there."""
    generous = Homomorphic()
    s = federation(PEOPLE, generous, seed=9)
    start = float(max(np.abs(s.tables.rows).max(), np.abs(s.tables.head).max()))
    sent = changes(updates(s, everybody(s)))
    s.advance(1)
    after = float(max(np.abs(s.tables.rows).max(), np.abs(s.tables.head).max()))
    assert after > start
    strict = generous._replace(weight=(start + after) / 2)
    simulated = federation(PEOPLE, strict, seed=9)
    server, people = group(plan(strict, simulated.task), PACKED, PEOPLE)
    tables = simulated.tables
    server.start(Model(tables.rows.astype(np.float64), tables.head[0].astype(np.float64)))
    play(server, people, sent)
    simulated.advance(1)
    server.open_round(range(PEOPLE))
    people[0].join(server.invitation())
    with pytest.raises(MessageError, match="is the largest"):
        people[0].reference()
    with pytest.raises(RecipeError, match=r"A weight of the model is .* the largest.*protocol\.sum\.weight"):
        simulated.advance(1)


def test_a_start_above_the_limit_is_refused(uncompiled):
    s = federation(PEOPLE, Homomorphic(weight=1e-6))
    with pytest.raises(RecipeError, match="A weight of the model is"):
        s.advance(1)


def test_a_server_sees_who_sends_and_nothing_else(uncompiled):
    from tests.simulate.test_observe import watching

    watch, seen = watching(server=True, first=1, last=1)
    federation(PEOPLE, Homomorphic(), observation=watch).advance(1)
    ((_, record),) = seen
    assert record["sender"].tolist() == list(range(PEOPLE))
    assert record["offset"].tolist() == [0] * (PEOPLE + 1)
    assert len(record["rows"]) == len(record["ids"]) == 0
    assert not record["head"].any()
    assert not record["size"].any()


@pytest.mark.parametrize(
    ("sum", "more", "problem"),
    [
        (Homomorphic(), {"protocol": Federated(participants=2, selection="useful")}, "'useful'"),
        (Homomorphic(), {"protocol": FedFast(participants=4, clusters=1)}, "people's own vectors"),
        (Homomorphic(), {"rule": ByChange()}, "weighs each row"),
        (Homomorphic(), {"rule": FedAvg()}, "mf-fedavg"),
        (Homomorphic(), {"rule": Reptile(step=0.5)}, "mf-fedavg"),
        (Homomorphic(), {"chain": Chain(bits=8)}, "would save nothing"),
        (Homomorphic(fewest=9), {}, "too small"),
        (Homomorphic(key_bits=1030), {}, "A key of 1030 bits is not possible"),
        (Homomorphic(change=2.0**40), {}, "is the most"),
        (Homomorphic(scheme="ckks", instances=2**33), {}, "cannot count"),
    ],
)
def test_what_cannot_be_encrypted_is_refused_with_a_reason(sum, more, problem):
    with pytest.raises(RecipeError, match=problem):
        federation(PEOPLE, sum, **more)
