"""Nodes that push through bytes end at the models of the simulation, bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.errors import MessageError, RunError
from sottovoce.exchange.secure.group import group
from sottovoce.exchange.steps.gaussian import Gaussian
from sottovoce.models.als import ALS
from sottovoce.models.mf import MF
from sottovoce.node import Community, Key, Node
from sottovoce.node.group import GroupAdder
from sottovoce.node.push import PushSum, expected, plain_sums
from sottovoce.protocols.consensus import Consensus, grouped
from sottovoce.protocols.interface import Messages
from sottovoce.protocols.push_sum import Numerators, numerators
from tests.networks import simulate
from tests.node.simulated import ITEMS, assert_same, nodes_of
from tests.node.test_secure import PEOPLE, crowd, names

pytestmark = pytest.mark.usefixtures("uncompiled")
EVERYBODY = np.ones(PEOPLE, np.bool_)


def group_sums(nodes, groups):
    """Every node's part of the sum of its masked group."""
    parts = {}
    for g in range(len(groups.first) - 1):
        who = sorted(groups.member[groups.first[g] : groups.first[g + 1]].tolist())
        identities, community = names(len(who)), nodes[0].community
        label, spare = bytes([g]), community.consensus.spare
        together = group([one.public for one in identities], label, len(who) - spare, sums=2)
        updates = [nodes[n].group_update(together, one, ()) for n, one in zip(who, identities, strict=True)]
        adder, letters = GroupAdder(community, together), [update.start() for update in updates]
        while not adder.done:
            sent = [each for letter in letters for each in adder.receive(letter)]
            letters = [updates[each.to].receive(each.data) for each in sent]
        parts |= {n: update.sums for n, update in zip(who, updates, strict=True)}
    return parts


def random_messages(rng):
    """Somebody pushes to others; some messages get lost."""
    sender = np.flatnonzero(rng.random(PEOPLE) < 0.8).astype(np.int32)
    receiver = (sender + rng.integers(1, PEOPLE, len(sender))) % PEOPLE
    receiver[rng.random(len(sender)) < 0.2] = -1
    return Messages(sender, receiver.astype(np.int32), *np.zeros((4, len(sender))))


def exchange(parts, messages):
    """The same pushes through bytes, all sent before any arrives; returns the bytes."""
    letters = [(n, to, parts[n].push()) for n, to in zip(messages.sender, messages.receiver, strict=True)]
    for _, to, letter in letters:
        if to >= 0 and letter:
            parts[to].receive(letter)
    return sum(len(letter) for *_, letter in letters)


def assert_same_sums(simulated, parts):
    rows, head = simulated.driver.sums
    for n, part in enumerate(parts):
        np.testing.assert_array_equal(part.sums.rows[:, 0], rows[:, n])
        np.testing.assert_array_equal(part.sums.head[0], head[n])


@settings(max_examples=15)
@given(
    st.sampled_from([(MF(factors=3), MFFedAvg()), (MF(factors=3), FedAvg()), (ALS(factors=3), MFFedAvg())]),
    st.sampled_from([1, 3]),
    st.sampled_from([2, 5, 8, 32]),
    st.integers(0, 99),
)
def test_sums_models_and_bytes_are_those_of_the_simulator(kind, size, bits, seed):
    (model, rule), rng = kind, np.random.default_rng(seed)
    protocol = Consensus(group=size, fewest=1 + seed % 2, spare=0, bits=bits, pushes=3)
    data = crowd(seed)
    simulated = simulate(model, data, merge=rule, protocol=protocol, seed=seed)
    nodes = nodes_of(simulated, data, consensus=protocol, aggregate=rule, disclose=["statistics"])
    for sweep in range(2):
        groups = grouped(protocol, EVERYBODY, EVERYBODY, seed, sweep)
        simulated.driver._begin(EVERYBODY, EVERYBODY)
        sums = (
            group_sums(nodes, groups) if size > 1 else {n: plain_sums(node) for n, node in enumerate(nodes)}
        )
        parts = [PushSum(node, sweep, sums[n]) for n, node in enumerate(nodes)]
        assert_same_sums(simulated, parts)
        for _ in range(4):
            messages = random_messages(rng)
            traffic = simulated.driver._push(messages)
            assert traffic.bytes == exchange(parts, messages)
            assert_same_sums(simulated, parts)
        simulated.driver._end(EVERYBODY)
        for node, part in zip(nodes, parts, strict=True):
            node.move(part.sums)
        assert_same(simulated, nodes)


