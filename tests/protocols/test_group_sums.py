"""Sums of groups: real masked clients come to the numerators of compiled code, bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import State
from sottovoce.exchange.secure.envelope import Kind, from_server
from sottovoce.exchange.secure.messages import MASKED
from sottovoce.exchange.secure.ranges import LARGEST, PLACES
from sottovoce.exchange.secure.row_steps import TOLD, StepPlan
from sottovoce.exchange.secure.sizes import exchanged
from sottovoce.models.als import ALS
from sottovoce.node.group import part_of
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.group_sums import Groups, Masks, Unmasked, contribute
from sottovoce.protocols.push_sum import numerators
from tests.exchange.secure.parties import read
from tests.exchange.secure.test_two_sums import Round
from tests.models.test_als import ITEMS, PEOPLE, K, data
from tests.networks import simulate

FIRST, SECOND = 2, 5
"""The stages of a session at which masked vectors are sent."""


def network():
    """Everybody's contributions depend on what two sweeps have learnt."""
    s = simulate(
        ALS(factors=K), data(), protocol=Consensus(group=PEOPLE, fewest=1, spare=0), merge=MFFedAvg()
    )
    s.advance(2)
    return s


NETWORK = []


def contributed(masks, members, stays):
    """The numerators of a group of these members, and how many rows its sum has."""
    if not NETWORK:
        NETWORK.append(network())
    s = NETWORK[0]
    members = np.array(members, np.int32)
    masked, count = isinstance(masks, Masks), len(members)
    places = np.array([0] if masked else range(count), np.int32)
    ends = np.array([0, count])
    groups = Groups(
        ends, members, np.array(stays, np.int32), np.array([0, len(places)]), places, np.array([count])
    )
    row, head = s.driver.row - (not masked), s.driver.head
    sums, summed = numerators(len(places), ITEMS, row, head), np.zeros(1, np.int64)
    parts = s.model, s.merge, s.driver.steps, masks, s.tables, s.driver.slots, s.people, groups, s.seed
    contribute(*parts, *sums, summed, batch=PEOPLE)
    return sums, int(summed[0])


def contributions(plan, members):
    """What each of these people contributes, from sums of nobody else."""
    alone, _ = contributed(Unmasked(), members, [1] * len(members))
    made = []
    for n in range(len(members)):
        ids = np.flatnonzero(alone.rows[:, n, -1])
        made.append(plan.contribution(ids, alone.rows[ids, n], alone.head[n], len(members)))
    return made


class Group(Round):
    """A group whose members are told the sums; it counts messages."""

    def __init__(self, plan, parts, spare):
        super().__init__(plan, len(parts), len(parts) - spare, parts=parts, tells=True)
        self.messages, self.bytes = 0, 0

    def post(self, leaves=None, stage=0):
        self._count(list(self.letters.values()))  # that of somebody who leaves gets lost
        super().post(leaves, stage)
        self._count([one.data for one in self.sent])

    def _count(self, letters):
        self.messages += len(letters)
        self.bytes += sum(map(len, letters))


def plan_of(fewest, bits):
    return StepPlan(ITEMS, K + 1, network_head(), fewest, bits)


