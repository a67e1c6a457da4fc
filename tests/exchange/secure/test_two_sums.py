"""Counts first, then rows of enough people: sums equal plain ones, and rare rows never leave a client."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.client import State
from sottovoce.exchange.secure.contribution import (
    Contribution,
    Plan,
    allowed,
    everything,
    plain_sums,
)
from sottovoce.exchange.secure.envelope import Kind, from_server
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.messages import Announcement, pack_announcement, unpack_announcement
from sottovoce.exchange.secure.primitives import repeatable
from sottovoce.exchange.secure.server import Failed, Phase, Send
from sottovoce.exchange.secure.two_sums import TwoSumsClient, TwoSumsServer
from tests.exchange.secure.parties import STAYS, group_of, identities, read


def contributions(plan: Plan, people: int, seed: int) -> list[Contribution]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(people):
        items = np.flatnonzero(rng.random(plan.items) < 0.6)
        rows = rng.normal(size=(len(items), plan.width)).astype(np.float32)
        totals = rng.integers(0, 50, plan.totals)
        made.append(Contribution(items, rows, rng.normal(size=plan.head) * totals.sum(), totals))
    return made


class Round:
    """A server and clients in one round of two sums."""

    def __init__(
        self,
        plan: Any,
        people: int,
        threshold: int | None = None,
        seed: int = 1,
        parts: list[Contribution] | None = None,
        tells: bool = False,
    ) -> None:
        self.group = group_of(people, threshold, sums=2)
        self.server = TwoSumsServer(plan, self.group, tells=tells)
        names = identities(people)
        self.clients = [TwoSumsClient(plan, self.group, one, (), repeatable(one.public)) for one in names]
        self.parts = contributions(plan, people, seed) if parts is None else parts
        self.letters: dict[int, bytes] = {}
        self.sent: list[Send] = []
        self.result: Any = None
        self.failed: Failed | None = None

    def start(self) -> "Round":
        self.letters = {who: client.start() for who, client in enumerate(self.clients)}
        return self

    def post(self, leaves: dict[int, int] | None = None, stage: int = 0) -> None:
        events = []
        for who, letter in self.letters.items():
            if (leaves or {}).get(who, STAYS) > stage:
                events += self.server.receive(letter)
        events = events or self.server.timeout()
        self.letters = {}
        self.sent = [event for event in events if isinstance(event, Send)]
        results = [event for event in events if not isinstance(event, Send | Failed)]
        self.result = next(iter(results), None)
        self.failed = next((event for event in events if isinstance(event, Failed)), None)

    def answer(self) -> None:
        for letter in self.sent:
            client = self.clients[letter.to]
            reply = client.receive(letter.data)
            if client.state is State.READY and not client.session.number:
                reply = client.offer(self.parts[letter.to])
            self.letters[letter.to] = reply

    def run(self, leaves: dict[int, int] | None = None) -> None:
        self.start()
        for stage in range(8):
            self.post(leaves, stage)
            self.answer()
            if self.failed or self.result:
                return

    def until_announced(self) -> "Round":
        """To where the server has announced items, and nobody has seen it."""
        self.start()
        for _ in range(4):
            self.post()
            self.answer()
        self.post()
        assert read(self.sent[0].data).kind is Kind.ANNOUNCEMENT
        return self


@settings(max_examples=30)
@given(st.data())
def test_masked_sums_equal_plain_ones_bit_by_bit(data: st.DataObject) -> None:
    people = data.draw(st.integers(3, 7))
    threshold = data.draw(st.integers(people // 2 + 1, people))
    plan = Plan(
        items=data.draw(st.integers(0, 12)),
        width=data.draw(st.integers(0, 3)),
        head=data.draw(st.integers(0, 3)),
        totals=data.draw(st.integers(0, 2)),
        k=data.draw(st.integers(1, threshold)),
        bits=data.draw(st.sampled_from([32, 64])),
        row_places=20,
        head_places=10,
    )
    gone = data.draw(st.lists(st.integers(0, people - 1), max_size=people - threshold, unique=True))
    leaves = {who: data.draw(st.integers(0, 7)) for who in gone}
    one = Round(plan, people, threshold)
    one.run(leaves)
    first, second = ([who for who in range(people) if leaves.get(who, STAYS) > stage] for stage in (2, 5))
    expected = plain_sums(plan, one.parts, threshold, first, second)
    assert one.result is not None
    for found, wanted in zip(one.result, expected, strict=True):
        assert np.array_equal(found, wanted)
    # And the same from floats, in the plain way.
    counts = np.zeros(plan.items, int)
    for who in first:
        counts[one.parts[who].items] += 1
    assert (expected.counts == counts).all()
    needs = plan.k + len(first) - threshold
    assert expected.items.tolist() == [item for item in range(plan.items) if counts[item] >= needs]
    rows = np.zeros((plan.items, plan.width))
    for who in second:
        rows[one.parts[who].items] += one.parts[who].rows
    assert np.allclose(expected.rows, rows[expected.items], atol=people * 2.0**-21, rtol=0)
    assert np.allclose(
        expected.head, sum(one.parts[who].head for who in second), atol=people * 2.0**-11, rtol=0
    )
    assert (expected.totals == sum(one.parts[who].totals for who in first)).all()


def test_rows_keep_k_contributors_whoever_drops_out() -> None:
    """All ways in which n - t people drop out between the sums: k contributors are left, or it is refused."""
    for n, t, k in [(4, 3, 2), (5, 3, 2), (5, 3, 3), (6, 4, 1), (6, 6, 4)]:
        plan = Plan(items=n + 1, width=1, head=0, totals=0, k=k)
        found = set(
            allowed(plan, np.arange(n + 1), n, t).tolist()
        )  # item i was changed by the first i people
        for item in range(n + 1):
            left = [len(set(range(item)) - set(gone)) for gone in itertools.combinations(range(n), n - t)]
            assert (item in found) == (min(left) >= k)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_averages_of_mf_fedavg_come_out(seed: int) -> None:
    """Rows over those who changed them, the head by instances (Algorithm 2 of Perifanis and Efraimidis)."""
    plan = Plan(items=9, width=2, head=3, totals=1, k=2, bits=64, row_places=40, head_places=30)
    one = Round(plan, 6, seed=seed)
    rng = np.random.default_rng(seed)
    heads = rng.normal(size=(6, 3))
    one.parts = [
        part._replace(head=head * part.totals[0]) for part, head in zip(one.parts, heads, strict=True)
    ]
    one.run()
    assert one.result is not None
    instances = np.array([part.totals[0] for part in one.parts])
    assert np.allclose(
        one.result.head / one.result.totals[0], np.average(heads, axis=0, weights=instances), atol=1e-8
    )
    for item, n, row in zip(one.result.items, one.result.contributors, one.result.rows, strict=True):
        rows = [part.rows[part.items == item][0] for part in one.parts if item in part.items]
        assert len(rows) == n >= 2
        assert np.allclose(row / n, np.mean(rows, axis=0), atol=1e-8)


PLAN = Plan(items=6, width=2, head=1, totals=1, k=3)


def announce(one: Round, items: list[int], counts: list[int], totals: list[int]) -> bytes:
    given = np.array(items, np.int64), np.array(counts, np.int64), np.array(totals, np.uint64)
    said = Announcement(*given, np.empty(0, np.int64))
    return from_server(Kind.ANNOUNCEMENT, one.server.session.session, pack_announcement(said))


@pytest.mark.parametrize(
    ("items", "counts", "totals", "problem"),
    [
        ([0, 3], [5, 3], [999], "the row of item 3, which 3 people changed, and 4 are needed"),
        ([0], [7], [999], "more contributors"),
        ([3, 0], [5, 5], [999], "do not ascend"),
        ([0, 0], [5, 5], [999], "do not ascend"),
        ([0, 6], [5, 5], [999], "not in the catalogue"),
        ([0], [5], [], "1 totals were expected"),
        ([0], [5], [9, 9], "1 totals were expected"),
        ([0, 1, 2, 3, 4, 5, 5], [5] * 7, [999], "at most 6 items"),
    ],
)
def test_announcements_that_a_client_refuses(
    items: list[int], counts: list[int], totals: list[int], problem: str
) -> None:
    one = Round(PLAN, 6).until_announced()
    with pytest.raises(MessageError, match=problem):
        one.clients[0].receive(announce(one, items, counts, totals))
    assert one.clients[0].state is State.READY
    one.answer()
    assert one.clients[0].state is State.MASKED


@pytest.mark.parametrize("total", [0, 1, 999])
def test_no_answer_depends_on_a_clients_own_total(total: int) -> None:
    """Otherwise a server that announces several totals would find out each client's own."""
    one = Round(PLAN, 6).until_announced()
    for client in one.clients:
        client.receive(announce(one, [0], [5], [total]))
        assert client.state is State.MASKED