def plain(bits=8, people=PEOPLE, model=None, **more):
    """Nodes that push their own contributions."""
    protocol = Consensus(group=1, bits=bits)
    community = Community(
        ITEMS, model or MF(factors=3), consensus=protocol, disclose=["statistics"], people=people, **more
    )
    return [Node(community, ITEMS[n : n + 4], Key.simulated(1, n)) for n in range(3)]


def parts_of(nodes, sweep=1):
    return [PushSum(node, sweep, plain_sums(node)) for node in nodes]


def total(parts):
    return sum(part.sums.rows.astype(float) for part in parts), sum(
        part.sums.head.astype(float) for part in parts
    )


@settings(max_examples=15)
@given(st.sampled_from([2, 5, 8, 32]), st.integers(-30, 30), st.integers(0, 99))
def test_what_one_has_less_the_other_has_more(bits, power, seed):
    rng, nodes = np.random.default_rng(seed), plain(bits)
    parts = [PushSum(node, 1, random_sums(nodes[0], rng, power)) for node in nodes]
    before, size = total(parts), [np.abs(each) for each in total(parts)]
    for _ in range(4):
        one, other = rng.choice(3, 2, replace=False)
        parts[other].receive(parts[one].push())
    for now, earlier, most in zip(total(parts), before, size, strict=True):
        assert (np.abs(now - earlier) <= 1e-5 * most.max()).all()


def random_sums(node, rng, power):
    form = expected(node.community, 1).form
    sums = numerators(1, form.items, form.row, form.head)
    sums.rows[:] = rng.normal(size=sums.rows.shape) * 2.0 ** (power * rng.random((form.items, 1, 1)))
    sums.rows[..., -1] = (rng.random((form.items, 1)) < 0.7) * 2.0 ** rng.integers(-50, 20, (form.items, 1))
    sums.head[:] = rng.random(sums.head.shape)
    return sums


def unchanged(part, data, problem):
    """The part refuses these bytes, and stays as it was."""
    before = [each.copy() for each in part.sums]
    with pytest.raises(MessageError, match=problem):
        part.receive(data)
    for mine, earlier in zip(part.sums, before, strict=True):
        np.testing.assert_array_equal(mine, earlier)


def test_what_is_refused_changes_nothing():
    nodes = plain()
    one, other, third = parts_of(nodes)
    letter = one.push()
    unchanged(one, letter, "from this node itself")
    unchanged(other, parts_of(nodes, 2)[0].push(), "of sweep 2, and sweep 1")
    unchanged(other, letter[:-9], "announces")
    unchanged(other, nodes[0]._tables.rows.tobytes(), "other bytes")
    other.receive(letter)
    unchanged(other, letter, "received before")
    third.receive(letter)  # nobody notices: a push does not name its receiver
    strangers = (plain(bits=9), plain(people=PEOPLE + 1, model=ALS(factors=3)), plain(seed=2))
    for stranger in strangers:
        unchanged(other, parts_of(stranger)[0].push(), "other settings")
    assert len(letter) <= other.largest


def test_more_weight_than_there_are_people_is_refused():
    one, other, _ = parts_of(plain(people=3))
    one.sums.head[0, -1] = 6.5
    unchanged(other, one.push(), "weight")
    one.sums.head[0, -1] = 5.5
    other.receive(one.push())


