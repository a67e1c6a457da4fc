"""The names of metrics are known before an evaluation, and are exactly those that it returns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.split import Split
from sottovoce.errors import RecipeError
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.names import measured, named
from sottovoce.experiments.recipe.sections import Evaluate
from sottovoce.experiments.runs.measurable import measurable, metric_names
from sottovoce.experiments.runs.simulation import baseline
from sottovoce.metrics import NAMES
from tests.small import components

RANKING = ("hr", "ndcg", "mrr")
OF_PEOPLE = ("precision", "recall", "f1", "f1-list", "popularity-bias", "top-pop-overlap")
OF_THE_SYSTEM = (
    "f1-of-means",
    "item-coverage",
    "items-covered",
    "precision-of-served",
    "recall-of-served",
    "gini",
    "evenness",
    "bias-disparity",
)
SPLITS: dict[str, dict[str, Any]] = {
    "local-holdout": {"candidates": 20},
    "leave-one-out": {"candidates": 20},
    "rating": {},
    "temporal-holdout": {},
    "temporal-holdout, candidates": {"candidates": 5},
}
CHOICES: tuple[Sequence[str] | None, ...] = (None, *((name,) for name in NAMES), NAMES, ("mae", "hr", "mae"))


@pytest.fixture(scope="module")
def data() -> Interactions:
    return load("synthetic", users=60, items=80)


def split_of(data: Interactions, name: str) -> Split:
    parts = components(split={"name": name.partition(",")[0], **SPLITS[name]})
    made: Split = parts.split.split(data, 1)
    return made


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize("candidates", [None, "sampled", "all"])
def test_they_are_those_of_an_evaluation(data: Interactions, name: str, candidates: Any) -> None:
    split = split_of(data, name)
    popularity = baseline("popularity", components(), split, 1)
    state = popularity.model, popularity.tables, popularity.people
    for metrics in CHOICES:
        try:
            names = measured(split, (5, 10), metrics, candidates)
        except RecipeError:
            with pytest.raises(RecipeError, match="draws no candidates"):
                evaluate(*state, split, (5, 10), metrics=metrics, candidates=candidates)
            continue
        found = evaluate(*state, split, (5, 10), metrics=metrics, candidates=candidates)
        assert list(found.metrics) == list(names.every)
        assert list(found.per_user) == list(names.of_people)
        assert all(np.isfinite(list(found.metrics.values())))


def test_every_kind_has_the_names_that_it_should(data: Interactions) -> None:
    split = split_of(data, "local-holdout")
    for kind in (*RANKING, *OF_PEOPLE):
        assert measured(split, (5, 10), [kind]) == ((f"{kind}@5", f"{kind}@10"),) * 2
    for kind in OF_THE_SYSTEM:
        assert measured(split, (5, 10), [kind]) == ((f"{kind}@5", f"{kind}@10"), ())
    for kind in ("user-coverage", "rmse", "mae"):
        assert measured(split, (5, 10), [kind]) == ((kind,), (kind,))
    assert {*RANKING, *OF_PEOPLE, *OF_THE_SYSTEM, "user-coverage", "rmse", "mae"} == set(NAMES)


def test_defaults_are_those_of_the_split(data: Interactions) -> None:
    assert measured(split_of(data, "local-holdout"), [5]).every == ("hr@5", "ndcg@5")
    assert measured(split_of(data, "rating"), [5]).every == ("rmse",)
    found = measured(split_of(data, "temporal-holdout"), [5])
    assert found.every[-1] == "user-coverage"
    assert "item-coverage@5" not in found.of_people


def test_what_is_left_out_and_repeated(data: Interactions) -> None:
    split = split_of(data, "local-holdout")
    assert measured(split, (5, 10), without={"hr@10"}).every == ("hr@5", "ndcg@5", "ndcg@10")
    assert named(["hr", "rmse", "hr"], [10, 5, 10]) == ["hr@10", "hr@5", "rmse"]
    with pytest.raises(RecipeError, match="no metric called 'hitrate'"):
        measured(split, [5], ["hitrate"])


def test_those_of_a_recipe_leave_out_what_tells_nothing() -> None:
    """Nobody has more than 14 items to choose from, so lists of 20 hold them all."""
    data = load("synthetic", users=60, items=15)
    evaluate = Evaluate(ks=[2, 20])
    split = components().split.split(data, 1)
    found = measurable(data, split, evaluate)
    assert metric_names(split, evaluate, found).every == ("hr@2", "ndcg@2")
