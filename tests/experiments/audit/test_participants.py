"""What participants know of each other, and a server of its sums."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.sums.homomorphic import Homomorphic
from sottovoce.evaluate.audit import whole_updates
from sottovoce.experiments.audit import attacks, participants, records
from sottovoce.experiments.audit.advice import personal
from sottovoce.experiments.audit.private import _matrix
from sottovoce.experiments.audit.sentences import sentence
from sottovoce.models.mf import MF
from sottovoce.protocols.federated import Federated
from tests.networks import simulate
from tests.simulate.test_observe import crowd, watching

pytestmark = pytest.mark.usefixtures("uncompiled")
PEOPLE, ITEMS = 12, 24
OBSERVERS = range(9)
SUM = "senders", "counts", "items", "rows", "head"


def federation(protocol, rule, rounds=3, observers=OBSERVERS):
    """The views of participants, the truth, and what was sent."""
    data = crowd(PEOPLE, ITEMS)
    watch, seen = watching(server=True, nodes=observers, first=1, last=rounds)
    simulate(MF(factors=3), data, observation=watch, protocol=protocol, merge=rule).advance(rounds)
    every = records.joined([records.of_arrays(round, arrays) for round, arrays in seen])
    sent, held = every.among(every.update), np.diff(data.indptr)
    truth = attacks.Truth(data.indptr, data.item.astype(np.int64), ITEMS)
    return participants.views(every, sent, rule, ITEMS, held), truth, sent, every


def by_way(view, truth):
    return {
        entry["way"]: entry
        for entry in attacks.items(view, truth, attacks.ways(view, truth), attacks.count(view, 1))
    }


def test_in_a_group_of_two_the_other_one_has_no_secrets():
    """Between two models lies one aggregation, in which one person took part beside an observer."""
    rule, rounds = MFFedAvg(), np.arange(1, 13)
    views, truth, sent, every = federation(Federated(participants=2), rule, rounds=12)
    together = by_way(views[-1], truth)
    assert personal(together["every"]["recall"])
    models = every.among(~every.update)
    exact = 0
    for step in participants._steps(models, sent, rule, None, rounds, ITEMS):
        before = sent.among((sent.round == step.time) & np.isin(sent.sender, step.others))
        if len(step.others) == 1 and len(before.round) == 1:
            true = np.zeros((ITEMS, 4), np.float32)
            true[before.ids] = before.rows
            np.testing.assert_allclose(step.rows, true, atol=2e-5)
            exact += 1
    assert exact > 1


def test_in_a_large_group_nothing_is_about_one_person():
    views, truth, *_ = federation(Federated(), MFFedAvg())
    assert [view.name for view in views] == ["participant", "participants"]
    for view in views:
        for way, entry in by_way(view, truth).items():
            assert not personal(entry["recall"]), (view.name, way)


def test_a_participant_who_sees_one_model_knows_nothing():
    views, *_ = federation(Federated(), MFFedAvg(), rounds=1)
    assert views == []


def decrypting(people, rounds):
    """The views of participants who decrypt sums, the sums, and the truth."""
    protocol, data, rule = Federated(participants=people), crowd(PEOPLE, ITEMS), MFFedAvg()
    _, truth, sent, _ = federation(protocol, rule, rounds)
    watch, seen = watching(nodes=OBSERVERS, first=1, last=rounds)
    parts = {"protocol": protocol, "merge": rule, "sum": Homomorphic()}
    simulate(MF(factors=3), data, observation=watch, **parts).advance(rounds)
    found = [
        records.Sum(round, int(one["sum_clock"][0]), *(one[f"sum_{name}"] for name in SUM), who, total)
        for round, one in seen
        if "sum_clock" in one
        for who, total in ((int(who), int(one["sum_totals"][0])) for who in one["sum_observer"])
    ]
    return participants.decrypted(found, sent, rule, ITEMS, np.diff(data.indptr)), found, truth, sent


def test_who_decrypts_a_sum_of_two_and_was_in_it_has_the_others_update():
    views, found, truth, sent = decrypting(people=2, rounds=12)
    assert [view.name for view in views] == ["decrypting", "decrypting together"]
    exact = 0
    for one in found:
        step = participants._others_part(
            one, sent, MFFedAvg(), ITEMS, np.array([one.observer]), np.arange(1, 13)
        )
        assert one.observer not in step.others
        if len(step.others) == 1:
            other = sent.among((sent.clock == one.clock) & (sent.sender == step.others[0]))
            true = np.zeros((ITEMS, 4), np.float32)
            true[other.ids] = other.rows
            np.testing.assert_allclose(step.rows, true, atol=1e-6)
            assert step.rows.any(axis=1).nonzero()[0].tolist() == sorted(other.ids.tolist())
            exact += 1
    assert exact > 1
    assert any(personal(entry["recall"]) for entry in by_way(views[0], truth).values())


def test_who_decrypts_knows_of_rows_with_one_contributor():
    _, found, _, sent = decrypting(people=2, rounds=3)
    entry = attacks.decrypted(found, sent)
    assert (entry["observer"], entry["way"]) == ("decrypting", "decrypted sum")
    assert entry["smallest"] == 1
    assert entry["exposed"]["value"] > 0.5
    assert "In decrypted sums" in sentence(entry)
    assert attacks.decrypted([], sent) is None
    assert attacks.decrypted(found, None) is None


def sums(own, rounds=3, group=2):
    """Sums of groups whose members changed the rows of their own items."""
    made, rng = [], np.random.default_rng(1)
    for round in range(1, rounds + 1):
        order = rng.permutation(len(own))
        for number in range(0, len(own), group):
            who = order[number : number + group]
            counts = own[who].sum(axis=0)
            kept = np.flatnonzero(counts >= 2)
            rows = np.ones((len(kept), 3), np.float32)
            made.append(
                records.Sum(round, 100 * round + number, who, counts, kept, rows, np.zeros(0, np.float32))
            )
    return made


def test_sums_of_small_groups_tell_more_than_sums_of_large_ones():
    data = crowd(PEOPLE, ITEMS)
    truth = attacks.Truth(data.indptr, data.item.astype(np.int64), ITEMS)
    own, held = truth.own(np.arange(PEOPLE)), np.diff(data.indptr)
    small, large = (
        by_way(participants.of_sums(sums(own, group=group), ITEMS, held), truth)["every"]["recall"]
        for group in (2, PEOPLE)
    )
    assert personal(small)
    assert not personal(large)
    seen = participants.of_sums(sums(own), ITEMS, held)
    excluded = attacks.not_items(seen, truth, attacks.unchanged(seen, truth))
    assert excluded["precision"]["value"] == 1


def test_rows_below_the_limit_are_not_summed():
    own = np.zeros((4, 5), bool)
    own[:, 0], own[0, 1] = True, True
    entry = attacks.sums(None, sums(own, rounds=1, group=4))
    assert entry["way"] == "masked sum"
    assert (entry["smallest"], entry["alone"], entry["exposed"]["value"]) == (4, 0, 0)


def test_the_matrix_of_changes():
    views, *_ = federation(Federated(), MFFedAvg())
    seen = _matrix(views[0].changes, len(views[0].person), ITEMS)
    assert seen.shape == (len(views[0].person), ITEMS * 4)
    assert whole_updates.attack(seen, seen, views[0].person).value == pytest.approx(1)
