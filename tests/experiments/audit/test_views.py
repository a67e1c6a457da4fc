"""What observers know, beside a slow look at every pair of messages."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.experiments.audit import attacks, records
from sottovoce.experiments.audit.views import views
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.peers.k_out import KOut
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from tests.networks import simulate
from tests.protocols.test_disclose import Hide
from tests.simulate.test_observe import crowd, watching

pytestmark = pytest.mark.usefixtures("uncompiled")
PEOPLE, ITEMS = 9, 24


def observed(model, rounds, *, server=False, **parts):
    """Records of a network in which everybody observes."""
    data = crowd(PEOPLE, ITEMS)
    watch, seen = watching(server=server, nodes=[] if server else range(PEOPLE), first=1, last=rounds)
    simulate(model, data, observation=watch, **parts).advance(rounds)
    truth = attacks.Truth(data.indptr, data.item.astype(np.int64), ITEMS)
    return records.joined([records.of_arrays(round, arrays) for round, arrays in seen]), truth


def by_way(view, truth, per_item=1):
    return {
        entry["way"]: entry
        for entry in attacks.items(view, truth, attacks.ways(view, truth), attacks.count(view, per_item))
    }


@pytest.mark.parametrize("chain", [Whole(), Chain(share=0.4)], ids=["whole", "some"])
def test_differences_of_models(chain):
    seen, _ = observed(MF(factors=3), 4, protocol=Gossip(pushes=2), peers=KOut(3), chain=chain)
    (alone, together, _) = views(seen, ITEMS)
    assert (alone.name, together.name) == ("neighbour", "colluders")
    last, expected = {}, set()
    for n in range(len(seen.round)):
        for row in np.flatnonzero(seen.message == n):
            key = int(seen.observer[n]), int(seen.sender[n]), int(seen.ids[row])
            before = last.get(key)
            if before is not None and (seen.rows[before] != seen.rows[row]).any():
                change = seen.rows[row] - seen.rows[before]
                expected.add((key[1], key[2], int(seen.age[row] - seen.age[before]), change.tobytes()))
            last[key] = row
    changes = alone.changes
    found = {
        (int(alone.person[t]), int(item), int(growth), change.tobytes())
        for t, item, growth, change in zip(
            changes.target, changes.item, changes.growth, changes.change, strict=True
        )
        if change.any()
    }
    assert found == expected
    assert len(np.unique(together.person)) == len(together.person)


def test_both_sides_see_exactly_what_a_training_touched():
    seen, truth = observed(MF(factors=3), 5, protocol=Gossip(pushes=2), peers=KOut(3))
    around = views(seen, ITEMS)[2]
    assert around.name == "both sides"
    assert len(around.person) > 3
    found = by_way(around, truth)["age"]
    assert found["precision"]["value"] == found["recall"]["value"] == 1


def test_a_server_sees_updates_and_how_many_items_there_are():
    model = GMF(factors=2, negatives=2, epochs=2)
    seen, truth = observed(model, 3, server=True, protocol=Federated(), merge=FedAvg())
    (view,) = views(seen, ITEMS)
    assert view.updates
    held = np.diff(truth.indptr)[view.person]
    np.testing.assert_array_equal(view.size, held * 2 * 3)
    found = by_way(view, truth, per_item=6)
    assert found["changed"]["recall"]["value"] == 1
    assert found["side"]["recall"]["value"] > 2 * found["side"]["recall"]["guessing"]


@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=2, negatives=1)], ids=["mf", "gmf"])
def test_a_step_that_hides_makes_the_attack_fail(model):
    parts = {"server": True, "protocol": Federated(), "merge": MFFedAvg()}
    plain, truth = observed(model, 2, **parts)
    hidden, _ = observed(model, 2, steps=(Hide(),), **parts)
    per_item = 1 + getattr(model, "negatives", 0) * 1
    open_, closed = (by_way(views(seen, ITEMS)[0], truth, per_item) for seen in (plain, hidden))
    best = max(entry["recall"]["value"] for way, entry in open_.items() if way != "never")
    assert best > 0.9
    for way, entry in closed.items():
        if way != "never":
            assert entry["recall"]["value"] <= entry["recall"]["guessing"] + 1e-9, way


def test_many_people_are_thinned_out_evenly(monkeypatch):
    seen, _ = observed(MF(factors=3), 2, server=True, protocol=Federated(), merge=MFFedAvg())
    monkeypatch.setattr("sottovoce.experiments.audit.views.PEOPLE", 3)
    (view,) = views(seen, ITEMS)
    assert view.person.tolist() == [0, 4, 8]
    kept = seen.among(np.isin(seen.sender, view.person))
    assert len(view.changes.item) == len(kept.ids)
