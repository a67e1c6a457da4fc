"""A run whose models diverge says so: in its events, its result, its page and in Python."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.report.report import render
from sottovoce.experiments.runs import advice
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run, run_recipe
from sottovoce.experiments.runs.trouble import Collapse, Divergence, collapse, divergence, missing

WILD = {"model__step": 1000.0, "evaluate__every": 1}


@pytest.fixture(scope="module")
def lost(small: Any, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_recipe(small(**WILD, run__rounds=3), tmp_path_factory.mktemp("lost") / "run")


def test_it_is_in_the_result_and_in_the_events(lost: Run) -> None:
    assert lost.diverged == Divergence(54, 60, 1)
    assert lost.failed
    assert lost.directory is not None
    result = json.loads((lost.directory / "result.json").read_text())
    assert result["diverged"] == {"people": 54, "of": 60, "round": 1}
    assert [event.get("diverged") for event in lost.curve] == [None, 17, 37, 54]
    assert Run.open(lost.directory).diverged == lost.diverged


def test_the_page_and_the_verdict_say_it_with_a_remedy(lost: Run) -> None:
    assert lost.directory is not None
    assert lost.verdict.headline == "The run diverged."
    assert lost.verdict.sentence == (
        "Since round 1, some models have held numbers that are not finite. "
        "At the end, the models of 54 of 60 people (90.0 %) hold some. Try a "
        "smaller step (--set model.step=0.01) or more regularization (--set model.regularization=1)."
    )
    page = render(lost.directory)
    assert "The run diverged." in page
    assert "--set model.step=0.01" in page


def test_nobody_is_said_not_to_exist(lost: Run) -> None:
    assert lost.directory is not None
    served = set(pl.read_parquet(lost.directory / "recommendations.parquet")["user"].cast(pl.String))
    silent = [user for user in lost.people()["user"] if user not in served]
    assert 0 < len(silent) < 60
    one = next(iter(served))
    assert lost.recommend(one, 1) == lost.recommend(f" {one}\u00a0", 1) == lost.recommend(float(one), 1)
    with pytest.raises(RunError, match=r"no finite scores, because it diverged\. Try a smaller step"):
        lost.recommend(silent[0])


@pytest.mark.parametrize(
    "split",
    [{"name": "rating"}, {"name": "leave-one-out"}, {"name": "temporal-holdout"}],
    ids=lambda s: s["name"],
)
@pytest.mark.parametrize("protocol", ["gossip", "central"])
@pytest.mark.usefixtures("uncompiled")
def test_every_split_and_protocol(small: Any, split: Any, protocol: str) -> None:
    document = small(**WILD, data__users=12, run__rounds=5, protocol__name=protocol).document()
    with np.errstate(all="ignore"):
        found = run_recipe(Recipe.parse(document | {"split": split}))
    assert found.diverged is not None
    assert found.diverged.most
    wholly = found.diverged.people == found.diverged.of
    assert wholly == all(value is None for value in found.metrics.values())
    assert found.verdict.headline == "The run diverged."


def test_a_healthy_run_has_nothing_to_tell(finished: Path) -> None:
    told = Run.open(finished)
    assert told.result["diverged"] is None
    assert told.result["collapsed"] is None
    assert told.result["tested"] == 33
    assert told.notes == ("27 of 60 people are not tested: they have fewer than 3 different items.",)
    assert not told.failed
    assert not any("diverged" in event for event in told.curve)


def test_python_warns(small: Any) -> None:
    wild = {"name": "mf", "factors": 3, "step": 1000.0}
    given: dict[str, Any] = {"rounds": 1, "split": {"name": "local-holdout", "candidates": 20}, "ks": [5]}
    from sottovoce.data.load import load

    data = load("synthetic", users=60, items=80)
    with pytest.warns(UserWarning, match=r"Since round 1, some .* the models of 17 of 60 people"):
        assert run(data, wild, **given).failed
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(data, wild | {"step": 0.01}, **given)


def test_a_part_of_the_people(small: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from sottovoce.evaluate import divergence as found

    rounds = iter([0, 5, 0, 3])
    monkeypatch.setattr(found, "diverged", lambda tables, people: np.arange(60) < next(rounds))
    told = run_recipe(small(run__rounds=3, evaluate__every=1))
    assert [event.get("diverged") for event in told.curve] == [None, 5, None, 3]
    assert told.diverged == Divergence(3, 60, 3)
    assert str(told.diverged) == (
        "Since round 3, some models have held numbers that are not finite. "
        "At the end, the models of 3 of 60 people (5.0 %) hold some."
    )
    assert told.verdict.headline.startswith("The models of 3 of 60 people diverged.")


def test_from_which_round_on() -> None:
    curve = [{"round": 0}, {"round": 1, "diverged": 2}, {"round": 2, "diverged": 9}]
    assert divergence(curve, 10) == Divergence(9, 10, 1)
    assert divergence([*curve, {"round": 3}], 10) is None
    assert divergence([], 10) is None


def test_why_a_figure_is_missing() -> None:
    assert missing({"diverged": 3, "online": 0}) == "diverged"
    assert missing({"online": 0}) == "unknown: nobody was online"
    assert missing({"round": 3}) == "—"


def test_models_that_score_everything_alike() -> None:
    """The first does, the second does not; the others have one item, none, and no training."""
    items = np.array([[1, 2, 3], [3, 2, -1], [4, -1, -1], [-1, -1, -1], [1, 2, 3]], np.int32)
    none = np.nan
    scores = np.array([[2, 2, 2], [2, 1, none], [5, none, none], [none] * 3, [0] * 3], np.float32)
    trained = np.array([True, True, True, True, False])
    assert collapse(items, scores, trained) == Collapse(1, 2)
    assert collapse(items[1:], scores[1:], trained[1:]) is None


def test_a_run_in_which_nothing_was_learnt(small: Any) -> None:
    """A step so small that it changes nothing, from factors that are all zero, leaves everybody's bias."""
    told = run_recipe(small(model__low=0.0, model__high=0.0, model__step=1e-30, run__rounds=1))
    trained = int((told.people()["node received"] > 0).sum())
    assert told.collapsed == Collapse(trained, trained)
    assert 0 < trained < 60
    assert told.failed
    assert told.verdict.headline.startswith("Most models do not tell items apart.")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"name": "mf", "step": 0.05}, "a smaller step (--set model.step=0.005) or more regularization"),
        ({"name": "mf", "step": 5.0}, "a smaller step (--set model.step=0.01) or more regularization"),
        ({"name": "mf", "regularization": 0.0}, "more regularization (--set model.regularization=0.01)"),
        ({"name": "ials"}, "Try a smaller model.step or more regularization (--set model.regularization="),
        ({"name": "gmf"}, "Try a smaller step (--set model.step=0.0001)."),
        ({"name": "popularity"}, "Check how the model computes"),
    ],
)
def test_remedies_are_those_of_the_model(model: Any, said: str) -> None:
    recipe = Recipe.parse({"data": {"name": "synthetic"}, "model": model}).resolved()
    assert said in advice.diverged(recipe)


