"""Attackers: who they are, that their lies enter sums and models as they say, and that robust sums resist."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.errors import RecipeError
from sottovoce.models.als import ALS
from sottovoce.models.mf import MF
from sottovoce.protocols.consensus import Consensus, grouped
from sottovoce.protocols.group_sums import Groups
from sottovoce.protocols.push_sum import Numerators, numerators
from sottovoce.simulate.attackers import Attackers, attackers, promoted
from sottovoce.simulate.attacks.destroy import Destroy
from sottovoce.simulate.attacks.none import Nobody
from sottovoce.simulate.attacks.promote import Promote
from tests.models.test_als import ITEMS, PEOPLE, K, data
from tests.networks import assert_same, ratings, simulate
from tests.simulate.sweeps import clock

GROUPS = Consensus(group=8, robust=True, fewest=1, spare=0, bits=32)


def network(protocol, attack, people=None, **more):
    parts = {"protocol": protocol, "merge": MFFedAvg(), "attack": attack}
    return simulate(ALS(factors=K), people or data(), **(parts | more))


def cold():
    """A community in which one person alone has item 14, and many have every other item."""
    people = data()
    values = np.zeros((PEOPLE, ITEMS), int)
    values[np.repeat(np.arange(PEOPLE), np.diff(people.indptr)), people.item] = 1
    values[::3, values.sum(axis=0) <= 5] = 1
    values[:, 14] = 0
    values[7, 14] = 1
    return ratings(values.tolist())


def test_as_many_attack_as_the_share_says_and_always_the_same():
    assert not attackers(Nobody(), 1000, 1).any()
    assert not attackers(Promote(share=0.0), 1000, 1).any()
    assert attackers(Promote(share=0.0001), 1000, 1).sum() == 1
    who = attackers(Destroy(share=0.1), 1000, 1)
    assert who.sum() == 100
    np.testing.assert_array_equal(who, attackers(Promote(share=0.1), 1000, 1))
    assert (who != attackers(Destroy(share=0.1), 1000, 2)).any()
    assert simulate(MF(factors=3), data(), attack=Promote(share=0.0)).attackers is None


def test_the_promoted_item_is_cold():
    assert promoted(Promote(), cold(), 1) == 14
    assert promoted(Destroy(), cold(), 1) == -1
    counts = np.bincount(data().item, minlength=ITEMS)
    found = {promoted(Promote(), data(), seed) for seed in range(20)}
    assert found == set(np.flatnonzero((counts > 0) & (counts <= 5)))


def slow_lies(lie, head_lie, sums, groups, who, needed):
    """What `Attackers.contribute` must do to masked sums: lies of a group are shared by its places."""
    rows, head = sums.rows.astype(float), sums.head.astype(float)
    for g in range(len(groups.first) - 1):
        inside = range(groups.first[g], groups.first[g + 1])
        times = sum(who[groups.member[m]] and groups.stays[m] for m in inside)
        places = groups.place[groups.begins[g] : groups.begins[g + 1]]
        for place in places if times else ():
            if head[place, -1] > 0:
                for item in range(len(rows)):
                    told = times * lie(item) / len(places)
                    people = (rows[item, place, -1] + told[-1]) * len(places)
                    if rows[item, place, -2] == 0 and people < needed:
                        told[:-1] = 0
                    rows[item, place] += told
                head[place] += times * head_lie / len(places)
    return rows, head


@pytest.mark.parametrize("attack", [Promote(share=0.2, claims=2, size=3.0), Destroy(share=0.2, claims=2)])
def test_lies_enter_sums_as_a_slow_reading_says(attack):
    rng, width, heads = np.random.default_rng(1), 5, 4
    protocol = Consensus(group=8)
    stays = rng.random(PEOPLE) < 0.9
    groups: Groups = grouped(protocol, np.ones(PEOPLE, np.bool_), stays, 1, 0)
    sums: Numerators = numerators(PEOPLE, ITEMS, width, heads)
    sums.rows[:] = rng.random(sums.rows.shape)
    sums.rows[rng.random((ITEMS, PEOPLE)) < 0.5, :4] = 0  # withheld: a count alone
    sums.head[:] = rng.random(sums.head.shape)
    sums.head[groups.place[groups.begins[1] : groups.begins[2]]] = 0  # a group that has no sum
    some = Attackers(attack, data(), np.arange(PEOPLE, dtype=np.int32), 1)
    some.meet(ITEMS, width, heads)
    some.known.rows[:], some.known.head[:] = rng.random((ITEMS, width)), rng.random(heads)

    def lie(item):
        from sottovoce.simulate.attacks.interface import lie_in_row
        from sottovoce.testing import uncompiled

        row = np.zeros(width, np.float32)
        with uncompiled():
            lie_in_row(attack, some.known, 2, item, 1, row)
        return row.astype(float)

    head_lie = np.zeros(heads) if isinstance(attack, Promote) else -100.0 * np.append(some.known.head[:-1], 0)
    rows, head = slow_lies(lie, head_lie, sums, groups, some.who, 4)
    some.contribute(groups, sums, 2, 4)
    np.testing.assert_allclose(sums.rows, rows, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(sums.head, head, rtol=1e-4, atol=1e-4)
    assert (rows[..., -1] > 1).any()


def test_attackers_push_a_part_of_the_lie_each_time():
    attack = Promote(share=0.1, claims=6, through="pushes")
    some = Attackers(attack, data(), np.arange(PEOPLE, dtype=np.int32), 1)
    some.meet(ITEMS, 4, 3)
    sums = numerators(PEOPLE, ITEMS, 4, 3)
    some.contribute(grouped(Consensus(group=8), *np.ones((2, PEOPLE), np.bool_), 1, 0), sums, 1, 0)
    assert not sums.rows.any()
    some.push(sums, 1, 3)
    expected = np.zeros(PEOPLE)
    expected[some.who] = 2
    np.testing.assert_allclose(sums.rows[some.item, :, -1], expected)
    assert not np.delete(sums.rows, some.item, axis=0).any()


def test_a_crowd_that_one_attacker_claims_enters_plain_sums_and_not_robust_ones():
    attack = Promote(share=0.02, claims=30)
    trusting = GROUPS._replace(robust=False, exact=True)
    shares = {}
    for protocol in (trusting, GROUPS):
        for lying in (Nobody(), attack):
            s = network(protocol, lying, cold())
            s.advance(3)
            shares[protocol, lying] = s.tables.rows[14, K]  # the share of people who have the item
    assert shares[trusting, Nobody()] == pytest.approx(1 / PEOPLE, rel=0.3)
    assert shares[trusting, attack] > 0.5
    assert shares[GROUPS, attack] < 4.5 / PEOPLE


def test_without_attackers_robust_sums_give_nearly_the_exact_model():
    exact, robust = (network(p, Nobody()) for p in (GROUPS._replace(robust=False, exact=True), GROUPS))
    for s in (exact, robust):
        s.advance(4)
    scores = [s.people.user[:, :K] @ s.tables.rows[:, :K].T for s in (exact, robust)]
    assert np.corrcoef(scores[0].ravel(), scores[1].ravel())[0, 1] > 0.9
    assert robust.bytes > exact.bytes


@pytest.mark.parametrize("protocol", [GROUPS, Consensus(pushes=3, bits=32, group=1)])
def test_a_run_with_attackers_continues_as_if_it_had_not_stopped(protocol):
    attack = Promote(share=0.1)
    whole, begun, again = (network(protocol, attack) for _ in range(3))
    whole.advance(3)
    begun.advance(2)
    again.restore({name: array.copy() for name, array in begun.state().items()})
    again.advance(1)
    assert_same(whole, again)


def test_attackers_send_changed_models():
    """Whom they reach has other rows after a round, and everybody else has the same."""
    honest = simulate(MF(factors=3), data())
    lying = simulate(MF(factors=3), data(), attack=Destroy(share=0.1, size=3.0))
    assert lying.attackers is not None
    sent, _ = lying.driver.send(0)
    for s in (honest, lying):
        s.tables.age[:] = 1
        s.advance(1)
    rows = [s.tables.rows.reshape(PEOPLE, -1) for s in (honest, lying)]
    changed = np.abs(rows[1] - rows[0]).max(axis=1) > 0.1
    reached = lying.attackers.who.copy()
    reached[sent.receiver[lying.attackers.who[sent.sender]]] = True
    np.testing.assert_array_equal(changed, reached)
    assert 0 < reached.sum() < PEOPLE


@pytest.mark.parametrize(
    ("change", "more", "told"),
    [
        ({"group": 1}, {}, "there are no groups"),
        ({"group": 20}, {}, "at least 5 masked groups, and there are 2 groups of 20 people"),
        ({"exact": True}, {}, "exact or robust"),
        ({}, {"timing": clock()}, "no virtual time yet"),
        ({}, {"model": MF(factors=3), "merge": FedAvg()}, "different weights"),
    ],
)
def test_what_robust_sums_cannot_do_is_refused(change, more, told):
    parts = {"model": ALS(factors=K), "protocol": GROUPS._replace(**change), "merge": MFFedAvg()} | more
    with pytest.raises(RecipeError, match=told):
        simulate(parts.pop("model"), data(), **parts)
