"""What C.2 of Perifanis and Efraimidis 2022 claims, attacked. The package's docstring says what holds.

Every attack is written once and aimed at a group that it must fail against and one that it must succeed
against.
"""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import letters, packing, spread
from sottovoce.exchange.homomorphic.paillier_format import decode_public, decode_vector, encode_vector
from sottovoce.exchange.homomorphic.participant import Participant
from sottovoce.exchange.homomorphic.plan import Change, Model, Plan
from sottovoce.exchange.homomorphic.scheme import Holder
from sottovoce.exchange.homomorphic.server import Server
from tests.exchange.homomorphic.groups import PACKED, SCHEMES, SINGLE, WEAK, change, group, play, start

PLAN = Plan(30, 2, 3, 5)
EVERYBODY = range(4)


def parts(data: bytes, server: Server, scheme: str) -> tuple[bytes, ...]:
    """The four vectors of a contribution, as the server has them."""
    limits = letters.limits(PLAN.sums, SCHEMES[scheme])
    return letters.decode(data, letters.CONTRIBUTION, server._agreed, limits).parts


def changes(seed: int) -> dict[int, Change]:
    rng = np.random.default_rng(seed)
    return {number: change(rng, PLAN) for number in EVERYBODY}


def guess(public: bytes, counts: bytes) -> set[int]:
    """Items of a person, found by encrypting the guess "changed" without a random mask and comparing."""
    key, form = decode_public(public, WEAK), PLAN.sums[1].fixed
    (yes,) = key.cover(packing.pack(np.array([1]), form.bits, 1, key.n), [1])
    found = decode_vector(counts, key, PLAN.items)
    return {item for item, ciphertext in enumerate(found) if ciphertext == yes}


def test_fresh_masks_stop_a_server_that_encrypts_guesses() -> None:
    """One value per ciphertext, with masks and without: every item is found, or none."""
    server, participants = group(PLAN, SINGLE, 4)
    server.start(start(np.random.default_rng(0), PLAN))
    truth = changes(1)
    public = participants[0].keys.public
    _, sent = play(server, participants, truth)
    for number, one in truth.items():
        assert guess(public, parts(sent[number], server, "single")[1]) == set()
        key, form = decode_public(public, WEAK), PLAN.sums[1].fixed
        counts = form.encode(PLAN.vectors(one)[1])
        bare = key.cover(packing.pack(counts, form.bits, 1, key.n), [1] * PLAN.items)
        assert guess(public, encode_vector(key, bare)) == set(one.ids.tolist())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_messages_have_one_length_and_never_repeat(scheme: str) -> None:
    """Whatever a person did, the server sees as many bytes; and the same change twice is not recognised."""
    server, participants = group(PLAN, SCHEMES[scheme], 4)
    server.start(start(np.random.default_rng(0), PLAN))
    idle = Change(np.empty(0, np.int64), np.empty((0, 2)), np.zeros(3), 0)
    busy = Change(np.arange(30), np.ones((30, 2)), np.ones(3), 999)
    _, sent = play(server, participants, {0: idle, 1: busy, 2: busy})
    lengths = [[len(part) for part in parts(data, server, scheme)] for data in sent.values()]
    if scheme == "ckks":  # TenSEAL compresses what looks random, give or take some bytes
        assert np.ptp(lengths, axis=0).max() < 64
    else:
        assert lengths[0] == lengths[1] == lengths[2]
    for one, other in zip(*(parts(sent[n], server, scheme) for n in (1, 2)), strict=True):
        assert one[-64:] != other[-64:]


def read_all(
    keys: Holder, server: Server, sent: dict[int, bytes], scheme: str
) -> dict[int, list[np.ndarray]]:
    """What everybody sent, decrypted with one participant's key."""
    return {
        number: [
            keys.open(data, part.numbers, part.fixed)
            for data, part in zip(parts(message, server, scheme), PLAN.sums, strict=True)
        ]
        for number, message in sent.items()
    }


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_participant_that_colludes_with_the_server_sees_everybodys_update(scheme: str) -> None:
    """The claim "an HBC adversary cannot link any update with a specific user" ends here."""
    server, participants = group(PLAN, SCHEMES[scheme], 5)
    server.start(start(np.random.default_rng(0), PLAN))
    truth = changes(2)
    _, sent = play(server, participants, truth)
    colluder = participants[4]  # took no part in the round at all
    for number, (rows, counts, head, totals) in read_all(colluder.keys, server, sent, scheme).items():
        one = truth[number]
        assert np.flatnonzero(counts).tolist() == one.ids.tolist(), "precision and recall 1"
        np.testing.assert_allclose(rows.reshape(30, 2)[one.ids], one.rows, atol=2.0**-25)
        np.testing.assert_allclose(head, one.head * one.instances, atol=2.0**-13)
        assert totals.tolist() == [one.instances, 1]
    with pytest.raises(MessageError, match="another key"):
        read_all(SCHEMES[scheme].make(), server, sent, scheme)


