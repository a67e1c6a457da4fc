"""What participants know of each other, and a server of its sums."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.evaluate.audit import whole_updates
from sottovoce.experiments.audit import attacks, participants, records
from sottovoce.experiments.audit.advice import personal
from sottovoce.experiments.audit.private import _matrix
from sottovoce.models.mf import MF
from sottovoce.protocols.federated import Federated
from tests.networks import simulate
from tests.simulate.test_observe import crowd, watching

pytestmark = pytest.mark.usefixtures("uncompiled")
PEOPLE, ITEMS = 12, 24
OBSERVERS = range(9)


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
    return {entry["way"]: entry for entry in attacks.items(view, truth, 1)}


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
    excluded = attacks.not_items(participants.of_sums(sums(own), ITEMS, held), truth)
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