def test_announcements_out_of_turn_or_of_another_session() -> None:
    one = Round(PLAN, 6).until_announced()
    message = one.sent[0].data
    wrong = from_server(Kind.ANNOUNCEMENT, b"x" * 32, read(message).body)
    with pytest.raises(MessageError, match="another session"):
        one.clients[0].receive(wrong)
    one.answer()
    with pytest.raises(MessageError, match="out of turn"):
        one.clients[0].receive(message)
    early = Round(PLAN, 6)
    with pytest.raises(MessageError, match="out of turn"):
        early.clients[0].receive(message)


def test_different_announcements_to_different_people_give_no_sum() -> None:
    """The server asks one client for item 0 alone, the others for item 1 alone, as many numbers from each."""
    one = Round(PLAN, 6).until_announced()
    first, other = (announce(one, [item], [5], [999]) for item in (0, 1))
    one.letters = {
        who: client.receive(first if who == 0 else other) for who, client in enumerate(one.clients)
    }
    for who in range(6):
        with pytest.raises(MessageError, match=r"about something else|were expected"):
            one.server.receive(one.letters[who])
    bounds = {read(letter).body[:38] for letter in one.letters.values()}
    assert len(bounds) == 2  # masks, and what is signed under survivors, depend on it


def test_a_row_that_is_not_announced_is_not_sent() -> None:
    mine = Contribution(np.array([1, 4]), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5]), np.array([7]))
    vector = PLAN.second_vector(mine, everything(np.array([0, 4])), 6)
    assert vector.tolist() == [0, 0, 3 * 2**20, 4 * 2**20, 2**11]
    assert PLAN.first_vector(mine, 6).tolist() == [0, 1, 0, 0, 1, 0, 7]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"items": np.array([4, 1])}, "do not ascend"),
        ({"items": np.array([1, 1])}, "do not ascend"),
        ({"items": np.array([1, 6])}, "not in the catalogue"),
        ({"items": np.array([-1, 4])}, "not in the catalogue"),
        ({"rows": np.zeros((2, 3))}, "shapes of the round"),
        ({"rows": np.zeros((1, 2))}, "shapes of the round"),
        ({"head": np.zeros(2)}, "shapes of the round"),
        ({"totals": np.array([1, 2])}, "shapes of the round"),
        ({"totals": np.array([-1])}, "whole numbers"),
        ({"totals": np.array([1.5])}, "whole numbers"),
        ({"totals": np.array([np.nan])}, "whole numbers"),
    ],
)
def test_contributions_that_are_refused_before_anything_is_sent(
    change: dict[str, np.ndarray], problem: str
) -> None:
    one = Round(PLAN, 6)
    mine = Contribution(np.array([1, 4]), np.ones((2, 2)), np.array([0.5]), np.array([7]))._replace(**change)
    one.start()
    one.post()
    one.answer()
    one.post()
    client = one.clients[0]
    client.receive(one.sent[0].data)
    with pytest.raises(MessageError, match=problem):
        client.offer(mine)
    assert client.state is State.READY
    client.offer(one.parts[0])
    with pytest.raises(MessageError, match="offered once"):
        client.offer(one.parts[0])


