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
from sottovoce.timing import Timing
from tests.events import online, sent
from tests.models.test_als import ITEMS, PEOPLE, K, data
from tests.networks import assert_same, ratings, simulate

ROUND = 10.0


def clock(nodes=PEOPLE, sessions=None, *, speeds=None, latency=0.0, loss=0.0):
    """A clock of equal links, or of links with these `speeds` [2, nodes]; `sessions` of each, or always."""
    first, since, until = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if sessions is not None:
        first = np.cumsum([0] + [len(own) for own in sessions])
        since, until = np.array([pair for own in sessions for pair in own], float).reshape(-1, 2).T.copy()
    upload, download = np.ones((2, nodes)) if speeds is None else speeds
    return Timing(first, since, until, upload / ROUND, download / ROUND, latency, loss, ROUND, timed=True)


def random_clock(seed, *, unequal, churn, latency, loss, span):
    rng, sessions = np.random.default_rng(seed), None
    if churn:
        cuts = [np.sort(rng.random(2 * rng.integers(0, 5)) * span) for _ in range(PEOPLE)]
        sessions = [[(0.0, 2 * span)] if len(c) == 0 else c.reshape(-1, 2).tolist() for c in cuts]
    speeds = np.exp(rng.normal(0, 0.6, (2, PEOPLE))) if unequal else None
    return clock(PEOPLE, sessions, speeds=speeds, latency=latency, loss=loss)


def network(timing, protocol=None, people=None, **more):
    protocol = protocol or Consensus(pushes=3, bits=32, group=1)
    parts = {"protocol": protocol, "merge": MFFedAvg(), "timing": timing}
    return simulate(ALS(factors=K, held=0.0, recency=False), people or data(), **(parts | more))


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


def test_clocks_differ_by_a_bounded_time():
    for skew in (0.0, 0.1, 1.0):
        s = network(clock(), Consensus(pushes=3, group=1, skew=skew))
        early, most = s.driver.schedule.early, skew * 3 * s.driver.schedule.tick
        assert early.min() == 0
        assert early.max() <= most
        assert len(set(early)) == (PEOPLE if skew else 1)
        assert s.driver.schedule.length == pytest.approx(4 * s.driver.schedule.tick + most)


def test_the_length_of_a_sweep_by_hand():
    """A push has 15 rows of 3 bytes, a scale and a count, a head of 17 bits a number, two of 32, and 73."""
    s = network(clock(latency=0.5), Consensus(pushes=3, group=1))
    plain, head = s.driver.schedule, s.shape.head
    push, model = (
        15 * (3 + 2 + 2) + (head - 2) * 2 + (head + 5) // 8 + 2 * 4 + 73,
        62 + 15 * 4 + (15 * 4 + head) * 4 + 4,
    )
    assert plain.size == push / model
    tick = push / model * ROUND
    assert plain.setup == 0
    assert plain.length == pytest.approx(4 * tick + 0.5 + 0.1 * 3 * tick)
    masked = network(clock(), Consensus(pushes=3, group=20, modulus=16)).driver.schedule
    tick = (push + 15 * 2) / model * ROUND
    assert masked.length == pytest.approx(masked.setup + 4 * tick + 0.1 * 3 * tick)
    # Of 15 rows with 3 numbers of 2 bytes and one of 4, and a head of 8 bytes a number: masked, and as a sum.
    vectors = 2 * (15 * 10 + head * 8) + (15 * 2 + 8)
    assert masked.setup > vectors / model * ROUND
    messages, size = masked._sums(*(np.array([n]) for n in (20, 20, 15)))
    assert masked.setup == pytest.approx(size[0] / 20 / model * ROUND)
    assert messages[0] == 20 * 16


def some_sessions(away):
    """Sessions of everybody; `away` tells who is online when, by node."""
    return [away.get(node, [(0.0, 1e6)]) for node in range(PEOPLE)]