def network_head():
    if not NETWORK:
        NETWORK.append(network())
    return NETWORK[0].driver.head


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_masked_clients_come_to_the_same_numerators(draw):
    """Whoever leaves does so between the sums, as in the simulation."""
    members = draw.draw(st.lists(st.integers(0, PEOPLE - 1), min_size=4, max_size=9, unique=True))
    spare = draw.draw(st.integers(0, (len(members) - 1) // 2))
    fewest, bits = draw.draw(st.integers(1, 3)), draw.draw(st.sampled_from([16, 32, 64]))
    leaves = draw.draw(st.lists(st.sampled_from(range(len(members))), max_size=spare, unique=True))
    if fewest > len(members) - spare:
        fewest = len(members) - spare
    plan, masks = plan_of(fewest, bits), Masks(fewest, spare, 2 ** (bits - 1) - 1)
    stays = [n not in leaves for n in range(len(members))]
    expected, rows = contributed(masks, members, stays)
    one = Group(plan, contributions(plan, members), spare)
    one.run(dict.fromkeys(leaves, SECOND))
    if len(members) - spare < max(fewest, 2):
        assert one.failed is not None
        assert rows == 0
        return
    assert one.failed is None
    survivors = np.flatnonzero(stays)
    assert one.result.second == tuple(survivors)
    assert len(one.result.items) == rows
    for who in survivors:
        told = one.clients[who].result
        for found, wanted in zip(told, one.result, strict=True):
            assert np.array_equal(found, wanted)
    found = part_of(plan, one.result._replace(second=(0,)))  # all of it, as the one place of the group has
    np.testing.assert_array_equal(found.rows[:, 0], expected.rows[:, 0])
    np.testing.assert_array_equal(found.head[0], expected.head[0])
    foreseen = exchanged(
        plan, len(members), len(members), rows, len(members) - spare, len(survivors), tells=True
    )
    assert (foreseen.messages, foreseen.bytes) == (one.messages, one.bytes)
    assert foreseen.lost == len(leaves)


def made(items, width=3, head=2, seed=1, scale=1.0):
    """A contribution to rows of these items, as a client makes it."""
    rng = np.random.default_rng(seed)
    rows = (scale * rng.normal(size=(len(items), width))).astype(np.float32)
    rows[:, -1] = 1
    return np.array(items), rows, rng.normal(size=head).astype(np.float32)


PLAN = StepPlan(items=6, width=3, head=2, k=2, bits=16)


def parts(plan=PLAN, people=6, items=(0, 1, 4)):
    return [plan.contribution(*made(items, seed=n), people) for n in range(people)]


def test_a_group_from_which_too_many_drop_out_has_no_sum():
    for stage, what in ((FIRST, "masked vectors"), (SECOND, "masked vectors"), (SECOND + 1, "signatures")):
        one = Group(PLAN, parts(), spare=1)
        one.run({1: stage, 4: stage})
        assert one.result is None
        assert f"Only 4 participants sent {what}" in one.failed.reason
        assert all(client.result is None for client in one.clients)


def test_rows_with_few_contributors_never_leave_a_client_and_their_counts_do():
    few = parts()
    few[3] = PLAN.contribution(*made([0, 1, 5], seed=3), 6)
    few[4] = PLAN.contribution(*made([0, 5], seed=4), 6)
    one = Group(PLAN, few, spare=1)
    one.run()
    assert one.result.items.tolist() == [0, 1, 4]  # item 5 has 2 contributors, and one of them may leave
    assert one.result.counts.tolist() == [6, 5, 0, 0, 4, 2]
    assert [client.result.counts.tolist() for client in one.clients] == [one.result.counts.tolist()] * 6


def test_who_has_nothing_takes_part_and_adds_nothing():
    empty = np.empty(0, np.int64), np.empty((0, 3), np.float32), np.ones(2, np.float32)
    nothing = PLAN.contribution(*empty, 6)
    assert nothing.head.tolist() == [0, 0]
    assert nothing.totals.tolist() == [0, 0]
    rows = np.full((1, 3), 2 * LARGEST / 2.0**PLACES, np.float32)
    for wrong in (rows, np.full((1, 3), np.nan, np.float32), np.array([[0, 0, 1e9]], np.float32)):
        huge = PLAN.contribution(np.array([2]), wrong, np.ones(2, np.float32), 6)
        assert huge.totals.tolist() == [0, 0]
    one = Group(PLAN, [*parts()[:5], nothing], spare=1)
    one.run()
    assert one.result.counts.tolist() == [5, 5, 0, 0, 5, 0]
    few = Group(PLAN, [*parts()[:2], *[nothing] * 4], spare=1)
    few.run()
    assert few.result is None
    assert "Only 2 people of the group contribute" in few.failed.reason


def test_numbers_beyond_the_bound_are_clipped_and_the_modulus_holds_all():
    """One row of 4 people with 16 bits: each has 8191 levels; the mean largest number is 10, so B is 40."""
    plan, heads = StepPlan(items=1, width=2, head=0, k=1, bits=16), np.zeros(0, np.float32)
    values = np.array([[1.0], [-2.0], [36.0], [1.0]], np.float32)
    given = [
        plan.contribution(np.array([0]), np.column_stack([[v], [1]]).astype(np.float32), heads, 4)
        for v in values[:, 0]
    ]
    one = Group(plan, given, spare=0)
    one.run()
    assert one.result.bound == 40.0
    assert one.result.levels.tolist() == [8191]
    assert one.result.rows.tolist() == [[205 - 410 + 7372 + 205, 4 * 2**10]]  # rint(8191 v / 40)
    far = [*given[:2], given[2]._replace(rows=np.array([[99.0, 1]])), given[3]]  # beyond what it told
    clipped = Group(plan, far, spare=0)
    clipped.run()
    assert clipped.result.rows.tolist() == [[205 - 410 + 8191 + 205, 4 * 2**10]]


def announced(one, counts, senders, peak):
    """An announcement of whoever adds, whatever the sums are."""
    body = TOLD.pack(senders, peak) + np.array(counts, "<u2").tobytes()
    return from_server(Kind.ANNOUNCEMENT, one.server.session.session, body)


@pytest.mark.parametrize(
    ("counts", "senders", "peak", "problem"),
    [
        ([7, 0, 0, 0, 0, 0], 6, 2**24, "impossible"),
        ([6, 0, 0, 0, 0, 0], 5, 2**24, "impossible"),
        ([6, 0, 0, 0, 0, 0], 7, 2**24, "impossible"),
        ([2, 0, 0, 0, 0, 0], 2, 2**24, "are needed"),
        ([6, 0, 0, 0, 0, 0], 6, 2**62, "larger than any can be"),
        ([6, 0, 0, 0, 0], 6, 2**24, "does not have"),
    ],
)
def test_announcements_that_a_member_refuses(counts, senders, peak, problem):
    one = Group(PLAN, parts(), spare=1).until_announced()
    with pytest.raises(MessageError, match=problem):
        one.clients[0].receive(announced(one, counts, senders, peak))
    one.answer()
    assert one.clients[0].state is State.MASKED


@pytest.mark.parametrize("peak", [1, 2**12, 2**24])
def test_no_answer_depends_on_a_members_own_largest(peak):
    """Otherwise whoever adds could announce several and learn each one; what is larger is clipped."""
    one = Group(PLAN, parts(), spare=1).until_announced()
    for client in one.clients:
        assert client.receive(announced(one, [6, 0, 0, 0, 0, 0], 6, peak))


def test_sums_that_a_member_refuses():
    one = Group(PLAN, parts(), spare=0).until_announced()
    right = one.server.session
    body = bytes(int(PLAN.second_length(3)) * 2)
    with pytest.raises(MessageError, match="out of turn"):
        one.clients[0].receive(from_server(Kind.SUMS, right.session, body))
    one.answer()
    for _ in range(3):
        one.post()
        if not one.result:
            one.answer()
    told = [letter.data for letter in one.sent]
    assert {read(data).kind for data in told} == {Kind.SUMS}
    client = one.clients[0]
    with pytest.raises(MessageError, match="another session"):
        client.receive(from_server(Kind.SUMS, b"x" * 32, body))
    with pytest.raises(MessageError, match="do not have"):
        client.receive(from_server(Kind.SUMS, right.session, body[:-2]))
    client.receive(told[0])
    with pytest.raises(MessageError, match="out of turn"):
        client.receive(told[0])
    assert len(told[0]) <= client.largest


def test_what_the_member_who_adds_sees_of_one_person_looks_like_noise():
    """Every byte of a masked vector is about as frequent as every other, wide integers included."""
    plan = StepPlan(items=400, width=9, head=300, k=1, bits=16)
    rows = np.ones((400, 9), np.float32)
    mine = plan.contribution(np.arange(400), rows, np.ones(300, np.float32), 3)
    one = Group(plan, [mine] * 3, spare=0).until_announced()
    one.answer()
    for letter in one.letters.values():
        message = read(letter)
        assert message.kind is Kind.MASKED
        found = np.bincount(np.frombuffer(message.body, np.uint8, offset=MASKED.size), minlength=256)
        expected = found.sum() / 256
        assert ((found - expected) ** 2 / expected).sum() < 370  # χ² with 255 degrees: 1 in 10^6 is above
