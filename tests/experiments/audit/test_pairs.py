"""Federated pair-wise ranking, observed and audited from end to end."""

import numpy as np
import pytest

from sottovoce.evaluate.audit.changes import Changes
from sottovoce.experiments.audit import pairs
from sottovoce.experiments.audit.attacks import Truth
from sottovoce.experiments.audit.audit import audit
from sottovoce.experiments.audit.views import View
from sottovoce.experiments.runs.start import run_recipe


def ranked(small, place, *steps):
    """A run of two rounds with five aggregations each, of twelve triples."""
    watch = {"who": "server", "rounds": [1, 2]}
    parts = {
        "model__name": "bpr",
        "model__factors": 8,
        "model__triples": 12.0,
        "run__rounds": 2,
        "protocol__name": "federated",
        "protocol__aggregations": 5.0,
        "protocol__aggregate": "sum",
        "privacy__observe": watch,
        "privacy__steps": list(steps),
    }
    run_recipe(small(**parts), place)
    return place


def entries(place, attack):
    return {e["way"]: e for e in audit(place).result["attacks"] if e["attack"] == attack}


def silence(probability, drawn="item"):
    return {"name": "positive-feedback", "probability": probability, "drawn": drawn}


@pytest.fixture(scope="module")
def silent(small, tmp_path_factory):
    return ranked(small, tmp_path_factory.mktemp("pairs") / "silent", silence(0.0))


def test_without_steps_signs_tell_every_item_that_was_drawn(small, tmp_path):
    found = entries(ranked(small, tmp_path / "run"), "items")
    assert found["rose"]["precision"]["value"] == 1
    assert found["rose"]["recall"]["value"] > 0.9
    assert found["changed"]["precision"]["value"] < 0.8


def test_signs_fail_where_nothing_is_disclosed_and_arithmetic_does_not(silent):
    found = entries(silent, "items")
    assert found["rose"]["recall"]["value"] == 0
    assert found["rose"]["precision"]["value"] is None
    for way in ("withheld", "everything"):
        assert found[way]["precision"]["value"] > 0.99
        assert found[way]["recall"]["value"] > 0.9
        first, last = (point["recall"]["value"] for point in found[way]["over_rounds"])
        assert first < last


def test_sampled_items_are_excluded_rightly(silent):
    found = entries(silent, "not-items")["fell"]
    assert found["precision"]["value"] == 1
    assert found["recall"]["value"] > 0.5


def test_fewer_people_are_seen_as_before():
    target = np.repeat(np.arange(10), 6)
    changes = Changes(
        target, target * 0, target, np.tile(np.arange(6), 10), -np.ones((60, 3)), target * 0 + 1
    )
    view = View("server", np.arange(100, 110), np.arange(10), changes, True, 1)
    truth = Truth(np.arange(11), np.arange(10), 6)
    some = pairs.fewer(view, truth, cells=5 * 36)
    assert some.person.tolist() == [100, 102, 104, 106, 109]
    assert some.size.tolist() == [0, 2, 4, 6, 9]
    np.testing.assert_array_equal(some.changes.target, np.repeat(np.arange(5), 6))
    assert set(some.changes.message) == {0, 2, 4, 6, 9}
    assert pairs.fewer(view, truth) is view
