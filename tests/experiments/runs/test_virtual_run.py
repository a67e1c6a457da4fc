"""Runs in virtual time: what they record, who is counted, and what the report says of it."""

import json
from pathlib import Path

import polars as pl
import pytest

from sottovoce.errors import RunError
from sottovoce.exchange.compression.interface import Whole
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.progress import Quiet
from sottovoce.experiments.runs.start import run_recipe
from sottovoce.peers.k_out import KOut
from sottovoce.simulate.engine import Simulation

RECIPE = {
    "data": {"name": "synthetic", "users": 100, "items": 100},
    "split": {"name": "rating", "holdout": 5},
    "model": {"name": "mf", "factors": 3},
    "network": {"links": "uniform", "churn": "phones"},
    "evaluate": {"every": 10},
    "run": {"rounds": 40, "threads": 1},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return run_recipe(Recipe.parse(RECIPE), tmp_path_factory.mktemp("virtual") / "run")


def test_events_tell_the_time_and_who_is_there(run):
    assert [event["hours"] for event in run.curve] == pytest.approx([0, 4.8, 9.6, 14.4, 19.2])
    assert all(5 <= event["online"] <= 40 for event in run.curve)
    assert 0 < run.curve[-1]["arrived"] < run.curve[-1]["messages"]


def test_quality_is_that_of_people_who_are_online(run):
    everybody = pl.read_parquet(run.directory / "per_user.parquet")
    tested = everybody.drop_nulls("popularity rmse")
    known = everybody.drop_nulls("rmse")
    assert set(known["user"]) < set(tested["user"])
    assert 0 < len(known) <= run.curve[-1]["online"]


def test_the_result_tells_of_churn_and_the_report_shows_it(run):
    result = json.loads((run.directory / "result.json").read_text())
    assert result["hours"] == pytest.approx(19.2)
    assert 0.1 < result["churn"]["online"] < 0.3
    assert 40 < result["churn"]["session_minutes"] < 160
    page = (run.directory / "report.html").read_text()
    assert "RMSE over hours" in page
    assert "mean session" in page
    assert "Who is online" in page


def test_the_resolved_recipe_says_all_and_gives_the_same(run, tmp_path):
    resolved = Recipe.read(run.directory / "recipe.toml")
    assert resolved.network.links.settings["transfer"] == 1728.0
    assert resolved.network.churn.name == "phones"
    again = run_recipe(resolved, tmp_path / "again")
    assert again.metrics == run.metrics


@pytest.fixture
def stay(tmp_path: Path) -> Path:
    """A recipe whose trace has everybody there from the start until long after the end."""
    (tmp_path / "stay.csv").write_text("node,from,until\nanna,0,1000000\nbert,0,1000000\n")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        """
        data = { name = "synthetic", users = 100, items = 100 }
        split = { name = "rating", holdout = 5 }
        model = { name = "mf", factors = 3 }
        network = { links = "uniform", churn = { name = "trace", path = "stay.csv" } }
        evaluate = { every = 10 }
        run = { rounds = 5, threads = 1 }
        """
    )
    return recipe


def test_where_nobody_comes_or_goes_all_are_online_all_the_time(stay, tmp_path):
    run = run_recipe(Recipe.read(stay), tmp_path / "run")
    assert run.result["churn"]["online"] == pytest.approx(1)
    assert run.result["churn"]["session_minutes"] is None
    page = (run.directory / "report.html").read_text()
    assert "online on average" in page
    assert "mean session" not in page


@pytest.mark.parametrize("kind", ["trace", "stunner"])
def test_a_trace_beside_the_recipe_is_found_from_the_run_directory(stay, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    given = Recipe.read(stay.name, [f"network.churn={{ name = '{kind}', path = 'stay.csv' }}"])
    resolved = given.resolved("rmse")
    assert resolved.network.churn.settings["path"] == str(tmp_path / "stay.csv")
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "recipe.toml").write_text(resolved.dumps())
    assert Recipe.read(place / "recipe.toml").hash() == resolved.hash()


