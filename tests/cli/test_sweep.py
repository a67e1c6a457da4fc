"""`sottovoce sweep`: processes, failures, and going on after a stop."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sottovoce.cli.sweep import _show
from sottovoce.experiments.runs import sweep
from sottovoce.experiments.runs.directory import RunDirectory

Call = Callable[..., Result]


@pytest.fixture
def recipe(recipe_file: Callable[..., Path]) -> Path:
    return recipe_file()


def test_failures_are_told_and_the_others_finish(
    call: Call, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "cores", lambda: 4)  # so that each of two has the usual, parallel kernels
    same = (
        "sweep",
        recipe,
        "--grid",
        "evaluate.metric=hr@5,rmse",
        "--seeds",
        "2",
        "--jobs",
        2,
        "--out",
        "all",
    )
    done = call(*same)
    assert done.exit_code == 6, done.output
    assert "2 of 4 runs failed" in done.stderr
    assert "evaluate.metric=rmse seed=1: " in done.stderr
    assert "is not measured by the split" in done.stderr
    assert "popularity hr@5" in done.stdout
    assert " ± " in done.stdout
    assert "report: all/report.html" in done.stdout
    assert "mf by gossip on synthetic" in Path("all/report.html").read_text()
    found = json.loads(Path("all/summary.json").read_text())
    good, bad = found["points"]
    assert (good["runs"], bad["runs"], len(found["failures"])) == (2, 0, 2)
    assert {Path(d).name for d in good["directories"]} == {"seed-1", "seed-2"}
    results = [Path(d) / "result.json" for d in good["directories"]]
    seeds = [json.loads(r.read_text())["seed"] for r in results]
    assert seeds == [1, 2]
    assert not list(Path("all").glob("*/*/report.html")), "nobody opens the reports of single runs"
    one = call("report", results[0].parent)
    assert one.exit_code == 0, one.output
    assert "mf by gossip on synthetic" in (results[0].parent / "report.html").read_text()
    before = [r.stat().st_mtime_ns for r in results]
    again = call(*same[:3], "evaluate.metric=hr@5", *same[4:], "--json")
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["points"] == [good]
    assert [r.stat().st_mtime_ns for r in results] == before


def test_runs_that_cannot_be_compared_have_no_report(call: Call, recipe: Path) -> None:
    done = call("sweep", recipe, "--grid", "data.users=60,61", "--out", "all")
    assert done.exit_code == 0, done.output
    assert "note: there is no report." in done.stderr
    assert "different data" in done.stderr
    assert "report:" not in done.stdout
    assert Path("all/summary.csv").exists()


def test_runs_that_diverged_are_told_and_not_failures(call: Call, recipe: Path) -> None:
    same = ("sweep", recipe, "--set", "run.rounds=4", "--jobs", 1, "--out")
    done = call(*same, "all", "--grid", "model.step=0.01,1000")
    assert done.exit_code == 0, done.output
    assert "diverged: model.step=1000 seed=1" in done.stdout
    found = json.loads(Path("all/summary.json").read_text())
    assert [row["diverged"] for row in found["points"]] == [[], [1]]
    assert Path("all/summary.csv").read_text().splitlines()[0].startswith("model.step,runs,diverged,")
    assert "Diverged: step 1000" in Path("all/report.html").read_text()
    every = call(*same, "lost", "--set", "model.step=1000")
    assert every.exit_code == 7, every.output


@pytest.mark.parametrize(("width", "columns"), [(120, 6), (70, 5), (48, 4)])
def test_the_table_fits_the_screen(
    width: int, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    over = {"mean": {"hr@20": 0.8871, "ndcg@20": 0.5321}, "std": {"hr@20": 0.0031, "ndcg@20": 0.0030}}
    settings = {"protocol.pushes": 3, "model.regularization": 0.1}
    row = {"settings": settings, "runs": 3, **over, "baselines": {"popularity": over}, "references": {}}
    monkeypatch.setenv("COLUMNS", str(width))
    _show({"metric": "hr@20", "points": [row]})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) <= width
    assert "0.8871 ± 0.0031" in lines[1]
    assert len(lines[1].replace(" ± ", "±").split()) == columns


def launch(recipe: Path, *options: str) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "sottovoce",
        "sweep",
        str(recipe),
        "--seeds",
        "2",
        "--jobs",
        "1",
        *options,
    ]
    return subprocess.Popen(command, cwd=recipe.parent, stderr=subprocess.PIPE, text=True)


def wait_for(what: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 600
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_the_runs_and_keeps_their_state(recipe: Path, number: int) -> None:
    first = recipe.parent / "runs/sweep-small/recipe/seed-1"
    process = launch(recipe, "--set", "run.rounds=20000", "--set", "run.checkpoint=0")
    try:
        wait_for(lambda: any(first.glob("checkpoint-*")), process)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "the same command continues them." in said
    assert not RunDirectory(first).busy
    assert any(first.glob("checkpoint-*"))
    assert not first.with_name("seed-2").exists()


def test_a_killed_sweep_continues(call: Call, recipe: Path) -> None:
    first = recipe.parent / "all/recipe/seed-1/result.json"
    process = launch(recipe, "--out", "all")
    try:
        wait_for(first.exists, process)
    finally:
        process.kill()
        process.communicate()
    before = first.stat().st_mtime_ns
    done = call("sweep", recipe, "--seeds", 2, "--jobs", 1, "--out", "all", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["points"][0]["seeds"] == [1, 2]
    assert first.stat().st_mtime_ns == before


def test_errors_name_the_option(call: Call) -> None:
    for option in ("--set", "--grid"):
        done = call("sweep", "quickstart", option, "model.factors=0")
        assert done.exit_code == 2
        assert f"error: {option}: model.factors = 0 cannot be used" in done.stderr
