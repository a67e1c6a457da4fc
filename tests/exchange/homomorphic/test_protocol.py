"""Participants and server together: the aggregate is that of plain MF-FedAvg."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import letters, spread
from sottovoce.exchange.homomorphic.participant import Participant
from sottovoce.exchange.homomorphic.plan import Change, Model, Plan
from sottovoce.exchange.homomorphic.server import Server
from tests.exchange.homomorphic.groups import PACKED, SCHEMES, change, group, mf_fedavg, play, start

PLAN = Plan(7, 2, 3, 5)
IDLE = Change(np.empty(0, np.int64), np.empty((0, 2)), np.zeros(3), 0)


@pytest.fixture(scope="module", params=SCHEMES)
def people(request: pytest.FixtureRequest) -> tuple[str, list[Participant]]:
    """Six who hold keys; each test makes a server of its own."""
    return request.param, group(PLAN, SCHEMES[request.param], 6)[1]


def fresh(scheme: str, participants: list[Participant], model: Model) -> Server:
    """A server with the public key of these participants, as if no round had been."""
    server = Server(PLAN, SCHEMES[scheme])
    key = participants[0]._letter(letters.PUBLIC_KEY, 0, participants[0].keys.public)
    server.take_key(key)
    server.start(model)
    for participant in participants:
        participant._round = 0
    return server


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32))
def test_rounds_equal_plain_mf_fedavg(people: tuple[str, list[Participant]], seed: int) -> None:
    """Three rounds of random groups, some of whom drop out; rows that nobody changes keep their values."""
    scheme, participants = people
    rng = np.random.default_rng(seed)
    model = start(rng, PLAN)
    server = fresh(scheme, participants, model)
    for number in range(1, 4):
        chosen = rng.permutation(6)[: rng.integers(2, 6)].tolist()
        sending = chosen[: rng.integers(2, len(chosen) + 1)]
        changes = {n: change(rng, PLAN) for n in sending}
        server.open_round(chosen)
        invitation = server.invitation()
        for n in chosen:
            found = participants[n].join(invitation)
            # Half a step of the grid for each round and for the start, and what rounding changes cost.
            tolerance = number * (2 * 2.0**-25) + 2.0**-25
            np.testing.assert_allclose(found.rows, model.rows, atol=tolerance)
            np.testing.assert_allclose(found.head, model.head, atol=number * 5 * 2.0**-13)
        for n in reversed(sending):
            server.receive(n, participants[n].contribute(changes[n]))
        for n in set(chosen) - set(sending):
            server.drop(n)
        if server.keeper is not None:
            server.receive(server.keeper, participants[server.keeper].reference())
        server.close_round()
        assert server.contributors == len(sending)
        model = mf_fedavg(model, list(changes.values()))


def test_sums_are_the_integer_sums_exactly(people: tuple[str, list[Participant]]) -> None:
    scheme, participants = people
    rng = np.random.default_rng(4)
    server = fresh(scheme, participants, start(rng, PLAN))
    changes = {n: change(rng, PLAN) for n in range(5)}
    play(server, participants, changes)
    vectors = zip(*map(PLAN.vectors, changes.values()), strict=True)
    for data, column, part in zip(server._sums, vectors, PLAN.sums, strict=True):
        opened = participants[5].keys.open(data, part.numbers, part.fixed)
        integers = sum(np.rint(one * 2.0**part.fixed.fraction) for one in column)
        np.testing.assert_array_equal(opened * 2.0**part.fixed.fraction, integers)


def test_what_nobody_changes_keeps_its_value_over_many_rounds(
    people: tuple[str, list[Participant]],
) -> None:
    """As published, those rows would be the sum of nothing, zero, after the first round."""
    scheme, participants = people
    model = start(np.random.default_rng(1), PLAN)
    server = fresh(scheme, participants, model)
    one = Change(np.array([3]), np.array([[0.5, -0.25]]), np.zeros(3), 10)
    for _ in range(5):
        found, _ = play(server, participants, {0: one, 1: IDLE})
    np.testing.assert_allclose(np.delete(found.rows, 3, 0), np.delete(model.rows, 3, 0), atol=2.0**-25)
    np.testing.assert_allclose(found.rows[3] - model.rows[3], [4 * 0.5, 4 * -0.25], atol=2.0**-24)
    np.testing.assert_allclose(found.head, model.head, atol=2.0**-25)


@pytest.fixture
def small() -> tuple[Server, list[Participant]]:
    """A group after its first round."""
    server, participants = group(PLAN, PACKED, 4)
    server.start(Model(np.zeros((7, 2)), np.zeros(3)))
    play(server, participants, {0: IDLE, 1: IDLE})
    return server, participants


def test_another_is_asked_for_the_reference_if_the_keeper_drops_out(
    small: tuple[Server, list[Participant]],
) -> None:
    server, participants = small
    server.open_round([2, 0, 3])
    for n in (2, 0, 3):
        participants[n].join(server.invitation())
        server.receive(n, participants[n].contribute(IDLE))
    assert server.keeper == 2
    with pytest.raises(MessageError, match="participant 2 is asked"):
        server.close_round()
    with pytest.raises(MessageError, match="not asked for"):
        server.receive(0, participants[0].reference())
    server.drop(2)
    assert server.keeper == 0
    server.receive(0, participants[0].reference())
    assert server.keeper is None
    server.close_round()
    assert server.contributors == 3


def test_a_round_of_too_few_is_not_summed(small: tuple[Server, list[Participant]]) -> None:
    server, participants = small
    server.open_round([0, 1])
    before = participants[0].join(server.invitation())
    server.receive(0, participants[0].contribute(Change(np.array([1]), np.ones((1, 2)), np.ones(3), 3)))
    server.drop(1)
    with pytest.raises(MessageError, match="1 participants contributed, and 2"):
        server.close_round()
    server.cancel_round()
    server.open_round([1, 2])
    np.testing.assert_array_equal(participants[1].join(server.invitation()).rows, before.rows)


def test_messages_count_once_and_in_their_round(small: tuple[Server, list[Participant]]) -> None:
    server, participants = small
    server.open_round([0, 1, 2])
    invitation = server.invitation()
    for n in (0, 1):
        participants[n].join(invitation)
    letter = participants[0].contribute(IDLE)
    server.receive(0, letter)
    with pytest.raises(MessageError, match="No contribution of participant 0 is awaited"):
        server.receive(0, letter)
    with pytest.raises(MessageError, match="Participant 1 sent a message of participant 0"):
        server.receive(1, letter)
    participants[3].join(invitation)
    with pytest.raises(MessageError, match="No contribution of participant 3 is awaited"):
        server.receive(3, participants[3].contribute(IDLE))
    with pytest.raises(MessageError, match="was in round 2"):
        participants[0].join(invitation)
    server.receive(1, participants[1].contribute(IDLE))
    server.receive(0, participants[0].reference())
    server.close_round()
    server.open_round([0, 1])
    with pytest.raises(MessageError, match="for round 2, and this is round 3"):
        server.receive(0, letter)


def test_a_bad_vector_leaves_no_half_contribution(small: tuple[Server, list[Participant]]) -> None:
    server, participants = small
    server.open_round([0, 1])
    for n in (0, 1):
        participants[n].join(server.invitation())
    good = letters.decode(
        participants[0].contribute(Change(np.array([1]), np.ones((1, 2)), np.ones(3), 3)),
        letters.CONTRIBUTION,
        server._agreed,
        letters.limits(PLAN.sums, PACKED),
    )
    for at in range(4):
        parts = list(good.parts)
        parts[at] = parts[at][:-128] + bytes(128)
        with pytest.raises(MessageError):
            server.receive(0, letters.encode(good._replace(parts=tuple(parts)), server._agreed))
    assert server.contributors == 0
    for n in (0, 1):
        server.receive(n, participants[n].contribute(IDLE))
    server.receive(0, participants[0].reference())
    server.close_round()
    server.open_round([2, 3])
    assert not participants[2].join(server.invitation()).rows.any()


@pytest.mark.parametrize(
    ("bad", "moved"),
    [
        (Change(np.array([1]), np.array([[np.nan, 0.5]]), np.ones(3), 1), (0.0, 0.0)),
        (Change(np.array([1]), np.array([[0.0, 4.01]]), np.zeros(3), 1), (0.0, 4.0)),
        (Change(np.array([1]), np.ones((1, 2)), np.array([np.inf, 0.0, 0.0]), 1), (0.0, 0.0)),
        (Change(np.array([1]), np.ones((1, 2)), np.array([np.nan, 0.0, 0.0]), 0), (0.0, 0.0)),
        (Change(np.array([1]), np.ones((1, 2)), np.zeros(3), 2**20), (1.0, 1.0)),
    ],
)
def test_whether_a_participant_answers_does_not_depend_on_its_data(
    small: tuple[Server, list[Participant]], bad: Change, moved: tuple[float, float]
) -> None:
    """What does not fit is clipped, or zeros, and spoils no sum; only the participant knows of it."""
    server, participants = small
    before, _ = play(server, participants, {0: bad, 1: IDLE})
    assert (participants[0].changed, participants[1].changed) == (True, False)
    after, _ = play(server, participants, {0: IDLE, 1: IDLE})
    np.testing.assert_allclose(after.rows[1] - before.rows[1], moved, atol=1e-6)


def test_weights_that_grow_too_large_are_refused() -> None:
    plan = PLAN._replace(weight=1.0)
    server, participants = group(plan, PACKED, 2)
    server.start(Model(np.zeros((7, 2)), np.zeros(3)))
    one = Change(np.array([1]), np.full((1, 2), 3.0), np.zeros(3), 1)
    play(server, participants, {0: one, 1: one})
    server.open_round([0, 1])
    participants[0].join(server.invitation())
    with pytest.raises(MessageError, match="1 is the largest"):
        participants[0].reference()


def test_what_comes_too_early_or_twice_is_refused() -> None:
    people = [spread.identity() for _ in range(2)]
    roster = {n: one.public for n, one in enumerate(people)}
    one, other = (Participant(n, people[n], roster, PLAN, PACKED) for n in range(2))
    server = Server(PLAN, PACKED)
    with pytest.raises(MessageError, match="no public key yet"):
        server.start(Model(np.zeros((7, 2)), np.zeros(3)))
    for call, problem in (
        (lambda: one.wrapped_key(1), "no keys yet"),
        (lambda: server.open_round([0, 1]), "cannot begin now"),
        (server.invitation, "No round is open"),
    ):
        with pytest.raises(MessageError, match=problem):
            call()
    key = one.make_keys()
    other.accept(one.wrapped_key(1))
    server.take_key(key)
    for call, problem in (
        (one.make_keys, "has keys already"),
        (lambda: other.accept(one.wrapped_key(1)), "has keys already"),
        (lambda: server.take_key(key), "has a public key already"),
        (lambda: one.contribute(IDLE), "has not joined a round"),
    ):
        with pytest.raises(MessageError, match=problem):
            call()
    server.start(Model(np.zeros((7, 2)), np.zeros(3)))
    for chosen in ([0], [0, 0], list(range(6))):
        with pytest.raises(MessageError, match="2 to 5 different ones"):
            server.open_round(chosen)
    with pytest.raises(MessageError, match="does not hold the public key"):
        Participant(0, people[1], roster, PLAN, PACKED)


def test_everybody_needs_the_same_plan_and_scheme() -> None:
    people = [spread.identity() for _ in range(2)]
    roster = {n: one.public for n, one in enumerate(people)}
    maker = Participant(0, people[0], roster, PLAN, PACKED)
    key, wrapped = maker.make_keys(), maker.wrapped_key(1)
    other = PLAN._replace(change=8.0)
    with pytest.raises(MessageError, match="another plan or scheme"):
        Server(other, PACKED).take_key(key)
    with pytest.raises(MessageError, match="another plan or scheme"):
        Participant(1, people[1], roster, other, PACKED).accept(wrapped)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_everywhere(data: bytes) -> None:
    people = [spread.identity() for _ in range(2)]
    roster = {n: one.public for n, one in enumerate(people)}
    newcomer, server = Participant(0, people[0], roster, PLAN, PACKED), Server(PLAN, PACKED)
    for read in (newcomer.accept, server.take_key):
        with pytest.raises(MessageError):
            read(data)
    for kind, count in itertools.product(range(5), (1, 2)):
        letter = letters.encode(letters.Letter(kind, 0, 1, (data,) * count), newcomer._agreed)
        for read in (newcomer.accept, server.take_key):
            with pytest.raises(MessageError):
                read(letter)


def test_ckks_with_a_fine_grid_refuses_no_round() -> None:
    """Sums are off by some steps there, and three rounds still average as plain MF-FedAvg does."""
    fine, scheme, rng = PLAN._replace(fraction=34), SCHEMES["ckks"], np.random.default_rng(5)
    off = scheme.error(fine.sums[0].fixed)
    assert off > 0
    server, participants = group(fine, scheme, 5)
    model = start(rng, fine)
    server.start(model)
    for _ in range(3):
        changes = {n: change(rng, fine) for n in range(3)}
        play(server, participants, changes)
        model = mf_fedavg(model, list(changes.values()))
    server.open_round(range(3))
    found = participants[0].join(server.invitation())
    of_base = scheme.error(fine.base[0].fixed)
    np.testing.assert_allclose(found.rows, model.rows, rtol=0, atol=3 * (off + of_base + 2) * 2.0**-34)