def test_another_trace_in_the_same_file_is_refused(stay, tmp_path, monkeypatch):
    """Half of a run under one trace and half under another would belong to neither."""

    original, calls = Simulation.advance, iter(range(3))  # both baselines, and a round of the run

    def advance(simulation, rounds):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        original(simulation, rounds)

    with monkeypatch.context() as patch:
        patch.setattr(Simulation, "advance", advance)
        with pytest.raises(KeyboardInterrupt):
            run_recipe(Recipe.read(stay, ["run.checkpoint=0"]), tmp_path / "run")
    (tmp_path / "stay.csv").write_text("node,from,until\nanna,0,1000000\nbert,0,5000\n")
    with pytest.raises(RunError, match=r"^The churn \(when nodes are online\) changed since"):
        run_recipe(Recipe.read(stay), tmp_path / "run", resume=True)


def test_where_there_are_links_nodes_know_twenty_others():
    assert Recipe.parse(RECIPE).components().peers == KOut(20)
    assert Recipe.parse(RECIPE).resolved("rmse").network.peers.name == "k-out"
    assert Recipe.parse(RECIPE | {"network": {}}).resolved("rmse").network.peers.name == "uniform"


class Notes(Quiet):
    """Keeps what the bar said."""

    def __init__(self):
        self.said = []

    def update(self, done, note="", evaluated=False):
        self.said.append((done, note))


def test_progress_tells_who_is_there_now(stay, tmp_path, monkeypatch):
    """One of two leaves after three rounds, the other after five: long before the next evaluation."""
    (tmp_path / "stay.csv").write_text("node,from,until\nanna,0,5300\nbert,0,8800\n")
    monkeypatch.setattr("sottovoce.experiments.runs.train._SLICE", 1e-9)  # a round at a time
    notes = Notes()
    monkeypatch.setattr("sottovoce.experiments.runs.start.choose", lambda show: notes)
    changes = ["run.rounds=7", "evaluate.every=6", "data.users=50"]
    run = run_recipe(Recipe.read(stay, changes))
    assert [done for done, _ in notes.said] == [1, 2, 3, 4, 5, 6, 7]
    parts = [note.replace(",", "").split(" · ") for _, note in notes.said]
    online = [int(part[1].removesuffix(" online")) for part in parts]
    rates = [float(part[2].removesuffix(" messages/s")) for part in parts]
    assert online[0] == online[2] == 50
    assert 0 < online[3] < 50
    assert online[5] == 0
    assert min(rates[:3]) > 0 == rates[6], "the last round's, in which nobody sends, and not the mean"
    assert parts[0][3].startswith("rmse 1.9")
    assert notes.said[6][1].endswith("rmse unknown: nobody was online")
    assert run.metrics["rmse"] is None


def test_nothing_can_be_done_to_messages_by_name(stay):
    recipe = Recipe.read(stay, ['protocol.compress=["none"]'])
    assert isinstance(recipe.components().chain, Whole)
    assert recipe.resolved("rmse").protocol.compress[0].name == "none"


def test_central_training_has_no_network(tmp_path):
    recipe = RECIPE | {"protocol": {"name": "central"}, "run": {"rounds": 2, "threads": 1}}
    run = run_recipe(Recipe.parse(recipe), tmp_path / "central")
    assert "hours" not in run.result
    assert run.recipe.network.links is None


def test_federated_runs_by_name(tmp_path):
    protocol = {"name": "federated", "compress": [{"name": "subsample", "share": 0.5}]}
    recipe = RECIPE | {"protocol": protocol, "network": {"links": "uniform"}}
    run = run_recipe(Recipe.parse(recipe), tmp_path / "federated")
    assert run.result["nodes"] == 100
    # A round takes 1.5 transfers, and each has a message down and one up for everybody.
    assert run.result["messages"] == 200 * 26
    assert run.metrics["rmse"] < run.baselines["random"]["rmse"]
    assert run.recipe.protocol.aggregate.name == "mf-fedavg"
