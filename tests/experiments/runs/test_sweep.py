"""Sweeps: the grid, the points, and what their runs come to."""

import contextlib
import itertools
import json
import re
import shutil

import pytest

from sottovoce.errors import RecipeError, RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import summary, sweep
from sottovoce.experiments.runs.directory import RunDirectory
from sottovoce.experiments.runs.sweep import Failure, Point
from tests.small import result


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("model.factors=8,16", ["8", "16"]),
        ("model.factors = 8 , 8, 16", ["8", "16"]),
        ("model.name=mf,ials", ["mf", "ials"]),
        ("evaluate.ks=[5, 10],[20]", ["[5, 10]", "[20]"]),
        ('protocol.merge=linear,{ name = "none", x = 1 }', ["linear", '{ name = "none", x = 1 }']),
        ('data.path="a,b.csv",c.csv', ['"a,b.csv"', "c.csv"]),
    ],
)
def test_values_of_a_grid(text, values):
    key = text.partition("=")[0].strip()
    assert sweep.axis(text) == [f"{key}={value}" for value in values]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["model.factors"], "not of the form section.key=value,value"),
        (["model.factors="], "not of the form"),
        (["factors=8"], "section.key=value"),
        (["model.factors=8,"], "nothing is not a TOML value"),
        (["model.factors=8", "model.factors=16"], "names model.factors twice"),
        (["run.seed=1,2"], "Give seeds with --seeds"),
    ],
)
def test_mistakes_in_a_grid(texts, said):
    with pytest.raises(RecipeError, match=said):
        sweep.grid(texts)


def test_seeds():
    assert sweep.seeds("3") == [1, 2, 3]
    assert sweep.seeds("1,7, 9,7") == [1, 7, 9]
    assert sweep.seeds("7,") == [7]
    for text in ("0", "", "x", "1,x", "-2"):
        with pytest.raises(RecipeError, match="such as 1,7,9"):
            sweep.seeds(text)


