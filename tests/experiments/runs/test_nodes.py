"""What nodes did stands in the run directory and in the report; people may use their best models."""

import re

import numpy as np
import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.report.report import report
from sottovoce.experiments.runs.start import run_recipe

PEPPER = {
    "split__weighting": 0.35,
    "protocol__pushes": 2,
    "protocol__merge": {"name": "performance", "k": 5},
    "network__peers": {"name": "personalized", "view": 2, "refresh": 3},
    "evaluate__every": 2,
}


@pytest.fixture(scope="module")
def run(small, tmp_path_factory):
    return run_recipe(small(**PEPPER, evaluate__best="noted"), tmp_path_factory.mktemp("nodes") / "run")


def test_each_node_has_its_figures(run):
    people, told = run.people(), run.result["by_node"]
    kinds = {"received", "seconds", "converged", "listeners", "likeness", "chance likeness"}
    assert {c.removeprefix("node ") for c in people.columns if c.startswith("node ")} == kinds == set(told)
    assert people["node received"].sum() == run.result["messages"] == 60 * 2 * 7
    assert people["node listeners"].sum() == 60 * 2
    converged = people["node converged"].drop_nulls()
    assert set(converged) <= {0, 2, 4, 6, 7}
    assert 0 < len(converged) < 60  # some have a single weighting item, by which nothing can be judged
    assert (people["node seconds"] > 0).all()
    assert told["received"]["cdf 0.1"] >= told["received"]["mean"] == 14
    assert run.curve[0]["weighting"] > 0
    assert run.curve[-1]["weighting"] != run.curve[0]["weighting"]


def test_the_report_draws_them(run):
    html = report([run.directory]).html
    for words in ("What nodes did", "Who is listened to", "When nodes converge", "likeness with peers"):
        assert words in html


def test_best_models_are_tested_with(run, small, tmp_path):
    used = run_recipe(small(**PEPPER, evaluate__best="used"), tmp_path / "used")
    column = "node converged"
    assert used.people()[column].equals(run.people()[column])
    assert used.metrics != run.metrics
    weighting = [event["weighting"] for event in used.curve]
    assert weighting == [event["weighting"] for event in run.curve]


def test_tuned_copies_are_tested_with(small, tmp_path):
    plain, tuned = (run_recipe(small(evaluate__tune=n), tmp_path / str(n)) for n in (0, 2))
    assert tuned.metrics != plain.metrics
    assert tuned.result["messages"] == plain.result["messages"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"network__peers": "personalized"}, "does not measure that"),
        (
            {"protocol__merge": "performance", "protocol__compress": ["subsample"]},
            "sends only some rows",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(small, changes, said):
    with pytest.raises(RecipeError, match=said):
        small(**changes).components()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"protocol__merge": "performance"},
            r"protocol\.merge judges models on a weighting set \(a validation",
        ),
        ({"evaluate__best": "noted"}, r"evaluate\.best judges models on a weighting set \(a validation"),
    ],
)
def test_nothing_is_judged_by_nothing(small, tmp_path, changes, said):
    recipe = small(**changes, split__weighting=0.0)
    with pytest.raises(RecipeError, match=said):
        run_recipe(recipe, tmp_path / "run")


def test_distributions_are_drawn_by_reproductions(run):
    from sottovoce.experiments.reproduce import figures

    hits = figures.of_everybody(run, "hr@5")
    assert np.isclose(np.nanmean(hits), run.metrics["hr@5"])
    assert figures.value(run, "rounds to converge", "final") == run.result["by_node"]["converged"]["mean"]
    latest = figures.value(run, "rounds to converge", "worst 10%")
    assert latest > figures.value(run, "rounds to converge", "final")
    with pytest.raises(RecipeError, match="no figures of single people"):
        figures.of_everybody(run, "hr@7")


@pytest.mark.parametrize(("metric", "unit"), [("hr@5", " %"), ("rounds to converge", "")])
def test_distributions_are_drawn_in_their_units(metric, unit):
    from sottovoce.experiments.pages.plots import cumulative
    from sottovoce.experiments.reproduce import words

    values = np.array([0.2, 0.4, 0.8]) * (1 if unit else 500)
    curves = [one._asdict() for one in cumulative({"A": values})]
    panel = {"title": "", "curves": curves}
    ((_, drawn),) = words.distributions({"people": [{"metric": metric, "panels": [panel]}]})
    across = re.findall(r"<text[^>]*>([^<]*)</text>", str(drawn))
    assert (f"40{unit}" if unit else "200") in across