def test_who_was_away_takes_a_peers_model_and_goes_on():
    length = network(clock()).driver.schedule.length
    away = {
        3: [(0.0, 0.5 * length), (1.9 * length, 1e6)],  # misses one end, and is back before the next
        5: [(0.0, 0.5 * length), (0.8 * length, 1e6)],  # is back within the sweep
        7: [(1.5 * length, 1e6)],  # comes in the middle of the second
    }
    timing = clock(sessions=some_sessions(away))
    s = network(timing, rounds=40)
    models = s.tables.rows.reshape(PEOPLE, ITEMS, -1)
    start, seen = models[3].copy(), {}
    while s.driver.sweep < 5:
        seen[s.driver.sweep] = models.copy(), s.tables.clock.copy()
        s.advance(1)
    rows, clocks = seen[2]  # in the second sweep
    np.testing.assert_array_equal(rows[3], start)
    assert clocks.tolist() == [0 if node in (3, 7) else 1 for node in range(PEOPLE)]
    rows, clocks = seen[3]
    assert (clocks == 2).all()
    for node in (3, 7):
        assert any((rows[node] == rows[n]).all() for n in range(PEOPLE) if n not in (3, 7))
    rows, clocks = seen[4]
    assert (clocks == 3).all()
    assert all((rows[3] != rows[n]).any() for n in range(PEOPLE) if n != 3), "it goes on by itself"


def test_dropouts_inside_masked_groups():
    """A group that loses more than `spare` begins again without them, and exchanges all of it once more."""
    protocol = Consensus(pushes=2, group=20, fewest=2, spare=1)
    everybody = np.ones(PEOPLE, np.bool_)
    groups = grouped(protocol, everybody, everybody, 1, 0)
    one, other = groups.member[:20], groups.member[20:]
    left = [*one[:1], *other[:3]]
    plan = network(clock(), protocol).driver.schedule
    sessions = some_sessions({node: [(0.0, plan.setup / 2)] for node in left})
    s = network(clock(sessions=sessions), protocol)
    traffic = s.driver._begin(*s.driver.schedule.at_begin(0))
    weight = s.driver.sums.head[:, -1]
    np.testing.assert_allclose(weight[one], [0] + [1] * 19, rtol=1e-5)
    np.testing.assert_allclose(weight[other], [0] * 3 + [1] * 17, rtol=1e-5)
    rows = []
    for members in (one, other[3:]):  # who dropped out after the first sum is counted in it
        counts = np.bincount(np.concatenate([_items(n) for n in members]), minlength=ITEMS)
        rows.append(np.count_nonzero(counts >= 3))
    sizes = [plan._sums(*(np.array([n]) for n in each)) for each in ((20, 19, rows[0]), (20, 17, rows[1]))]
    sizes.append(plan._sums(*(np.array([n]) for n in (17, 17, rows[1]))))
    assert traffic.messages == sum(messages[0] for messages, _ in sizes)
    assert traffic.bytes == sum(size[0] for _, size in sizes)
    assert traffic.messages - traffic.arrived == 4


def _items(person):
    everything = data()
    return everything.item[everything.indptr[person] : everything.indptr[person + 1]]


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


def test_nobody_online_and_nothing_happens():
    s = network(clock(sessions=[[(1e5, 1e6)]] * PEOPLE), Consensus(pushes=3, group=10))
    before = s.tables.rows.copy()
    s.advance(30)
    assert s.messages == s.bytes == 0
    np.testing.assert_array_equal(s.tables.rows, before)
    assert not s.tables.clock.any()


def test_one_person_learns_from_nobody_else():
    alone = ratings([[1, 0, 1, 1, 0]])
    free = network(clock(1), Consensus(group=1), alone)
    free.advance(5)
    assert free.messages == 0
    assert free.tables.clock[0] > 1
    masked = network(clock(1), Consensus(), alone)
    masked.advance(5)
    assert masked.tables.clock[0] == 0, "a sum over one person is that person's"


def test_somebody_without_items_takes_part():
    values = np.zeros((PEOPLE, ITEMS))
    values[: PEOPLE - 1] = 1
    s = network(clock(), Consensus(pushes=3, group=1), ratings(values.tolist()))
    s.advance(8)
    assert s.driver.sweep > 1
    assert np.isfinite(s.tables.rows).all()
    assert s.tables.clock.min() == s.tables.clock.max() > 0


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
