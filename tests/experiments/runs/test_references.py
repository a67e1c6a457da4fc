"""Central references beside a run: recipe, result, tables, refusals."""

import importlib.util
import json

import polars as pl
import pytest

from sottovoce.errors import RecipeError, ResourceError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import machine
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run, run_recipe

ASKED = ["ease", {"name": "als", "factors": 4}]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    from tests.experiments.conftest import LONGER

    document = LONGER | {"evaluate": LONGER["evaluate"] | {"references": ASKED}, "run": {"rounds": 1}}
    path = tmp_path_factory.mktemp("references") / "run"
    run_recipe(Recipe.parse(document, "small.toml"), path)
    return path


def test_result(place):
    result = json.loads((place / "result.json").read_text())
    assert list(result["references"]) == ["ease", "als"]
    for name, metrics in result["references"].items():
        assert metrics.keys() == result["final"].keys() == result["baselines"]["popularity"].keys()
        assert metrics["hr@5"] > result["baselines"]["random"]["hr@5"], name
    assert Run.open(place).references == result["references"]


def test_people(place):
    people = pl.read_parquet(place / "per_user.parquet")
    for name, metrics in Run.open(place).references.items():
        for metric, mean in metrics.items():
            assert people[f"{name} {metric}"].mean() == pytest.approx(mean)


def test_report_and_table(place, capsys):
    from sottovoce.cli import show

    assert "ease (central)" in (place / "report.html").read_text()
    show.figures(Run.open(place))
    assert "als (central)" in capsys.readouterr().out


def test_recipe_is_written_out_and_read_back(place):
    recipe = Recipe.read(place / "recipe.toml")
    ease, als = recipe.evaluate.references
    assert ease.settings == {"regularization": 500.0}
    assert als.settings["factors"] == 4
    assert als.settings["iterations"] == 15
    assert recipe.resolved() == recipe


def test_from_python():
    from sottovoce.data.load import load

    data = load("synthetic", users=60, items=80)
    found = run(data, {"name": "mf", "factors": 3}, rounds=1, ks=(5,), references=["item-knn"])
    assert found.references["item-knn"]["hr@5"] > 0


def test_names_and_settings_are_checked(small):
    with pytest.raises(RecipeError, match="Did you mean 'item-knn'"):
        small(evaluate__references=["item-kn"]).components()
    with pytest.raises(RecipeError, match=r"evaluate\.references.*Did you mean 'factors'"):
        small(evaluate__references=[{"name": "als", "factor": 4}]).components()
    with pytest.raises(RecipeError, match="names 'als' twice"):
        small(evaluate__references=["als", "als"]).components()


def test_what_is_missing_is_said_with_the_command(small, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "implicit" else found(name))
    with pytest.raises(RecipeError, match=r"'als' needs implicit.*pip install 'sottovoce\[references\]'"):
        run_recipe(small(evaluate__references=["als"]))


def test_who_only_ranks_predicts_no_ratings(small):
    ratings = {"split__name": "rating", "split__candidates": None, "run__rounds": 1}
    with pytest.raises(RecipeError, match="'ease' ranks items and predicts no ratings"):
        run_recipe(small(**ratings, evaluate__references=["ease"]))
    found = run_recipe(small(**ratings, evaluate__references=["biased-mf"]))
    assert 0 < found.references["biased-mf"]["rmse"] < found.baselines["random"]["rmse"]


def test_errors_of_who_only_ranks_are_left_open(small):
    asked = {"evaluate__metrics": ["hr", "rmse"], "evaluate__references": ["ease"]}
    found = run_recipe(small(run__rounds=1, **asked))
    assert found.references["ease"]["rmse"] is None
    assert found.references["ease"]["hr@5"] > 0
    assert found.metrics["rmse"] > 0


def test_what_does_not_fit_is_refused(small, monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 50_000_000)
    with pytest.raises(ResourceError, match=r"'ease' needs about .* Leave it out of"):
        run_recipe(small(evaluate__references=["ease"]))
