"""What commands do, as Python functions."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

import sottovoce as sv
from sottovoce.errors import RecipeError, RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import find
from sottovoce.experiments.runs import sweep as sweeping
from sottovoce.experiments.runs.start import run_recipe

MF = {"name": "mf", "factors": 3}


@pytest.fixture
def recipe(recipe_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return recipe_file()


@pytest.fixture(scope="module")
def data():
    return sv.load("synthetic", users=60, items=80)


def test_every_public_name_is_there_and_none_is_imported_early():
    assert all(callable(getattr(sv, name)) for name in sv.__all__ if name != "__version__")
    heavy = ("numpy", "numba", "click", "pydantic")
    code = f"import sys, sottovoce; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_one_default_for_python_and_the_command_line(data, monkeypatch):
    seen = []

    def note(recipe, *rest, fit, **more):
        seen.append((recipe, fit))
        return SimpleNamespace(failed=False)

    monkeypatch.setattr("sottovoce.experiments.runs.start.run_recipe", note)
    sv.run("ml-100k", ks=[10])
    sv.run("ml-100k", rounds=3)
    sv.run("ml-100k", protocol="consensus")
    sv.run("ml-100k", merge="none")
    documents, fits = zip(*((recipe.document(), fit) for recipe, fit in seen), strict=True)
    usual = Recipe.read(find("consensus"), ["evaluate.ks=[10]"]).document()
    assert documents[0] == usual
    assert documents[1]["run"] == usual["run"] | {"rounds": 3}
    assert fits == (True, False, False, False)
    assert documents[2]["model"]["name"] == "als"
    assert "least_gain" not in documents[2]["run"]
    assert (documents[3]["model"]["name"], documents[3]["protocol"]["name"]) == ("ials", "gossip")


def test_everything_that_a_recipe_can_say(data, monkeypatch):
    """Each argument of `run`, and settings, end in the recipe that a file would give."""
    seen = []

    def note(recipe, *rest, **more):
        seen.append(recipe)
        return SimpleNamespace(failed=False)

    monkeypatch.setattr("sottovoce.experiments.runs.start.run_recipe", note)
    sv.run(
        data,
        MF,
        {"name": "gossip", "pushes": 2},
        "model-age",
        split={"name": "local-holdout", "candidates": 20},
        compress=["subsample", {"name": "quantize", "bits": 8}],
        peers="uniform",
        links={"name": "uniform", "transfer": 600},
        churn="phones",
        arrivals={"share": 0.5},
        disclose=True,
        settings={"evaluate.tune": 2, "run.storage": "bfloat16", "network.churn.session": 30.0},
    )
    sv.run("synthetic", MF, "federated", aggregate="fedavg", network={"links": "uniform"})
    document = {
        "data": {"name": "synthetic", "in_memory": True},
        "split": {"name": "local-holdout", "candidates": 20},
        "arrivals": {"share": 0.5},
        "model": MF,
        "protocol": {
            "name": "gossip",
            "pushes": 2,
            "merge": "model-age",
            "compress": ["subsample", {"name": "quantize", "bits": 8}],
        },
        "network": {
            "peers": "uniform",
            "links": {"name": "uniform", "transfer": 600},
            "churn": {"name": "phones", "session": 30.0},
        },
        "privacy": {"disclose": True},
        "evaluate": {"tune": 2},
        "run": {"storage": "bfloat16"},
    }
    assert seen[0] == Recipe.parse(document)
    federated = {"name": "federated", "aggregate": "fedavg"}
    assert seen[1] == Recipe.parse(
        {"data": {"name": "synthetic"}, "model": MF, "protocol": federated, "network": {"links": "uniform"}}
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"evaluate.tuned": 2}, r"run\(…\): evaluate\.tuned is not a key .* Did you mean 'tune'"),
        ({"model.factor": 2}, "Did you mean 'factors'"),
        ({"rounds": 2}, "settings has 'rounds', which is not of the form"),
        ({"run.": 2}, "is not of the form"),
        ({"run.rounds.more": 2}, r"settings: run\.rounds\.more: rounds is not a table"),
        ({"run.rounds": "many"}, r"run\.rounds = 'many' cannot be used"),
        ({"nets.peers": "uniform"}, "nets is not a section"),
    ],
)
def test_settings_are_checked_as_a_recipe_is(data, settings, said):
    with pytest.raises(RecipeError, match=said):
        sv.run(data, MF, settings=settings)


def test_a_recipe_with_changes(recipe, data):
    run = sv.run_recipe(recipe, settings={"run.rounds": 3}, out="run")
    assert run.result["rounds"] == 3
    assert run.result["final"] == run_recipe(Recipe.read(recipe, ["run.rounds=3"])).result["final"]
    given = sv.run_recipe(recipe, data=data, settings={"run.rounds": 3})
    assert given.result["final"] == run.result["final"]
    assert given.recipe.data.in_memory
    assert sv.Run.open("run").history("7") == run.history("7")


def test_sweep_and_report(recipe, monkeypatch, capfd):
    monkeypatch.setattr(sweeping, "cores", lambda: 4)  # so that each of two has the usual, parallel kernels
    same = (recipe, {"evaluate.metric": ["hr@5", "ndcg@5"]}, [1, 2])
    found = sv.sweep(*same, settings={"run.rounds": 3}, jobs=2, out="all")
    assert capfd.readouterr().err == "", "quiet where nobody watches"
    assert found.failures == ()
    assert [row["seeds"] for row in found.summary["points"]] == [[1, 2], [1, 2]]
    assert {run.recipe.run.rounds for run in found.runs} == {3}
    assert len(found.runs) == 4
    assert repr(found) == "<Sweep of 4 runs under 2 settings: all>"
    assert found.report.read_text().startswith("<!doctype html>") or found.report.exists()
    assert json.loads((found.directory / "summary.json").read_text()) == found.summary
    table = found.to_pandas()
    assert table["evaluate.metric"].tolist() == ["hr@5", "ndcg@5"]
    assert table["hr@5"][0] == found.summary["points"][0]["mean"]["hr@5"]
    page = sv.report(found.runs[0], found.runs[1].directory, out="two.html", export="tables")
    assert page.path.exists()
    assert page.headline
    assert any(path.suffix == ".csv" for path in page.files)
    own = sv.report("all/" + found.runs[0].directory.parent.name + "/seed-1")
    assert own.path == found.runs[0].directory / "report.html"
    with pytest.raises(RunError, match="No run was given"):
        sv.report()
    with pytest.raises(RunError, match="has no directory"):
        sv.report(sv.run("synthetic", MF, rounds=1, settings={"data.users": 60, "data.items": 80}))


def test_a_sweep_that_fails_says_why(recipe, capfd):
    found = sv.sweep(recipe, {"evaluate.metric": ["rmse"]}, out="all")
    assert len(found.failures) == 1
    assert "is not measured by the split" in found.failures[0]
    assert "is not measured by the split" in capfd.readouterr().err
    assert found.report is None


def test_reproduce(recipe, monkeypatch):
    monkeypatch.setattr(sweeping, "cores", lambda: 2)
    recipe.with_name("table.toml").write_text("""# One way.