MOST = (2**31 - 1) // 6


@pytest.mark.parametrize(
    ("change", "sent"),
    [
        ({}, {}),
        ({"totals": np.array([2**31])}, {"totals": [MOST]}),
        ({"rows": np.array([[1.0, 1e9], [-1e9, 0]])}, {"rows": [[2**20, MOST], [-MOST, 0]]}),
        ({"rows": np.array([[1.0, np.nan], [0, 0]])}, {"rows": [[0, 0], [0, 0]], "head": [0]}),
        ({"head": np.array([np.inf])}, {"rows": [[0, 0], [0, 0]], "head": [0]}),
    ],
)
def test_whether_a_client_answers_does_not_depend_on_its_numbers(
    change: dict[str, np.ndarray], sent: dict[str, list[Any]]
) -> None:
    """They are clipped, or zeros, and the items count all the same. Only the client knows of it."""
    one = Round(PLAN, 6)
    mine = Contribution(np.array([1, 4]), np.ones((2, 2)), np.array([0.5]), np.array([7]))
    expected = {"rows": [[2**20] * 2] * 2, "head": [0.5 * 2**PLAN.head_places], "totals": [7]} | sent
    one.start()
    one.post()
    one.answer()
    one.post()
    client = one.clients[0]
    client.receive(one.sent[0].data)
    client.offer(mine._replace(**change))
    assert client.changed is bool(change)
    count, row, head = PLAN.forms(6)
    first = count.integers(PLAN.first_vector(client._mine, 6))
    second = PLAN.second_vector(client._mine, everything(np.array([1, 4])), 6)
    assert first.tolist() == [0, 1, 0, 0, 1, 0, *expected["totals"]]
    assert row.integers(second[:4]).reshape(2, 2).tolist() == expected["rows"]
    assert head.integers(second[4:]).tolist() == expected["head"]


