"""What [evaluate] may ask for, and what a run writes down about its split."""

import json
from pathlib import Path

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.start import run_recipe

BASE = {"data": {"name": "synthetic", "users": 60, "items": 80}, "model": {"name": "popularity"}}


def recipe(**evaluate: object) -> Recipe:
    document = BASE | {"protocol": {"name": "central"}, "evaluate": evaluate, "run": {"rounds": 2}}
    return Recipe.parse(document, "test.toml")


def test_names_of_metrics_are_checked() -> None:
    with pytest.raises(
        RecipeError, match=r"test.toml: evaluate.metrics has 'hitrate', which is not a metric"
    ):
        recipe(metrics=["hr", "hitrate"])
    with pytest.raises(RecipeError, match="Did you mean 'item-coverage'"):
        recipe(metrics=["items-coverage"])
    with pytest.raises(RecipeError, match=r"evaluate.candidates = 'some' cannot be used"):
        recipe(candidates="some")


def test_a_run_measures_what_was_asked_for(tmp_path: Path) -> None:
    names = ["recall", "f1-list", "item-coverage", "bias-disparity"]
    run = run_recipe(recipe(metrics=names, candidates="all", ks=[5]), tmp_path / "run", progress=False)
    assert list(run.metrics) == ["recall@5", "f1-list@5", "item-coverage@5", "bias-disparity@5"]
    assert run.result["metric"] == "recall@5"
    assert list(run.result["tails"]) == ["recall@5", "f1-list@5"]
    assert run.result["categories"]["bias-disparity@5"]
    beside = run.result["categories_beside"]
    assert beside.keys() == {"popularity", "random"}
    assert beside["random"]["bias-disparity@5"].keys() == run.result["categories"]["bias-disparity@5"].keys()
    assert run.recipe.evaluate.metrics == names
    manifest = json.loads((tmp_path / "run" / "split.json").read_text())
    assert manifest["sha256"] == run.result["split"]
    assert set(manifest["parts"]) == {"train", "test", "weighting"}
    again = Recipe.read(tmp_path / "run" / "recipe.toml")
    assert again.evaluate == run.recipe.evaluate


def test_a_run_is_judged_by_what_each_person_has() -> None:
    with pytest.raises(RecipeError, match="only metrics of the system as a whole"):
        run_recipe(recipe(metrics=["gini"], candidates="all"), progress=False)
    with pytest.raises(RecipeError, match=r"evaluate\.metric = 'gini@5' is not"):
        run_recipe(recipe(metrics=["gini", "recall"], metric="gini@5"), progress=False)
