"""Which runs are one method, how methods are called, and what is refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.report.methods import Subject, study
from sottovoce.experiments.report.naming import called

UNTESTED = ("27 of 60 people are not tested: they have fewer than 3 different items.",)


@pytest.fixture
def copy(several: Path, tmp_path: Path) -> Path:
    return shutil.copytree(several, tmp_path / "copy")


def change(place: Path, **changes) -> None:
    result = json.loads((place / "result.json").read_text())
    for key, value in changes.items():
        result[key] = result[key] | value if isinstance(value, dict) else value
    (place / "result.json").write_text(json.dumps(result))


def test_seeds_are_one_method(several):
    found = study([several])
    assert [method.name for method in found.methods] == ["step 0.01", "step 0.1"]
    assert [[run.result["seed"] for run in method.runs] for method in found.methods] == [[1, 2], [1, 2]]
    assert [s.name for s in found.subjects] == ["step 0.01", "step 0.1", "popularity", "random"]
    assert (found.metric, found.metrics, found.notes) == ("hr@5", ("hr@5", "ndcg@5"), UNTESTED)
    one = found.methods[1].subject
    results = [run.result["final"]["hr@5"] for run in found.methods[1].runs]
    assert one.mean("hr@5") == pytest.approx(np.mean(results))
    assert one.std("hr@5") == pytest.approx(np.std(results, ddof=1))
    assert np.nanmean(one.everybody("hr@5")) == pytest.approx(one.mean("hr@5"))


def test_one_run_is_called_by_its_parts(finished):
    assert study([finished]).methods[0].name == "mf by gossip"


def test_a_run_counts_once(several, finished):
    first = several / "model.step=0.01" / "seed-1"
    assert len(study([several, first]).methods[0].runs) == 2
    found = study([first, several / "model.step=0.1" / "seed-1", finished])
    assert len(found.methods) == 2, "0.01 is the default"
    assert "repeats" in found.notes[0]


def test_everybody_is_averaged_over_seeds_as_the_overall_figure_is():
    people = {1: {"rmse": np.array([1.0, np.nan, 3.0])}, 2: {"rmse": np.array([2.0, np.nan, np.nan])}}
    subject = Subject("x", {1: {"rmse": 2.0}, 2: {"rmse": None}}, people)
    np.testing.assert_allclose(subject.everybody("rmse"), [np.sqrt(2.5), np.nan, 3.0])
    np.testing.assert_allclose(subject.everybody("rmse", [2]), [2.0, np.nan, np.nan])
    assert subject.mean("rmse") is None
    assert len(subject.everybody("mae")) == 0


def test_other_data_is_refused(copy):
    change(copy / "model.step=0.1" / "seed-1", data={"items": 81})
    with pytest.raises(RunError, match=r"different data \(items: 80 and 81\)\. Report on them separately"):
        study([copy])


def test_another_split_is_refused(copy):
    change(copy / "model.step=0.1" / "seed-2", split="0" * 64)
    with pytest.raises(RunError, match="split differently"):
        study([copy])


def test_other_candidates_are_refused(copy):
    recipe = copy / "model.step=0.1" / "seed-2" / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("[evaluate]\n", '[evaluate]\ncandidates = "all"\n'))
    with pytest.raises(RunError, match="different candidates"):
        study([copy])


def test_other_people_are_refused(copy):
    path = copy / "model.step=0.1" / "seed-2" / "per_user.parquet"
    pl.read_parquet(path).with_columns(pl.col("user") + "x").write_parquet(path)
    with pytest.raises(RunError, match="different people"):
        study([copy])


def test_without_a_common_metric_nothing_is_compared(copy):
    place = copy / "model.step=0.1" / "seed-2" / "result.json"
    place.write_text(place.read_text().replace("@5", "@7"))
    with pytest.raises(RunError, match="no metric in common"):
        study([copy])


def test_seeds_that_differ_are_told(copy):
    shutil.rmtree(copy / "model.step=0.1" / "seed-2")
    assert "in common: 1" in study([copy]).notes[0]


def test_runs_that_are_not_complete_are_told(copy):
    (copy / "model.step=0.1" / "seed-2" / "result.json").unlink()
    assert "1 of 4 runs in copy is not complete" in study([copy]).notes[0]
    for left in copy.glob("*/*/result.json"):
        left.unlink()
    with pytest.raises(RunError, match="No run in"):
        study([copy])


def test_no_run_at_all(tmp_path):
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(RunError, match="is not a run directory"):
            study([place])


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ([{"model.name": "mf", "model.step": 0.1}, {"model.name": "ials"}], ["mf", "ials"]),
        (
            [
                {"protocol.merge.name": "linear"},
                {"protocol.merge.name": "none"},
                {"protocol.name": "central"},
            ],
            ["merge linear", "merge none", "no name"],
        ),
        (
            [{"protocol.name": "gossip", "protocol.merge.name": "x"}, {"protocol.name": "central"}],
            ["gossip", "central"],
        ),
        (
            [{"model.name": "mf", "run.rounds": 9}, {"model.name": "ials", "run.rounds": 8}],
            ["mf, rounds 9", "ials, rounds 8"],
        ),
        (
            [{"model.name": "mf", "model.step": 0.1}, {"model.name": "ials", "model.step": 0.2}],
            ["mf", "ials"],
        ),
        (
            [{"model.name": "mf", "model.k": 8}, {"model.name": "mf", "model.k": 16}, {"model.name": "ials"}],
            ["mf, k 8", "mf, k 16", "ials"],
        ),
        ([{"model.x": 1}, {}], ["x 1", "no x"]),
        (
            [{"network.peers.name": "k-out"}, {"network.peers.name": "uniform"}],
            ["peers k-out", "peers uniform"],
        ),
        ([{"model.keep_it": True}, {"model.keep_it": False}], ["keep it true", "keep it false"]),
    ],
)
def test_names_say_what_differs(settings, names):
    recipe = Recipe.parse({"data": {"name": "synthetic"}})
    assert called(settings, recipe) == names
