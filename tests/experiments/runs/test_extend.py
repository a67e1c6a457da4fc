"""A finished run goes on: the result is that of one run with the same plan, to the last bit."""

import shutil

import numpy as np
import pytest

from sottovoce.errors import RecipeError, RunError
from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs import extend as module
from sottovoce.experiments.runs.extend import extend
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run, run_recipe


@pytest.fixture(scope="module")
def first(small, tmp_path_factory):
    """Four rounds of `mf`, whose steps do not depend on how many there are, with all models kept."""
    place = tmp_path_factory.mktemp("first") / "run"
    return run_recipe(small(run__rounds=4, run__keep_models=True), place)


def same(one, other):
    """Everything but time."""
    curves = [[{k: v for k, v in e.items() if k != "seconds"} for e in r.curve] for r in (one, other)]
    assert curves[0] == curves[1]
    assert one.result["final"] == other.result["final"]
    assert one.people()["hr@5"].to_list() == other.people()["hr@5"].to_list()
    arrays = [checkpoint.newest(r.directory).arrays for r in (one, other)]
    for name in ("rows", "age", "user", "steps"):
        np.testing.assert_array_equal(arrays[0][name], arrays[1][name])


def test_it_equals_a_run_with_the_same_plan(small, first, tmp_path):
    longer = first.extend(10, tmp_path / "longer")
    whole = run_recipe(small(run__rounds=10, run__planned=4, run__keep_models=True), tmp_path / "whole")
    same(longer, whole)
    assert [event["round"] for event in longer.curve] == [0, 3, 4, 6, 9, 10]
    assert (longer.result["rounds"], longer.recipe.run.planned) == (10, 4)
    assert Run.open(first.directory).result == first.result, "the first part stays as it is"
    further = Run.open(first.directory).extend(7, tmp_path / "seven").extend(10, tmp_path / "further")
    assert further.result["final"] == longer.result["final"]
    assert further.recipe.run.planned == 4


def test_a_model_whose_steps_shrink_keeps_its_plan(small, tmp_path):
    """`ials` makes steps that depend on the number of rounds: 6 of 6 are not the first 6 of 10."""
    ials = {"model__name": "ials", "evaluate__every": 10, "run__keep_models": True}
    short = run_recipe(small(**ials, run__rounds=6), tmp_path / "short")
    longer = short.extend(10)
    assert longer.directory == tmp_path / "short-10"
    same(longer, run_recipe(small(**ials, run__rounds=10, run__planned=6), tmp_path / "planned"))
    plain = run_recipe(small(**ials, run__rounds=10), tmp_path / "plain")
    rows = [checkpoint.newest(r.directory).arrays["rows"] for r in (longer, plain)]
    assert not np.array_equal(*rows)
    ahead = run_recipe(small(**ials, run__rounds=6, run__planned=10), tmp_path / "ahead").extend(10)
    np.testing.assert_array_equal(checkpoint.newest(ahead.directory).arrays["rows"], rows[1])
    assert ahead.result["final"] == plain.result["final"]


def test_items_that_arrived_stay(small, tmp_path):
    coming = {"arrivals__share": 0.5, "arrivals__every": 1, "run__keep_models": True}
    short = run_recipe(small(**coming, run__rounds=4), tmp_path / "short")
    longer = short.extend(7)
    same(longer, run_recipe(small(**coming, run__rounds=7, run__planned=4), tmp_path / "whole"))


def test_data_from_python(first, tmp_path):
    from sottovoce.data.load import load

    data = load("synthetic", users=60, items=80)
    mine = run(
        data,
        {"name": "mf", "factors": 3},
        rounds=2,
        ks=[5],
        settings={"split.candidates": 20},
        keep_models=True,
        out=tmp_path / "mine",
    )
    assert mine.extend(4).result["rounds"] == 4
    with pytest.raises(RecipeError, match="passed in Python"):
        Run.open(tmp_path / "mine").extend(5)
    assert not (tmp_path / "mine-5").exists(), "what was refused leaves nothing"


def test_refusals(small, first, finished, tmp_path, monkeypatch):
    with pytest.raises(
        RunError, match=r"kept no models to continue from\. Run it again with run\.keep_models"
    ):
        extend(finished, 20)
    with pytest.raises(RecipeError, match="already has 4 rounds, and 4 is not more"):
        first.extend(4)
    with pytest.raises(RunError, match="is not a run directory"):
        extend(tmp_path / "nowhere", 20)
    with pytest.raises(RunError, match="holds the results of another run"):
        first.extend(6, finished)
    with pytest.raises(RunError, match="has no directory"):
        Run(first.recipe, first.result, first.curve).extend(6)
    monkeypatch.setattr(module, "__version__", "99")
    with pytest.raises(RunError, match="and this is 99"):
        first.extend(6)
    copy = tmp_path / "churn"
    shutil.copytree(first.directory, copy)
    with (copy / "recipe.toml").open("a") as file:
        file.write('\n[network.links]\nname = "uniform"\n[network.churn]\nname = "phones"\n')
    (copy / "recipe.toml").write_text(
        "\n".join(
            line for line in (copy / "recipe.toml").read_text().splitlines() if not line.startswith("peers")
        ).replace("[network]\n", "")
    )
    with pytest.raises(RunError, match="has churn"):
        extend(copy, 6)


def test_the_data_must_be_the_same(first, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(first.directory, copy)
    recipe = (copy / "recipe.toml").read_text()
    (copy / "recipe.toml").write_text(recipe.replace("users = 60", "users = 61"))
    with pytest.raises(RunError, match=r"The data changed since the run in .* began: synthetic"):
        extend(copy, 6)
    assert not (tmp_path / "run-6").exists()


def test_resuming_with_more_rounds_names_the_command(small, first):
    with pytest.raises(RunError, match=r"To continue from its models: sottovoce extend .* --rounds 9\."):
        run_recipe(small(run__rounds=9), first.directory, resume=True)