@pytest.mark.parametrize(
    ("model", "values", "said"),
    [
        ({"name": "mf"}, [0.1, 0.2], "more rounds, because it was still improving (--set run.rounds=400)"),
        (
            {"name": "mf"},
            [0.1, 0.3, 0.2],
            "fewer rounds, because it was best in round 1 (--set run.rounds=1)",
        ),
        ({"name": "mf"}, [0.1], "not how they rate (--set model.name=ials)"),
        ({"name": "gmf", "step": 10.0}, [0.1], "To try: a smaller step (--set model.step=0.001)."),
        ({"name": "gmf"}, [0.1], "To try: a larger step (--set model.step=0.003)."),
        ({"name": "random"}, [0.1], "To try: a model that learns (--set model.name=ials)."),
    ],
)
def test_what_to_try_below_popularity(model: Any, values: list[float], said: str) -> None:
    recipe = Recipe.parse({"data": {"name": "synthetic"}, "model": model}).resolved()
    curve = [{"round": n, "hr@5": value} for n, value in enumerate(values)]
    assert said in advice.below(recipe, curve, "hr@5")


def test_every_suggestion_can_be_followed() -> None:
    """Each `--set` is a change that the recipe takes."""
    import re

    for name in ("mf", "ials", "gmf", "prme", "neumf"):
        recipe = Recipe.parse({"data": {"name": "synthetic"}, "model": {"name": name}}).resolved("hr@5")
        curve = [{"round": 0, "hr@5": 0.1}, {"round": 1, "hr@5": 0.2}]
        said = advice.diverged(recipe) + advice.below(recipe, curve, "hr@5")
        for change in re.findall(r"--set ([^);]+)\)", said):
            section, _, rest = change.partition(".")
            key, _, value = rest.partition("=")
            document = {"data": {"name": "synthetic"}, "model": {"name": name}}
            number: Any = value if key == "name" else float(value) if section == "model" else int(value)
            document[section] = document.get(section, {}) | {key: number}
            Recipe.parse(document).components()