def test_who_has_nothing_sends_nothing_and_can_receive():
    nodes = plain()
    late, one = PushSum(nodes[0], 1), parts_of(nodes)[1]
    assert late.push() == b""
    assert (late.weight, late.pushed) == (0, 0)
    late.receive(one.push())
    assert late.weight == one.weight == 0.5
    before = nodes[0]._tables.rows.copy()
    nodes[0].move(PushSum(nodes[0], 1).sums)
    np.testing.assert_array_equal(nodes[0]._tables.rows, before)


def test_numbers_that_have_diverged_are_not_sent_and_not_lost():
    one, *_ = parts_of(plain(bits=32))
    one.sums.rows[1, 0, 0], one.sums.rows[1, 0, -1] = np.inf, 1
    before = one.sums.rows.copy()
    with pytest.raises(MessageError, match="not finite"), np.errstate(invalid="ignore"):
        one.push()
    np.testing.assert_array_equal(one.sums.rows, before)
    assert one.weight == 1


def test_a_killed_node_goes_on(tmp_path):
    nodes = plain()
    one, other, third = parts_of(nodes)
    other.receive(one.push())
    sent = other.push()
    other.save(tmp_path / "part")
    assert (tmp_path / "part").stat().st_mode & 0o777 == 0o600
    again = PushSum.load(tmp_path / "part", nodes[1])
    for mine, earlier in zip(again.sums, other.sums, strict=True):
        np.testing.assert_array_equal(mine, earlier)
    third.receive(sent)
    third.receive(again.push())  # another push, and not the same again
    assert again.pushed == 2
    first = parts_of(nodes)[0].push()
    unchanged(again, first, "received before")
    with pytest.raises(RunError, match="another node"):
        PushSum.load(tmp_path / "part", nodes[0])
    with pytest.raises(RunError, match="another community"):
        PushSum.load(tmp_path / "part", plain(seed=2)[1])


def test_damaged_files_are_refused(tmp_path):
    nodes = plain()
    part, path = parts_of(nodes)[0], tmp_path / "part"
    part.save(path)
    whole = path.read_bytes()
    for content in (b"", whole[:200], whole[:-30], whole.replace(b"rows", b"cows")):
        path.write_bytes(content)
        with pytest.raises(RunError, match="cannot be read"):
            PushSum.load(path, nodes[0])
    with pytest.raises(RunError, match="cannot be read"):
        PushSum.load(tmp_path / "none", nodes[0])
    part.sums.rows[0, 0, 0] = np.nan
    part.save(path)
    with pytest.raises(RunError, match="not finite"):
        PushSum.load(path, nodes[0])


def test_communities_and_sums_that_are_refused():
    masked = Node(Community(ITEMS, MF(factors=3), consensus=Consensus(group=PEOPLE)), ITEMS[:3])
    with pytest.raises(RunError, match="masked groups"):
        plain_sums(masked)
    for consensus in (None, Consensus(robust=True)):
        with pytest.raises(RunError, match="do not push"):
            PushSum(Node(Community(ITEMS, MF(factors=3), consensus=consensus), ITEMS[:3]), 0)
    node = plain()[0]
    with pytest.raises(RunError, match="another shape"):
        PushSum(node, 0, Numerators(*(np.zeros((2, 1, 3), np.float32), np.zeros((1, 4), np.float32))))
    with pytest.raises(RunError, match="the number"):
        PushSum(node, -1)
    with pytest.raises(RunError, match="disclose"):
        Community(ITEMS, MF(factors=3), consensus=Consensus(group=1))


def test_counts_may_be_negative_where_they_carry_noise():
    noise = Gaussian(noise=2.0, length=1.0)
    for steps in ([], [noise]):
        nodes = plain(steps=steps)
        one, other = (PushSum(node, 1) for node in nodes[:2])
        one.sums.rows[2, 0], one.sums.head[0] = (1, 1, 1, 1, -3), 1
        letter = one.push()
        assert one.sums.rows[2, 0, -1] == -1.5
        if steps:
            other.receive(letter)
            assert other.sums.rows[2, 0, -1] == -1.5
        else:
            unchanged(other, letter, "negative count")