@pytest.mark.parametrize(("places", "times"), [(slice(6), 2), (slice(6), -1), (slice(6, 7), -1)])
def test_clients_that_count_otherwise_end_the_round(
    monkeypatch: pytest.MonkeyPatch, places: slice, times: int
) -> None:
    """Every count doubled, every count negative, every total negative."""

    honest = Plan.first_vector

    def lie(*arguments: Any) -> np.ndarray:
        vector = honest(*arguments)
        vector[places] *= np.uint32(times % 2**32)
        return vector

    monkeypatch.setattr(Plan, "first_vector", lie)
    one = Round(PLAN, 6)
    one.run()
    assert one.result is None
    assert one.server.phase is Phase.FAILED
    assert one.failed is not None
    assert "did not count by 0 and 1" in one.failed.reason


def test_rounds_that_cannot_be() -> None:
    for change in ({"items": -1}, {"items": 2**32}, {"head": -1}):
        with pytest.raises(MessageError, match="cannot be planned"):
            TwoSumsServer(PLAN._replace(**change), group_of(6, sums=2))
    with pytest.raises(MessageError, match="has 2 sums, and the group is for 1"):
        TwoSumsServer(PLAN, group_of(6))
    with pytest.raises(MessageError, match="at least 6 people cannot be had where 5"):
        TwoSumsServer(PLAN._replace(k=6), group_of(6, sums=2))
    with pytest.raises(MessageError, match="rows of 3 people, and this node wants 4"):
        TwoSumsClient(PLAN, group_of(6, sums=2), identities(6)[0], [Guard(3), Guard(4)])
    with pytest.raises(MessageError, match="one for each sum"):
        TwoSumsClient(PLAN, group_of(6, sums=2), identities(6)[0], [Guard(3)])


def test_announcements_fit_what_is_declared() -> None:
    one = Round(PLAN, 6)
    every = announce(one, list(range(6)), [5] * 6, [9])
    assert len(every) <= one.clients[0].largest
    large = TwoSumsClient(PLAN._replace(items=50_000), one.group, identities(6)[0])
    assert large.largest == 44 + 8 + 8 * 50_001
    body = read(every).body
    said = unpack_announcement(body, 6, 1)
    assert pack_announcement(said) == body
    with pytest.raises(MessageError, match="too few"):
        unpack_announcement(b"", 6, 1)
    for wrong in (body[:-1], body + b"x", body[:4] + b"\x02" + body[5:], b"\x05" + body[1:]):
        with pytest.raises(MessageError, match="were expected"):
            unpack_announcement(wrong, 6, 1)
