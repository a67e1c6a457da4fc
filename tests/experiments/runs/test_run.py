"""Whole runs: what they return and leave behind, from Python and from a recipe."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from sottovoce.data import available
from sottovoce.data.load import load
from sottovoce.errors import DataError, RecipeError, ResourceError, RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import machine
from sottovoce.experiments.runs.facts import best_of, finite
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run, run_recipe
from sottovoce.experiments.runs.tables import recommendations_frame

KEYS = ["final", "best", "messages", "bytes", "seconds", "peak_rss_bytes", "nodes", "seed", "version"]


@pytest.fixture(scope="module")
def community():
    return load("synthetic", users=60, items=80)


@pytest.fixture(scope="module")
def short(community):
    return run(community, {"name": "mf", "factors": 3}, rounds=4, every=2, ks=(5, 10))


def test_a_run_directory(finished):
    assert sorted(p.name for p in finished.iterdir()) == [
        "events.jsonl",
        "per_user.parquet",
        "recipe.toml",
        "recommendations.parquet",
        "report.html",
        "result.json",
        "split.json",
    ]
    result = json.loads((finished / "result.json").read_text())
    assert set(KEYS) <= set(result)
    assert set(result["baselines"]) == {"popularity", "random"}
    assert (
        set(result["final"])
        == set(result["best"])
        == set(result["baselines"]["random"])
        == {"hr@5", "ndcg@5"}
    )
    assert result["nodes"] == 60
    assert result["messages"] == 60 * 7
    assert result["seconds"] > 0
    assert result["peak_rss_bytes"] > 10_000_000
    events = [json.loads(line) for line in (finished / "events.jsonl").read_text().splitlines()]
    assert [event["round"] for event in events] == [0, 3, 6, 7]
    assert {name: events[-1][name] for name in result["final"]} == result["final"]
    assert Recipe.read(finished / "recipe.toml").evaluate.metric == "hr@5"


def test_tables(finished):
    people = pl.read_parquet(finished / "per_user.parquet")
    result = json.loads((finished / "result.json").read_text())
    assert len(people) == 60
    assert people["hr@5"].mean() == pytest.approx(result["final"]["hr@5"])
    assert people["popularity hr@5"].mean() == pytest.approx(result["baselines"]["popularity"]["hr@5"])
    for who, column in ((result["tails"], "hr@5"), (result["tails_beside"]["popularity"], "popularity hr@5")):
        tested = people[column].drop_nulls().drop_nans().sort()
        assert who["hr@5"]["worst 10%"] == pytest.approx(tested.head(-(-len(tested) // 10)).mean())
    assert result["tails_beside"].keys() == {"popularity", "random"}
    lists = pl.read_parquet(finished / "recommendations.parquet")
    assert lists.columns == ["user", "rank", "item", "title", "score", "held_out"]
    for (_,), own in lists.group_by("user"):
        assert own["rank"].to_list() == list(range(1, len(own) + 1))
        assert own["score"].is_sorted(descending=True)
        assert own["item"].n_unique() == len(own)


def test_opened_again(finished):
    opened = Run.open(finished)
    first = opened.recommend(7, 3)
    assert [r.rank for r in first] == [1, 2, 3]
    assert first == opened.recommend("7", 3)
    assert not {r.item for r in first} & {c.item for c in opened.history(7, 80)}
    values = [c.value for c in opened.history(7, 80)]
    assert values == sorted(values, reverse=True)
    assert opened.report == finished / "report.html"
    assert opened.metrics == opened.result["final"]
    assert "mf by gossip" in repr(opened)


def test_nobody_of_that_name(finished):
    with pytest.raises(DataError, match="Nobody is called '999'"):
        Run.open(finished).recommend(999)


@pytest.mark.parametrize("n", [0, 101])
def test_lists_have_a_limit(finished, n):
    with pytest.raises(RunError, match="keeps 100 recommendations"):
        Run.open(finished).recommend(1, n)


def test_not_a_run(tmp_path):
    with pytest.raises(RunError, match="not a run directory"):
        Run.open(tmp_path)


def test_in_memory(short, community):
    assert short.directory is None
    assert short.report is None
    assert set(short.metrics) == {"hr@5", "hr@10", "ndcg@5", "ndcg@10"}
    assert [event["round"] for event in short.curve] == [0, 2, 4]
    assert short.recipe.data.in_memory
    assert len(short.recommend(user=42, n=10)) == 10
    assert short.result["metric"] == "hr@10"


def test_python_and_recipe_agree(small, community):
    by_recipe = run_recipe(small())
    by_python = run(
        community,
        {"name": "mf", "factors": 3},
        "gossip",
        "linear",
        split={"name": "local-holdout", "candidates": 20},
        rounds=7,
        every=3,
        ks=[5],
    )
    assert by_python.metrics == by_recipe.metrics
    assert by_python.recommend(3) == by_recipe.recommend(3)


def test_pandas(short):
    pandas = pytest.importorskip("pandas", reason="the extra 'pandas' is not installed")
    people = short.to_pandas()
    assert isinstance(people, pandas.DataFrame)
    assert list(people.columns[:2]) == ["user", "hr@5"]
    assert len(short.to_pandas("curve")) == 3
    assert list(short.to_pandas("recommendations").columns) == [
        "user",
        "rank",
        "item",
        "title",
        "score",
        "held_out",
    ]
    with pytest.raises(RunError, match="Did you mean 'people'"):
        short.to_pandas("peple")


def test_data_in_memory_cannot_be_loaded_from_the_recipe(community, tmp_path):
    run(community, "popularity", "central", rounds=1, out=tmp_path / "run")
    recipe = Recipe.read(tmp_path / "run" / "recipe.toml")
    with pytest.raises(RecipeError, match="passed in Python"):
        run_recipe(recipe)


def test_ratings_and_central(small):
    done = run_recipe(
        small(split__name="rating", split__candidates=None, protocol__name="central", model__step=0.05)
    )
    assert set(done.metrics) == {"rmse"}
    assert done.result["metric"] == "rmse"
    assert done.result["messages"] == done.result["bytes"] == 0
    assert done.result["nodes"] == 1
    assert done.metrics["rmse"] < done.baselines["random"]["rmse"]


def test_a_finished_directory_is_not_overwritten(finished, small):
    before = (finished / "result.json").read_bytes()
    with pytest.raises(RunError, match="results of another run"):
        run_recipe(small(), finished)
    assert (finished / "result.json").read_bytes() == before


def test_resuming_a_finished_run_returns_it(finished, small):
    again = run_recipe(small(), finished, resume=True)
    assert again.result == json.loads((finished / "result.json").read_text())


def test_resuming_draws_a_report_that_is_missing(tmp_path, small):
    run_recipe(small(run__rounds=1), tmp_path)
    drawn = (tmp_path / "report.html").read_bytes()
    (tmp_path / "report.html").unlink()
    run_recipe(small(run__rounds=1), tmp_path, resume=True)
    assert (tmp_path / "report.html").read_bytes() == drawn


def test_models_are_kept_on_demand(tmp_path, small):
    run_recipe(small(run__keep_models=True, run__rounds=2), tmp_path)
    kept = tmp_path / "checkpoint-000000002"
    names = json.loads((kept / "checkpoint.json").read_text())["arrays"]
    rows = np.load(kept / f"{names.index('rows')}.npy", allow_pickle=False)
    assert rows.shape == (60 * 80, 4)


def test_what_does_not_fit_is_refused(small, monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "available_memory", lambda: 1000)
    with pytest.raises(ResourceError, match=r"needs about .* of memory, and 1 kB are free"):
        run_recipe(small(), tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_unknown_metric_is_refused_before_anything_is_written(small, tmp_path):
    with pytest.raises(RecipeError, match=r"'hr@6' is not measured .* Did you mean 'hr@5'"):
        run_recipe(small(evaluate__metric="hr@6"), tmp_path)
    assert not list(tmp_path.iterdir())


def test_progress_on_demand(small, capsys):
    run_recipe(small(), progress=True)
    out, err = capsys.readouterr()
    assert not out
    assert "60 people" in err
    assert "of memory" in err
    assert "Training takes about" in err
    assert "round 7 of 7" in err


def test_quiet_by_default_without_a_terminal(small, capfd):
    run_recipe(small(run__rounds=1))
    assert capfd.readouterr() == ("", "")


def test_best_is_by_direction_and_skips_what_diverged():
    curve = [{"round": r, "rmse": v, "hr@5": v} for r, v in enumerate([None, 0.9, 0.7, 0.8])]
    assert best_of(curve, "rmse")["round"] == 2
    assert best_of(curve, "hr@5")["round"] == 1


def test_figures_fit_into_json():
    assert finite({"rmse": float("nan"), "hr@5": np.float64(0.5)}) == {"rmse": None, "hr@5": 0.5}


def test_a_short_list_and_equal_titles(community):
    items = np.array([[3, 4], [5, -1]], np.int32)
    titles = [community.catalog.title(min(n, 3)) for n in range(80)]
    twins = replace(community, catalog=replace(community.catalog, titles=titles))
    frame = recommendations_frame(twins, items, np.ones((2, 2), np.float32))
    assert len(frame) == 3
    assert frame["title"].to_list()[0] == frame["title"].to_list()[1]
    had = [set(community.item[community.indptr[p] : community.indptr[p + 1]]) for p in (0, 1)]
    assert frame["held_out"].to_list() == [3 in had[0], 4 in had[0], 5 in had[1]]


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0 bytes"), (999, "999 bytes"), (61_000, "61 kB"), (182_345_678, "182 MB"), (2.06e9, "2.1 GB")],
)
def test_sizes(value, said):
    assert machine.size(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0.31, "0.3 s"), (41.2, "41 s"), (600, "10 min"), (9000, "2.5 h")]
)
def test_durations(value, said):
    assert machine.duration(value) == said


JUDGED = {"split__weighting": 0.35, "protocol__merge": {"name": "performance", "k": 5}}


def test_interactions_arrive_during_a_run(small, tmp_path):
    told = {"arrivals__share": 0.5, "arrivals__every": 2}
    at_once, fresh, as_they_were = (
        run_recipe(small(**JUDGED, **changes), tmp_path / str(n))
        for n, changes in enumerate(({}, told, told | {"arrivals__refresh": False}))
    )
    first = [run.curve[0]["hr@5"] for run in (at_once, fresh, as_they_were)]
    assert len(set(first)) == 1, "models are the same before anybody trains"
    assert len({tuple(run.metrics.values()) for run in (at_once, fresh, as_they_were)}) == 3
    none = run_recipe(small(**JUDGED, arrivals__share=0.0, arrivals__every=2), tmp_path / "none")
    assert none.metrics == at_once.metrics
    assert none.recipe.hash() == at_once.recipe.hash()


def test_the_best_by_a_set_that_changes_is_refused(small):
    with pytest.raises(RecipeError, match="compares models by weighting sets"):
        small(**JUDGED, arrivals__share=0.5, evaluate__best="noted")
    small(**JUDGED, arrivals__share=0.5, arrivals__refresh=False, evaluate__best="noted")


@pytest.mark.parametrize(
    "names",
    [
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ],
)
def test_files_that_a_container_has_in_memory_do_not_count(tmp_path, monkeypatch, names):
    limit, used, cached = names
    monkeypatch.setattr(available, "_GROUPS", (tmp_path,))
    without = machine.available_memory()
    (tmp_path / limit).write_text("5000\n")
    (tmp_path / used).write_text("4000\n")
    assert machine.available_memory() == 1000 < without
    (tmp_path / "memory.stat").write_text(f"anon 1500\n{cached} 2500\n")
    assert machine.available_memory() == 3500
