"""`sottovoce reproduce`: the contract of its output, and going on where it stopped."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from sottovoce.data.interactions import Interactions
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce.form import Reproduction, settings
from sottovoce.experiments.runs import sweep
from sottovoce.experiments.runs.loading import load_data

Call = Callable[..., Result]

FORM = """# Two ways.

base = "base.toml"
metric = "hr@5"
tuned = "Nothing."

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Table 1"

[set]
"run.rounds" = 3
"evaluate.every" = 1

[axes.epochs]
"1 epoch" = { "model.epochs" = 1, "run.rounds" = 3 }
"2 epochs" = { "model.epochs" = 2 }

[levels]
popularity = "popularity"

[quick]
only = ["1 epoch"]
set = { "run.rounds" = 2 }

[[rows]]
of = ["1 epoch", "popularity, 1 epoch"]
paper = { "1 epoch" = 0.5 }
tolerance = 1

[[claims]]
claim = "Epochs cost no messages."
source = "Section 1"
checks = [{ within = ["1 epoch", "2 epochs"], metric = "messages", by = 0 }]
"""


@pytest.fixture
def file(recipe_file: Callable[..., Path], tmp_path: Path) -> Path:
    recipe_file("base.toml", model__factors=4)
    path = tmp_path / "table.toml"
    path.write_text(FORM)
    return path


def test_contract(call: Call, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "cores", lambda: 4)  # so that each of two has the usual, parallel kernels
    same = ("reproduce", file, "--seeds", 2, "--jobs", 2, "--json")
    done = call(*same)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["experiment"], found["seeds"], found["quick"]) == ("table", [1, 2], False)
    assert {"name", "metric", "paper", "ours", "std", "tolerance", "holds"} <= found["rows"][0].keys()
    assert [(row["name"], row["paper"], row["holds"]) for row in found["rows"]] == [
        ("1 epoch", 0.5, True),
        ("1 epoch, popularity", None, None),
    ]
    assert found["rows"][0]["std"] > 0
    assert [(claim["claim"], claim["holds"]) for claim in found["claims"]] == [
        ("Epochs cost no messages.", True)
    ]
    assert "messages: 1 epoch 180, 2 epochs 180 (apart by 0, allowed 0)" in found["claims"][0]["evidence"]
    place = Path("runs/reproduce/table")
    kept = json.loads((place / "reproduction.json").read_text())
    assert kept["rows"] == found["rows"]
    assert "Epochs cost no messages." in (place / "reproduction.html").read_text()
    results = sorted(place.glob("*/*/result.json"))
    assert [str(path.relative_to(place)) for path in results] == [
        f"{epochs}/seed-{seed}/result.json" for epochs in ("1-epoch", "2-epochs") for seed in (1, 2)
    ]
    assert not list(place.glob("*/*/report.html")), "nobody opens the reports of single runs"
    one = call("report", results[0].parent, "--out", "one.html")
    assert one.exit_code == 0, one.output
    assert "mf by gossip on synthetic" in Path("one.html").read_text()
    before = [path.stat().st_mtime_ns for path in results]
    again = call(*same[:-1], "--page", "pages")
    assert again.exit_code == 0, again.output
    assert "holds: Epochs cost no messages. (Section 1)" in again.stdout
    assert "Under 2 seeds (1, 2)." in again.stdout
    assert [path.stat().st_mtime_ns for path in results] == before
    assert Path("pages/table.md").exists()
    part = call(*same[:-1], "--only", "2 epochs")
    assert part.exit_code == 0, part.output
    assert "Run: 2 epochs, under 2 seeds (1, 2). Not run: 1 epoch." in part.stdout
    assert "Did you mean '2 epochs'?" in call(*same[:-1], "--only", "2 epoch").stderr


def test_quick_is_smaller_and_says_so(call: Call, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "cores", lambda: 2)
    done = call("reproduce", file, "--quick", "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "A reduced version (--quick)" in done.stdout
    assert "not judged: Epochs cost no messages." in done.stdout
    assert "No verdict on the paper." in done.stdout
    assert "holds" not in done.stdout.replace("What holds", "")
    assert "1 of 1 runs" in done.stderr
    kept = json.loads(Path("runs/reproduce/table-quick/reproduction.json").read_text())
    assert (kept["quick"], kept["seeds"]) == (True, [1])
    assert [(row["paper"], row["holds"]) for row in kept["rows"]] == [(0.5, None), (None, None)]
    assert kept["rows"][0]["ours"] > 0
    assert [claim["holds"] for claim in kept["claims"]] == [None]
    page = Path("runs/reproduce/table-quick/reproduction.html").read_text()
    assert "No verdict on the paper." in page
    assert "does not hold" not in page
    assert [curve["x"] for curve in kept["panels"][0]["curves"]] == [[0, 1, 2]]


def test_a_failed_run_is_told(call: Call, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(FORM.replace("[set]", '[set]\n"evaluate.metric" = "rmse"'))
    monkeypatch.setattr(sweep, "cores", lambda: 2)
    done = call("reproduce", file, "--quick")
    assert done.exit_code == 6
    assert "1 of 1 run failed." in done.stderr
    assert "is not measured by the split" in done.stderr
    assert "The same command tries them again." in done.stderr


def test_list_and_what_to_do_instead(call: Call) -> None:
    listed = call("reproduce", "--list").stdout
    assert re.search(r"^hegedus/figure-3 +Figure 3 of", listed, re.M)
    assert json.loads(call("reproduce", "--list", "--json").stdout)[0].keys() == {"name", "summary"}
    assert "sottovoce reproduce --list" in call("reproduce").stderr
    run = call("run", "hegedus/figure-3")
    assert run.exit_code == 2
    assert "sottovoce reproduce" in run.stderr
    reproduce = call("reproduce", "quickstart")
    assert reproduce.exit_code == 2
    assert "Run it with: sottovoce run quickstart." in reproduce.stderr


def test_reproductions_can_share_their_runs(
    call: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "cores", lambda: 2)
    head, axes, rest = FORM.partition("[axes.epochs]")
    file.write_text(f"shared = true\n{head}{axes}{rest}")
    figure = file.with_name("figure.toml")
    figure.write_text(f'shared = true\n{head}[axes.one]\nsame = {{ "model.epochs" = 1 }}\n')
    place = tmp_path / "out"
    done = call("reproduce", file, "--only", "1 epoch", "--seeds", 1, "--out", place / "table")
    assert done.exit_code == 0, done.output
    (kept,) = place.glob("runs/gossip-mf-synthetic-*/seed-1/result.json")
    before = kept.stat().st_mtime_ns
    done = call("reproduce", figure, "--seeds", 1, "--out", place / "figure")
    assert done.exit_code == 0, done.output
    assert [(path, path.stat().st_mtime_ns) for path in place.glob("**/result.json")] == [(kept, before)]
    assert {path.name for path in place.iterdir()} == {"runs", "table", "figure"}


TABLES = [
    ("hegedus/figure-3", "MovieLens 100K"),
    ("hegedus/figure-3", "MovieLens 1M"),
    ("fedncf/table-5", "MovieLens 100K"),
    ("fedncf/table-5", "MovieLens 1M"),
    ("fedncf/table-5", "Last.fm 2K as published"),
]


def _data(name: str, label: str, data_dir: Path) -> tuple[Reproduction, Interactions]:
    form = Reproduction.read(name)
    changes = form.changes(form.stands_for(label, form.runs())[0])
    return form, load_data(Recipe.read(form.recipe, [*settings(form.set), *changes]), data_dir)


@pytest.mark.parametrize(("name", "label"), TABLES)
def test_data_of_the_paper_is_the_data_here(name: str, label: str, data_dir: Path) -> None:
    """The counts that papers print of their data are those of the data sets by name."""
    form, data = _data(name, label, data_dir)
    counted = {"people": data.people, "items": data.items, "interactions": len(data)}
    told = [rows for rows in form.rows if rows.metric in counted and label in rows.paper]
    printed = {rows.metric: rows.paper[label] for rows in told}
    assert printed == counted


@pytest.mark.parametrize(
    ("label", "counted", "leaks"),
    [
        ("MovieLens 100K", (943, 1682, 100_000), 0),
        ("MovieLens 1M", (6040, 3706, 1_000_209), 0),
        ("Last.fm 2K as published", (1600, 12_454, 185_650), 992),
        ("Last.fm 2K", (1222, 12_274, 69_595), 0),
        ("Foursquare NY", (1083, 5135, 36_140), 0),
    ],
)
def test_data_of_fedncf(label: str, counted: tuple[int, int, int], leaks: int, data_dir: Path) -> None:
    """What the notes say was counted, and of how many people the held-out item stays in training."""
    _, data = _data("fedncf/table-5", label, data_dir)
    assert (data.people, data.items, len(data)) == counted
    split = LeaveOneOut(candidates=100).split(data, 1)
    assert np.diff(split.test.indptr).tolist() == [1] * data.people
    assert split.candidates.shape == (data.people, 100)
    assert split.candidates.min() >= 0
    where = np.repeat(np.arange(data.people), np.diff(split.train.indptr))
    held = split.test.item[where]
    assert len(np.unique(where[split.train.item == held])) == leaks
