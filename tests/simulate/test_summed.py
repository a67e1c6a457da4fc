"""Sums among peers in virtual time: exact, whatever the network is like, and nothing is lost but messages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.errors import RecipeError
from sottovoce.models.als import ALS
from sottovoce.peers.shuffled import Shuffled
from sottovoce.protocols.consensus import Consensus, grouped
from sottovoce.protocols.group_sums import complete, contribute
from sottovoce.protocols.interface import Messages
from sottovoce.simulate.summed import _moves
from tests.events import online, sent
from tests.models.test_als import ITEMS, PEOPLE, K, data
from tests.networks import assert_same, simulate
from tests.simulate.sweeps import ROUND, clock, network, random_clock


class Slow:
    """What `Summed` must equal in virtual time: node by node, message by message, from the definitions.

    Contributions and moves are those of compiled code, which have tests of their own.
    """

    def __init__(self, s, rounds):
        self.s, self.plan, self.sweep = s, s.driver.schedule, 0
        self.messages = self.arrived = self.late = 0
        self.waiting = list(sent(s, 0.0, rounds * ROUND, 1, self.plan.size))
        self.rows, self.head = (np.zeros(a.shape) for a in s.driver.sums)

    def there(self, node, begin, end=None):
        return online(self.s.timing, node, begin, begin if end is None else end)

    def advance(self, rounds):
        for round in range(rounds):
            time, end = round * ROUND, (round + 1) * ROUND
            while time < end:
                if time >= self.sweep * self.plan.length:
                    if self.sweep:
                        self.end()
                    self.begin()
                stop = min(end, self.sweep * self.plan.length, time + self.plan.tick)
                self.deliver([m for m in self.waiting if m.end <= stop])
                self.waiting = [m for m in self.waiting if m.end > stop]
                time = stop

    def newest(self, there):
        clock = self.s.tables.clock
        most = max((clock[n] for n in range(PEOPLE) if there[n]), default=0)
        return np.array([there[n] and clock[n] == most for n in range(PEOPLE)])

    def end(self):
        s, over = self.s, self.sweep * self.plan.length - self.plan.early
        there = [self.there(n, over[n]) for n in range(PEOPLE)]
        rows, head = self.rows.astype(np.float32), self.head.astype(np.float32)
        if s.driver.counts == 2:
            complete(rows, batch=ITEMS)
        _moves(s.model, s.merge, s.tables, rows, head, self.newest(there), s.seed, batch=PEOPLE)

    def begin(self):
        s, begin = self.s, self.sweep * self.plan.length
        there = np.array([self.there(n, begin) for n in range(PEOPLE)])
        stays = np.array([self.there(n, begin, begin + self.plan.setup) for n in range(PEOPLE)])
        newest = self.newest(there)
        self.late += np.count_nonzero(there & ~newest)
        s.driver._catch_up(there)
        groups = grouped(s.protocol, there, stays, s.seed, self.sweep)
        summed = np.zeros(len(groups.first) - 1, np.int64)
        s.driver.sums.rows[:], s.driver.sums.head[:] = 0, 0
        s.driver._contribute(contribute, groups, s.driver.sums, summed)
        self.rows, self.head = (a.astype(float) for a in s.driver.sums)
        self.sweep += 1
        s.driver.sweep = self.sweep

    def deliver(self, messages):
        """The n-th messages of all senders in this tick, then the n + 1-st."""
        begin = (self.sweep - 1) * self.plan.length + self.plan.setup
        over = self.sweep * self.plan.length - self.plan.early
        messages = [m for m in messages if m.start >= begin and m.end <= over[m.sender]]
        while messages:
            turn = {}
            for m in messages:
                turn.setdefault(m.sender, m)
            halves = {}
            for m in turn.values():
                if self.head[m.sender, -1] > 0:
                    halves[m] = self.rows[:, m.sender] / 2, self.head[m.sender] / 2
            for m, (rows, head) in halves.items():
                self.messages += 1
                self.rows[:, m.sender] -= rows
                self.head[m.sender] -= head
                if m.arrives and m.end <= over[m.receiver]:
                    self.arrived += 1
                    self.rows[:, m.receiver] += rows
                    self.head[m.receiver] += head
            messages = [m for m in messages if m not in turn.values()]


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([1, 10]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.7, 25.0]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.0, 0.5]),
    st.integers(0, 999),
)
def test_equals_one_message_after_the_other(group, unequal, churn, latency, loss, skew, seed):
    protocol = Consensus(pushes=3, bits=32, group=group, skew=skew, fewest=2)
    rounds = 15 if group == 1 else 40
    more = {"unequal": unequal, "churn": churn, "latency": latency, "loss": loss, "span": rounds * ROUND}
    fast, slow = (network(random_clock(seed, **more), protocol, seed=seed) for _ in range(2))
    for some in (1, 3, rounds - 4):
        fast.advance(some)
    reference = Slow(slow, rounds)
    reference.advance(rounds)
    assert fast.driver.sweep == reference.sweep >= 2
    np.testing.assert_array_equal(fast.tables.clock, slow.tables.clock)
    np.testing.assert_allclose(fast.tables.rows, slow.tables.rows, rtol=0.02, atol=2e-3)
    if group == 1:
        np.testing.assert_allclose(fast.driver.sums.head, reference.head, rtol=2e-3, atol=2e-3)
        assert fast.messages == reference.messages + reference.late
        assert fast.arrived == reference.arrived + reference.late


@settings(max_examples=15, deadline=None)
@given(st.booleans(), st.booleans(), st.sampled_from([1, 10]), st.sampled_from([8, 32]), st.integers(0, 999))
def test_nothing_is_lost_but_messages(unequal, churn, group, bits, seed):
    """Numerators of all nodes are at any time those of all contributions, less those of lost messages."""
    timing = random_clock(seed, unequal=unequal, churn=churn, latency=0.0, loss=0.2, span=400.0)
    s = network(timing, Consensus(pushes=3, bits=bits, group=group, fewest=2), seed=seed)
    sums, push, begin = s.driver.sums, s.driver._push, s.driver._begin
    expected = {"weight": 0.0, "rows": np.zeros((ITEMS, s.driver.row))}
    size = np.zeros((ITEMS, 1))

    def now():
        return sums.head[:, -1].astype(float).sum(), sums.rows.astype(float).sum(axis=1)

    def beginning(there, stays):
        traffic = begin(there, stays)
        expected["weight"], expected["rows"] = now()
        size[:] = np.abs(sums.rows).sum(axis=1).max(axis=1, keepdims=True) + 1e-3
        return traffic

    def pushing(messages):
        lost = messages.sender[messages.receiver < 0]
        before = sums.head[lost].astype(float), sums.rows[:, lost].astype(float)
        traffic = push(messages)
        receives = np.isin(lost, messages.receiver)  # what these have afterwards is not theirs alone
        expected["weight"] -= before[0][:, -1].sum() / 2
        gone = before[1] / 2
        gone[:, ~receives] = before[1][:, ~receives] - sums.rows[:, lost[~receives]]
        assert (np.abs(gone - before[1] / 2) <= 0.02 * np.abs(before[1]).max(axis=2, keepdims=True)).all()
        expected["rows"] -= gone.sum(axis=1)
        found = now()
        assert found[0] == pytest.approx(expected["weight"], abs=1e-3)
        assert (np.abs(found[1] - expected["rows"]) <= (0.02 if bits == 8 else 1e-4) * size).all()
        return traffic

    s.driver._begin, s.driver._push = beginning, pushing
    s.advance(15 if group == 1 else 40)
    assert s.driver.sweep >= 2
    assert s.arrived < s.messages


def test_a_lost_message_loses_numerator_and_weight_together():
    """Where everybody has the same mean, losses do not change it."""
    s = network(clock(loss=0.5), Consensus(pushes=6, bits=32, group=1))
    s.advance(1)
    sums = s.driver.sums
    weight = sums.head[:, -1].copy()
    sums.rows[:] = 3 * weight[None, :, None]
    sums.head[:, :-1] = 2 * weight[:, None]
    before, sweep = weight.sum(), s.driver.sweep
    s.advance(3)
    assert s.driver.sweep == sweep, "still in the same sweep"
    after = sums.head[:, -1]
    assert 0.05 * before < after.sum() < 0.8 * before
    np.testing.assert_allclose(
        sums.rows, np.broadcast_to(3 * after[None, :, None], sums.rows.shape), rtol=2e-3
    )
    np.testing.assert_allclose(
        sums.head[:, :-1], np.repeat(2 * after[:, None], s.driver.head - 1, 1), rtol=2e-3
    )


def message(sender, receiver, start, end):
    ints = (np.array([n], np.int32) for n in (sender, receiver))
    return Messages(
        *ints, np.array([start]), np.array([end]), np.zeros(1, np.int64), np.full(1, -1, np.int32)
    )


def test_messages_of_another_sweep_never_count():
    s = network(clock(), Consensus(pushes=3, bits=32, group=1, skew=1.0))
    s.advance(1)
    plan, sums = s.driver.schedule, s.driver.sums
    s.driver.sweep = 3  # the third is under way
    begin, end = 2 * plan.length, 3 * plan.length
    first, last = np.argmax(plan.early), np.argmin(plan.early)
    before = [a.copy() for a in sums]
    for start, over in ((begin - 0.1, begin + 5), (end - 5, end + 0.1), (begin - 5, begin - 1)):
        assert s.driver._arrive(message(1, 2, start, over)) == (0, 0, 0)
    over = end - plan.early[first] + 0.01
    assert s.driver._arrive(message(first, last, begin + 1, over)) == (0, 0, 0), "the sender has ended"
    for a, b in zip(sums, before, strict=True):
        np.testing.assert_array_equal(a, b)
    late = s.driver._arrive(message(last, first, begin + 1, over))
    assert late[:2] == (1, 0), "the receiver has ended: it is lost"
    np.testing.assert_array_equal(sums.head[last], before[1][last] - _halves(before[1][last]))
    assert s.driver._arrive(message(last, first, begin + 1, end - plan.early[first]))[:2] == (1, 1)


def _halves(head):
    half = (head / 2).astype(np.float32)
    scaled = np.float32(8193) * half
    half[:-2] = (scaled - (scaled - half))[:-2]
    return half


@pytest.mark.parametrize("group", [1, 10])
def test_a_sweep_can_be_continued_from_its_middle(group):
    timing = random_clock(4, unequal=True, churn=True, latency=0.5, loss=0.1, span=400.0)
    protocol, rounds = Consensus(pushes=3, group=group, fewest=2), 15 if group == 1 else 40
    whole = network(timing, protocol)
    whole.advance(rounds)
    for stop in (1, rounds // 2):
        before, after = network(timing, protocol), network(timing, protocol)
        before.advance(stop)
        after.restore({name: np.array(array) for name, array in before.state().items()})
        assert len(after.driver.underway.sender)
        after.advance(rounds - stop)
        assert_same(after, whole)
        assert (after.messages, after.arrived, after.bytes) == (whole.messages, whole.arrived, whole.bytes)


def test_threads_do_not_change_the_result():
    results = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            if kernels.threads() < threads:
                pytest.skip("one core")
            timing = random_clock(4, unequal=True, churn=True, latency=0.5, loss=0.1, span=400.0)
            s = network(timing, Consensus(pushes=3, group=10, fewest=2))
            s.advance(40)
            results.append(s)
    assert_same(*results)


def test_fast_links_send_several_messages_in_a_tick():
    """A sweep of four pushes has five ticks, and a message takes one: that of its receiver's download."""
    speeds = np.ones((2, PEOPLE))
    speeds[:, 0] = 5.0
    s = network(clock(speeds=speeds), Consensus(pushes=4, bits=32, group=1, skew=0.0))
    while s.driver.sweep < 2:
        s.advance(1)
    early = len(
        [m for m in sent(s, 0.0, s.now, 1, s.driver.schedule.size) if m.end <= s.driver.schedule.length]
    )
    assert 4 * (PEOPLE - 1) + 20 <= early <= 5 * (PEOPLE - 1) + 21
    assert early <= s.messages, "and those of the second sweep"


def test_views_are_renewed_with_every_push():
    protocol = Consensus(pushes=3, group=1)
    peers = Shuffled(view=2, refresh=2, cache=6)
    s = simulate(
        ALS(factors=K, held=0.0, recency=False), data(), protocol=protocol, merge=MFFedAvg(), peers=peers
    )
    before = s.views.neighbours.copy()
    s.advance(1)
    once = s.views.neighbours.copy()
    assert (once != before).any()
    s.advance(1)
    assert (s.views.neighbours != once).any()
    timed = network(clock(), protocol, peers=peers)
    timed.advance(2)
    np.testing.assert_array_equal(timed.views.neighbours, before)
    timed.advance(1)
    assert (timed.views.neighbours != before).any()


def test_exact_sums_take_no_time():
    with pytest.raises(RecipeError, match="take no time"):
        network(clock(), Consensus(exact=True))