base = "small.toml"
metric = "hr@5"
tuned = "Nothing."

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Table 1"

[axes.epochs]
"1 epoch" = { "model.epochs" = 1 }

[[rows]]
paper = { "1 epoch" = 0.5 }
tolerance = 1
""")
    found = sv.reproduce(recipe.with_name("table.toml"), seeds=1, out="table")
    assert found["directory"] == "table"
    assert [(row["name"], row["paper"], row["holds"]) for row in found["rows"]] == [("1 epoch", 0.5, True)]
    quick = sv.reproduce(recipe.with_name("table.toml"), quick=True, out="table")
    assert [row["holds"] for row in quick["rows"]] == [None]


def test_what_is_shipped_and_whether_all_is_well():
    assert sv.recipes()[0].name == "consensus"
    assert {found.kind for found in sv.recipes()} == {"recipe", "reproduction"}
    checks = sv.doctor()
    assert {check.about for check in checks} == {"python", "packages", "kernels", "data", "memory"}
    assert all(check.state in ("ok", "note", "BROKEN") for check in checks)


def test_data(data):
    assert sv.info(data)["users"] == 60
    assert sv.info("synthetic", users=50)["users"] == 50
    assert "ml-100k" in [known["name"] for known in sv.data_sets()]


def test_how_runs_and_data_look(data):
    run = sv.run(data, MF, rounds=1, ks=[5], settings={"split.candidates": 20})
    assert repr(run).startswith("<Run of mf by gossip: hr@5 0.")
    page = run._repr_html_()
    assert '<th scope="row">popularity</th>' in page
    assert f"{run.metrics['hr@5']:.4f}" in page
    assert run.data is data


@pytest.mark.parametrize("out", ["", " "])
def test_an_empty_place_is_not_the_current_directory(out: str) -> None:
    for function in (sv.run_recipe, sv.sweep):
        with pytest.raises(RunError, match="out is empty"):
            function("quickstart", settings={"data.name": "synthetic"}, out=out)