def test_groups_that_differ_by_one_person_show_that_person_to_a_participant() -> None:
    """Section 5.2's attack: closed to a server without keys, open to whoever may decrypt the sums."""
    server, participants = group(PLAN, PACKED, 5)
    server.start(Model(np.zeros((30, 2)), np.zeros(3)))
    truth = changes(3)
    curious, seen = participants[4], []
    for chosen in ((0, 1, 2, 3), (0, 1, 2)):
        play(server, participants, {number: truth[number] for number in chosen})
        data = server._sums  # what the next invitation holds, and so what the curious one gets
        keys = curious.keys
        seen.append([keys.open(d, part.numbers, part.fixed) for d, part in zip(data, PLAN.sums, strict=True)])
    difference = [before - after for before, after in zip(*seen, strict=True)]
    victim = truth[3]
    assert np.flatnonzero(difference[1]).tolist() == victim.ids.tolist()
    np.testing.assert_allclose(difference[0].reshape(30, 2)[victim.ids], victim.rows, atol=2.0**-24)
    assert difference[3].tolist() == [victim.instances, 1]


def test_a_row_with_one_contributor_is_shown_to_all_next_participants() -> None:
    """k-anonymity as claimed: the name is missing, the change is not."""
    server, participants = group(PLAN, PACKED, 4)
    base = start(np.random.default_rng(0), PLAN)
    server.start(base)
    truth = changes(4)
    play(server, participants, truth)
    server.open_round([0, 1])
    model = participants[0].join(server.invitation())
    counts = sum(PLAN.vectors(one)[1] for one in truth.values())
    alone = np.flatnonzero(counts == 1)
    assert len(alone) > 3
    for item in alone:
        (one,) = (c for c in truth.values() if item in c.ids)
        change_of_one = one.rows[list(one.ids).index(item)]
        np.testing.assert_allclose(model.rows[item] - base.rows[item], change_of_one, atol=2.0**-22)


def test_a_server_that_puts_its_own_key_into_the_roster_gets_the_secret_key() -> None:
    people, spy = [spread.identity() for _ in range(3)], spread.identity()
    roster = {number: person.public for number, person in enumerate(people)}
    forged = roster | {2: spy.public}

    def intercept(shown: dict[int, bytes]) -> bytes:
        maker = Participant(0, people[0], shown, PLAN, PACKED)
        maker.make_keys()
        limit = [PACKED.longest_keys() + spread.OVERHEAD]
        agreed = letters.settings(PLAN, PACKED)
        carried = letters.decode(maker.wrapped_key(2), letters.WRAPPED_KEY, agreed, limit).parts[0]
        return spread.unwrap(carried, spy, 2, 0, forged)

    assert PACKED.holder(intercept(forged)), "the maker was shown a forged roster"
    assert spread.fingerprint(forged) != spread.fingerprint(roster), "which people can see"
    with pytest.raises(MessageError, match="was not encrypted by"):
        intercept(roster)


def test_a_server_that_adds_one_contribution_twice_shows_it_to_participants() -> None:
    """Ciphertexts are not proven: a sum that claims two contributors can be one person's change, twice."""
    server, participants = group(PLAN, PACKED, 4)
    base = start(np.random.default_rng(0), PLAN)
    server.start(base)
    truth = changes(3)
    _, sent = play(server, participants, truth)
    adder, copies = server._key(), (server._parse(parts(sent[1], server, "packed"), PLAN.sums) for _ in "ab")
    server._sums = tuple(adder.write(adder.add(*pair)) for pair in zip(*copies, strict=True))
    server.open_round([0, 2])
    model = participants[0].join(server.invitation())
    found = (model.rows - base.rows)[truth[1].ids]
    np.testing.assert_allclose(found, truth[1].rows, atol=2.0**-22)