@pytest.fixture
def recipe(small, tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(small().dumps())
    return path


def test_points_are_all_combinations(recipe, tmp_path):
    axes = sweep.grid(["model.factors=2,4", "protocol.merge=linear,none"])
    points = sweep.points(recipe, [], axes, [1, 5], tmp_path / "out")
    assert len({point.place.path for point in points}) == len(points) == 8
    assert sweep.settings_of(points[3]) == {"model.factors": 2, "protocol.merge": "none"}
    assert points[3].name == "model.factors=2 protocol.merge=none seed=5"
    assert points[3].place.path == tmp_path / "out/model.factors=2_protocol.merge=none/seed-5"
    (alone,) = sweep.points(recipe, [], [], [1], tmp_path / "out")
    assert alone.place.path == tmp_path / "out/recipe/seed-1"


def test_settings_that_make_the_same_name_have_different_directories(recipe, tmp_path):
    axes = sweep.grid(["evaluate.ks=[5],[5 ]"])
    points = sweep.points(recipe, [], axes, [1], tmp_path)
    assert len({point.place.path for point in points}) == 2


def test_every_point_is_checked_before_the_first_runs(recipe, tmp_path):
    with pytest.raises(RecipeError, match=r"model\.factors = -4"):
        sweep.points(recipe, [], sweep.grid(["model.factors=4,-4"]), [1], tmp_path)
    with pytest.raises(RecipeError, match="Did you mean 'factors'"):
        sweep.points(recipe, ["model.factor=2"], [], [1], tmp_path)


def test_runs_of_another_recipe_are_not_mixed_in(recipe, finished, tmp_path):
    """A directory that a run of this recipe left is kept; of another one it is refused."""
    (tmp_path / "out/recipe").mkdir(parents=True)
    (tmp_path / "out/recipe/seed-1").symlink_to(finished)
    (point,) = sweep.points(recipe, [], [], [1], tmp_path / "out")
    assert point.place.complete
    assert sweep.execute([point], recipe, [], jobs=1) == []
    with pytest.raises(RunError, match="begun with another recipe"):
        sweep.points(recipe, ["run.rounds=8"], [], [1], tmp_path / "out")


def test_a_run_goes_on_with_what_data_decided(tmp_path):
    recipe, place = tmp_path / "groups.toml", tmp_path / "out/recipe/seed-1"
    tables = {"data": {"name": "synthetic"}, "model": {"name": "als"}}
    asked = Recipe.parse(tables | {"protocol": {"name": "consensus", "group": 0}})
    recipe.write_text(asked.dumps())
    place.mkdir(parents=True)
    begun = asked.protocol.model_copy(update={"group": 182})
    (place / "recipe.toml").write_text(asked.model_copy(update={"protocol": begun}).resolved().dumps())
    assert len(sweep.points(recipe, [], [], [1], tmp_path / "out")) == 1
    with pytest.raises(RunError, match="begun with another recipe"):
        sweep.points(recipe, ["protocol.group=128"], [], [1], tmp_path / "out")


def test_runs_of_an_earlier_version_are_kept(recipe, finished, tmp_path):
    """What a setting is by default need not have been written down."""
    place = tmp_path / "out/recipe/seed-1"
    shutil.copytree(finished, place)
    text = (place / "recipe.toml").read_text()
    assert "sum_ages = false" in text
    (place / "recipe.toml").write_text(re.sub(r",? *sum_ages = false\n?", "", text))
    assert "sum_ages" not in (place / "recipe.toml").read_text()
    (point,) = sweep.points(recipe, [], [], [1], tmp_path / "out")
    assert point.place.complete


def test_a_run_that_another_process_is_at_is_waited_for(recipe, tmp_path, monkeypatch):
    """Such as one that a killed sweep left behind."""
    (point,) = sweep.points(recipe, [], [], [1], tmp_path / "out")
    with contextlib.ExitStack() as stack:
        stack.enter_context(point.place.claim(resume=True))
        waits, busy = itertools.count(1), []

        def sleep(seconds):
            if next(waits) == 3:
                stack.close()

        def start(*arguments):
            busy.append((next(waits), point.place.busy))
            raise KeyboardInterrupt

        monkeypatch.setattr(sweep.time, "sleep", sleep)
        monkeypatch.setattr(sweep, "_start", start)
        with pytest.raises(KeyboardInterrupt):
            sweep.execute([point], recipe, [], jobs=1)
    assert busy == [(4, False)]


def written(path, settings, seed, **metrics):
    place = RunDirectory(path / "_".join(settings) / f"seed-{seed}")
    place.path.mkdir(parents=True)
    beside = {"popularity": dict.fromkeys(metrics, 0.25)}
    figures = result(final=metrics, baselines=beside, metric="hr@5", rounds=3, seconds=float(seed), bytes=10)
    place.write("result.json", figures.dumps())
    place.write("events.jsonl", '{"round": 3, "hr@5": 0.5}\n')
    place.write("recipe.toml", '[data]\nname = "synthetic"\n')
    return Point(settings, seed, place)


def test_summary(tmp_path):
    points = [
        written(tmp_path, ("model.factors=8",), 1, **{"hr@5": 0.5, "rmse": 1.0}),
        written(tmp_path, ("model.factors=8",), 2, **{"hr@5": 0.7, "rmse": None}),
        written(tmp_path, ("model.factors=16",), 1, **{"hr@5": 0.4, "rmse": 2.0}),
        Point(("model.factors=16",), 2, RunDirectory(tmp_path / "nowhere")),
    ]
    found = summary.summarise(points, [Failure(points[3], "no room")])
    eight, sixteen = found["points"]
    assert found["metric"] == "hr@5"
    assert (eight["settings"], eight["runs"], eight["seeds"]) == ({"model.factors": 8}, 2, [1, 2])
    assert eight["mean"]["hr@5"] == pytest.approx(0.6)
    assert eight["std"]["hr@5"] == pytest.approx(0.02**0.5)
    assert eight["mean"]["rmse"] is None
    assert eight["baselines"]["popularity"]["mean"]["hr@5"] == 0.25
    assert eight["seconds"] == 1.5
    assert (sixteen["runs"], sixteen["std"]["hr@5"]) == (1, None)
    assert found["failures"] == [{"settings": {"model.factors": 16}, "seed": 2, "reason": "no room"}]
    assert [row["diverged"] for row in found["points"]] == [[], []]
    summary.write(found, tmp_path)
    assert json.loads((tmp_path / "summary.json").read_text()) == found
    assert (tmp_path / "summary.csv").read_text().splitlines() == [
        "model.factors,runs,hr@5,hr@5 std,rmse,rmse std,popularity hr@5,popularity rmse,seconds,bytes",
        f"8,2,{eight['mean']['hr@5']},{eight['std']['hr@5']},,,0.25,0.25,1.5,10.0",
        "16,1,0.4,,2.0,,0.25,0.25,1.0,10.0",
    ]


def test_nothing_was_reached(tmp_path):
    point = Point((), 1, RunDirectory(tmp_path / "nowhere"))
    found = summary.summarise([point], [Failure(point, "killed")])
    assert (found["metric"], found["points"][0]["runs"], found["points"][0]["mean"]) == (None, 0, {})
    summary.write(found, tmp_path)
