"""Shares of noise in groups without a server: what sums hold, and that nothing else tells anything."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.errors import MessageError, RunError
from sottovoce.evaluate.audit import summed
from sottovoce.exchange.secure.row_steps import StepPlan
from sottovoce.exchange.steps.skellam import SkellamShare
from sottovoce.experiments.audit import canaries
from sottovoce.models.als import ALS
from sottovoce.models.mf import MF
from sottovoce.models.statistics import balance
from sottovoce.node import Community, Node
from sottovoce.node.group import part_of
from sottovoce.privacy import accountant
from sottovoce.privacy.guarantee import calibrated, guarantee
from sottovoce.protocols.consensus import Consensus, grouped, masks
from sottovoce.protocols.group_sums import Unmasked, contribute
from sottovoce.protocols.push_sum import numerators
from tests.networks import ratings, simulate
from tests.node.simulated import ITEMS
from tests.node.test_group import group_of, play
from tests.node.test_secure import names
from tests.protocols.test_group_sums import Group

pytestmark = pytest.mark.usefixtures("uncompiled")
PEOPLE, CATALOGUE = 9, 40
SHARE = calibrated(SkellamShare(length=1.0, noise=3.0, epsilon=60.0, survivors=7, places=12))
PROTOCOL = Consensus(group=PEOPLE, fewest=2, spare=1)


def network(model, **more):
    """Nobody has the last 30 items, and one person has nothing at all."""
    rng = np.random.default_rng(3)
    table = np.zeros((PEOPLE, CATALOGUE), int)
    table[1:, :10] = rng.random((PEOPLE - 1, 10)) < 0.5
    table[1:, 0] = 1
    parts = {"protocol": PROTOCOL, "steps": [SHARE], "merge": MFFedAvg()}
    return simulate(model, ratings(table.tolist()), **(parts | more))


def contributed(s, how, places):
    everybody = np.ones(PEOPLE, np.bool_)
    groups = grouped(s.protocol, everybody, everybody, s.seed, 0)
    alone = isinstance(how, Unmasked)
    if alone:
        groups = groups._replace(begins=groups.first, place=np.arange(PEOPLE, dtype=np.int32))
    sums = numerators(places, CATALOGUE, s.driver.row - alone, s.driver.head)
    parts = s.model, s.merge, s.driver.steps, how, s.tables, s.driver.slots, s.people
    summed = np.zeros(1, np.int64)
    contribute(*parts, groups, s.seed, *sums, summed, batch=PEOPLE)
    return sums, int(summed[0])


@pytest.mark.parametrize("model", [ALS(factors=3), MF(factors=3)])
def test_every_row_has_noise_as_promised_and_counts_tell_nothing(model):
    """The sum of 9 shares, each with 1/7 of the variance: rows that nobody has are noise alone."""
    s = network(model)
    sums, rows = contributed(s, masks(s.protocol, s.steps), PEOPLE)
    assert rows == CATALOGUE
    assert s.people.disclosed.tolist() == [1] * PEOPLE
    numbers = s.driver.row - 2
    found = PEOPLE * sums.rows[10:, 0, : numbers + isinstance(model, ALS)].astype(float)
    assert found.std() == pytest.approx(3.0 * np.sqrt(9 / 7), rel=0.15)
    assert abs(found.mean()) < 4 * 3.0 / np.sqrt(found.size)
    np.testing.assert_allclose(found * 2**12, np.rint(found * 2**12), atol=0.01)  # a ninth is rounded


def test_masked_clients_come_to_the_same_noisy_numerators():
    one, twin = network(ALS(factors=3)), network(ALS(factors=3))
    how = masks(one.protocol, one.steps)
    expected, _ = contributed(one, how, PEOPLE)
    alone, _ = contributed(twin, Unmasked(), PEOPLE)
    plan = StepPlan(CATALOGUE, 4, one.driver.head, 2, 32, how.places, how.least)
    parts = [
        plan.contribution(np.arange(CATALOGUE), alone.rows[:, n], alone.head[n], PEOPLE)
        for n in range(PEOPLE)
    ]
    assert {tuple(part.totals) for part in parts} == {(1, 0)}, "nobody tells their largest number"
    session = Group(plan, parts, spare=1)
    session.run()
    assert session.result.counts.tolist() == [PEOPLE] * CATALOGUE
    found = part_of(plan, session.result)
    np.testing.assert_array_equal(found.rows[:, 0], expected.rows[:, 0])
    np.testing.assert_array_equal(found.head[0], expected.head[0])


def test_sweeps_are_disclosures_and_the_budget_ends_them():
    promise = guarantee(calibrated(SHARE._replace(noise=0.0, disclosures=2, epsilon=8.0)))
    s = network(ALS(factors=3), steps=[calibrated(SHARE._replace(noise=0.0, disclosures=2, epsilon=8.0))])
    for sweep in (1, 2):
        s.advance(1)
        assert s.people.disclosed.tolist() == [sweep] * PEOPLE
        assert promise.spent(sweep) == accountant.epsilon(promise.noise, sweep, 1e-5, True)
    assert promise.spent(2) <= 8.0 < promise.spent(3)
    before = s.tables.rows.copy()
    s.advance(1)
    np.testing.assert_array_equal(s.tables.rows, before)
    assert np.isfinite(before).all()


def test_a_group_with_too_few_shares_has_no_sum():
    s = network(ALS(factors=3))
    how = masks(s.protocol, s.steps)
    assert how.least == 8  # 7, and that of whoever reads the sum
    s.people.disclosed[0] = SHARE.disclosures  # one has no budget left, another one may drop out
    sums, rows = contributed(s, how, PEOPLE)
    assert rows == 0
    assert not sums.rows.any()
    plan = StepPlan(3, 2, 0, 1, 32, 12, 8)
    rows = np.ones((3, 2), np.float32)
    full = plan.contribution(np.arange(3), rows, np.zeros(0), PEOPLE)
    none = plan.contribution(np.arange(0), rows[:0], np.zeros(0), PEOPLE)
    session = Group(plan, [*[full] * 8, none], spare=1)
    session.run()
    assert "Only 8 people" in session.failed.reason


def test_balancing_is_exact():
    model = ALS(factors=3, items=1682, people=943)
    head = np.random.default_rng(1).normal(size=100).astype(np.float32)[: 2 * 6 + 3 + 7 + 2]
    before = head.copy()
    balance(model, head, -1)
    assert head[-2] == before[-2] / 32  # 2^5 is nearest to the square root of 1682
    assert (head[:6] == before[:6]).all()
    balance(model, head, 1)
    np.testing.assert_array_equal(head, before)


def test_nodes_add_shares_from_the_operating_system():
    share = {"name": "skellam", "length": 1.0, "noise": 2.0, "epsilon": 50.0, "survivors": 5}
    protocol = Consensus(group=7, fewest=1, spare=1)
    community = Community(ITEMS, MF(factors=3), steps=[share], consensus=protocol)
    nodes = [Node(community, ITEMS[n : n + 3]) for n in range(7)]
    before = nodes[0]._tables.rows.copy()
    adder, *_ = play(nodes)
    assert adder.failed is None
    moved = 7 * (nodes[0]._tables.rows - before)
    assert 1.5 < moved.std() / np.sqrt(7 / 5) < 2.5
    assert {node.budget_left for node in nodes} == {community.promise.disclosures - 1}
    with pytest.raises(RunError, match="masked sums alone"):
        nodes[0].emit()
    more = Community(ITEMS, MF(factors=3), steps=[share | {"survivors": 6}], consensus=Consensus(group=8))
    more.consensus = protocol  # a group of 7, of whom one may leave and another one reads the sum
    with pytest.raises(MessageError, match="6 shares of noise, and this community wants 7"):
        Node(more, ITEMS[:3]).group_update(group_of(names(), 1), names()[0])


def test_canaries_in_the_sum_of_a_group_stay_below_the_promise(monkeypatch):
    """The smallest sum that a member can read has the shares of the survivors, without its own."""
    seen = []
    monkeypatch.setattr(canaries, "CANARIES", 140)
    scores = summed.scores
    monkeypatch.setattr(summed, "scores", lambda *given: (seen.append(given[4]), scores(*given))[1])
    found = canaries.attack(network(MF(factors=3)), None, rounds=2)
    assert seen == [summed.Group(7, 7, 2)]
    assert (found["observer"], found["claimed"]) == ("sums", 60.0)
    assert found["epsilon"] <= guarantee(SHARE).spent(2)
