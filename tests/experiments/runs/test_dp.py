"""ε stands in every result, page and terminal of a run that promised it, and refusals name the recipe."""

import json

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.privacy import disclosed
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run_recipe

LOCAL = {
    "protocol__name": "federated",
    "protocol__aggregate": "simple",
    "privacy__steps": [{"name": "gaussian", "length": 0.5, "epsilon": 4.0, "disclosures": 2}],
}
CENTRAL = {"protocol__name": "federated", "protocol__aggregate": "simple"} | {
    "protocol__sum": {"name": "central", "epsilon": 2.0, "delta": 1e-4, "noise": 30.0}
}


@pytest.fixture(scope="module")
def private(tmp_path_factory, small):
    place = tmp_path_factory.mktemp("private") / "run"
    run_recipe(small(**LOCAL), place)
    return place


def test_the_result_says_what_was_spent(private):
    found = json.loads((private / "result.json").read_text())["dp"]
    assert found["trust"] == "local"
    assert found["relation"].startswith("replace")
    assert 3.9 < found["epsilon"] <= found["budget"] == 4.0
    assert found["delta"] == 1e-5
    assert found["allowed"] == 2
    assert found["disclosures"] == {"min": 2, "median": 2, "max": 2}
    assert found["stopped"] == Run.open(private).figures.data.people
    assert found["randomness"] == "the run's seed"


def test_the_resolved_recipe_has_all_figures_and_gives_the_same_run(private, tmp_path):
    recipe = Run.open(private).recipe
    step = recipe.privacy.steps[0].settings
    assert step["noise"] > 2
    again = run_recipe(recipe, tmp_path / "again", report=False)
    assert again.metrics == Run.open(private).metrics


def test_report_and_terminal_say_it(private, capsys):
    from sottovoce.cli import show

    show.figures(Run.open(private))
    told = "Differential privacy, local: ε = 4 at δ = 1e-05"
    assert told in capsys.readouterr().out
    page = (private / "report.html").read_text()
    assert told in page
    assert "protects nobody" in page


def test_components_say_what_noise_hides(small):
    local = disclosed(small(**LOCAL).components())
    assert local[0].tells.startswith("Without noise: ")
    assert "e^4" in local[-1].tells
    central = disclosed(small(**CENTRAL).components())
    assert not central[0].tells.startswith("Without noise")
    assert central[-1].to == "everybody"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (LOCAL | {"privacy__steps": ["gaussian"]}, "small.toml: privacy.steps.1: 'gaussian' is told neither"),
        (
            CENTRAL | {"protocol__aggregate": "simple", "protocol__selection": "useful"},
            "small.toml: selection",
        ),
        (CENTRAL | {"protocol__aggregate": "mf-fedavg"}, "small.toml: This aggregation weighs"),
        (
            LOCAL
            | {"protocol__name": "gossip", "protocol__aggregate": None, "protocol__merge": "dataset-size"},
            "small.toml: This merge rule weighs models by how much data",
        ),
    ],
)
def test_refusals_name_the_recipe(small, changes, why):
    with pytest.raises(RecipeError, match=why):
        small(**changes).components()


def test_delta_is_compared_with_the_number_of_people(small):
    loose = {"name": "gaussian", "epsilon": 4.0, "disclosures": 2, "delta": 0.5}
    with pytest.raises(RecipeError, match=r"delta = 0\.5 is not below 1 / "):
        run_recipe(small(**LOCAL | {"privacy__steps": [loose]}))


def test_runs_without_noise_promise_nothing(finished):
    assert Run.open(finished).figures.dp is None
