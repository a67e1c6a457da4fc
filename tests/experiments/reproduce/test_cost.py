"""Communication cost as a figure of runs: it follows from the recipe that a run records."""

import math

import pytest

from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.cost import CCE, RECIPROCAL

BRAZIL = {"name": "d", "people": 17_473, "items": 47_270, "interactions": 700_000}


@pytest.fixture
def fpl(run):
    """A run of FPL of the size of Brazil, with as many aggregations as a run records for an epoch."""

    def make(clients, triples, disclosed, name="federated"):
        one = run(1.0, 0.5, data=BRAZIL)
        rounds = 599_958 / (clients or BRAZIL["people"])
        one.recipe = Recipe.parse(
            {
                "data": {"name": "synthetic"},
                "model": {"name": "bpr", "triples": triples},
                "protocol": {"name": name, "participants": clients, "aggregations": rounds}
                if name == "federated"
                else {"name": name},
                "privacy": {"steps": [{"name": "positive-feedback", "probability": disclosed}]}
                if name == "federated"
                else {},
            }
        )
        return one

    return make


def test_costs_are_those_of_table_3(fpl):
    printed = {
        (1, 1.0, 0.0): 28_360_614_618,
        (1, 0.0, 0.2): 28_384_735_058,
        (0, 1.0, 1.0): 28_361_214_576,
        (0, 0.0, 0.8): 28_397_095_258,
    }
    for settings, cost in printed.items():
        one = fpl(*settings)
        assert figures.value(one, CCE, "final") == pytest.approx(cost, abs=0.5)
        assert figures.value(one, RECIPROCAL, "final") == pytest.approx(1e12 / cost)
    assert figures.say(28_360_614_618.2, CCE) == "28,360,614,618"
    assert figures.say(35.2601, RECIPROCAL) == "35.260"
    assert figures.smaller_is_better(CCE, "final")
    assert not figures.smaller_is_better(RECIPROCAL, "final")


def test_what_is_not_federated_has_no_such_cost(fpl):
    assert math.isnan(figures.value(fpl(1, 1.0, 1.0, name="central"), CCE, "final"))
    assert figures.say(math.nan, CCE) == "—"
