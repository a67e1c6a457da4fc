"""Runs with masked and encrypted sums: as good as plain ones, and their records tell nothing of anybody."""

import json

import numpy as np
import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.audit.audit import audit
from sottovoce.experiments.recipe import combinations, phrases
from sottovoce.experiments.runs.start import run_recipe

FEDERATED = {
    "protocol__name": "federated",
    "protocol__participants": 20,
    "run__rounds": 4,
    "evaluate__every": 4,
}
ALL_ROWS = {"name": "secure", "fewest": 1, "threshold": 1.0}
WATCHED = FEDERATED | {"run__rounds": 2, "privacy__observe": {"who": "server", "rounds": [1, 2]}}


def known(place):
    """The ways in which an audit finds items of people in single messages better than by guessing.

    Sums of groups are everybody's together, and tell which items are popular: that is another view. There are
    several ways, and one in twenty is beyond a 95 % interval by chance, so twice its width is asked for.
    """
    found = [one for one in audit(place).result["attacks"] if one["attack"] == "items"]
    figures = {one["way"]: one["precision"] for one in found if one["observer"] == "server"}
    there = {way: one for way, one in figures.items() if one["value"] is not None}
    return [way for way, one in there.items() if 2 * one["low"] - one["value"] > one["guessing"]]


@pytest.fixture(scope="module")
def plain(small):
    from sottovoce import testing

    with testing.uncompiled():
        return run_recipe(small(**FEDERATED))


@pytest.mark.parametrize("sum", [ALL_ROWS, "homomorphic", {"name": "homomorphic", "scheme": "ckks"}])
def test_quality_is_that_of_plain_sums(uncompiled, small, plain, sum):
    found = run_recipe(small(**FEDERATED, protocol__sum=sum))
    for name, value in plain.metrics.items():
        assert found.metrics[name] == pytest.approx(value, abs=0.002), name
    assert found.figures.bytes > plain.figures.bytes
    named = sum if isinstance(sum, str) else sum["name"]
    assert phrases.method(found.recipe) == f"mf, federated with {named} sums"


def test_a_server_learns_nothing_of_anybody_from_masked_messages(uncompiled, small, tmp_path):
    masked, seen = tmp_path / "masked", tmp_path / "plain"
    run_recipe(small(**WATCHED, protocol__sum=ALL_ROWS), masked)
    run_recipe(small(**WATCHED), seen)
    with np.load(next((masked / "observed").glob("*.npz"))) as record:
        assert len(record["sender"]) == 20
        assert record["masked_counts"].shape == (20, 80)
        assert len(record["sum_counts"]) == 80
    assert not known(masked)
    assert known(seen)


def test_a_server_learns_nothing_of_anybody_from_ciphertexts(uncompiled, small, tmp_path):
    run_recipe(small(**WATCHED, protocol__sum="homomorphic"), tmp_path / "run")
    assert not known(tmp_path / "run")


def test_what_was_not_summed_is_said(uncompiled, small, tmp_path):
    """Of those who train, a fifth are not heard, and a fifth may be missing: some aggregations fail.

    An aggregation takes many rounds' time, because keys and shares are much to send beside a small model.
    """
    links, sum = {"name": "uniform", "loss": 0.2}, {"name": "secure", "threshold": 0.8}
    longer = FEDERATED | {"run__rounds": 150, "evaluate__every": 150}
    recipe = small(**longer, protocol__sum=sum, network__links=links)
    run_recipe(recipe, tmp_path / "run")
    notes = json.loads((tmp_path / "run" / "result.json").read_text())["notes"]
    assert any("had no sum, because too few people" in note for note in notes)
    assert any("were not sent, because too few people changed them" in note for note in notes)


def test_a_group_of_everybody_can_be_too_large_for_masks(small):
    parts = small(protocol__name="federated", protocol__sum="secure").components()
    combinations.check_sum(parts, "the recipe", 1024)
    with pytest.raises(RecipeError, match=r"^the recipe: .* 1,100 participants, and secure sums 1,024"):
        combinations.check_sum(parts, "the recipe", 1100)
