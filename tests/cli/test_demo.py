"""`sottovoce demo`: on the real data, and on a synthetic community where that cannot be had."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import sottovoce.data.load
from sottovoce.errors import DataError

Call = Callable[..., Result]


def small_or_nothing(name: str, **options: object) -> sottovoce.data.load.Interactions:
    """Stands for `load` on a machine without MovieLens and without a network."""
    if name == "ml-100k":
        raise DataError("The data set ml-100k was not found. Tried: nothing.")
    return REAL(name, users=60)


REAL = sottovoce.data.load.load


def test_on_movielens(call: Call, data_dir: Path) -> None:
    done = call("demo", "--data-dir", data_dir)
    assert done.exit_code == 0, done.output
    assert "This is MovieLens 100K" in done.stdout
    result = json.loads(Path("runs/demo/result.json").read_text())
    assert result["final"]["hr@20"] > result["baselines"]["popularity"]["hr@20"] + 0.05
    assert "liked before" in done.stdout
    assert done.stdout.count(" (19") >= 10, "films have titles with years"
    report = Path(done.stdout.splitlines()[-1].removeprefix("report: "))
    assert report.is_absolute()
    assert report.is_file()


def test_without_movielens(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.data.load.load", small_or_nothing)
    done = call("demo")
    assert done.exit_code == 0, done.output
    assert "synthetic data. The data set ml-100k was not found." in done.stdout
    assert "recommended" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("runs/demo/report.html")


def test_a_rerun_replaces_a_demo_and_nothing_else(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.data.load.load", small_or_nothing)
    assert call("demo").exit_code == 0
    note = Path("runs/demo/my-notes.txt")
    note.write_text("keep")
    Path("runs/demo/result.json").write_text("old")
    assert call("demo").exit_code == 0
    assert json.loads(Path("runs/demo/result.json").read_text())["nodes"] == 60
    assert note.read_text() == "keep"
    Path("runs/demo/.demo").unlink()
    before = Path("runs/demo/result.json").read_bytes()
    done = call("demo")
    assert done.stdout.splitlines()[-1].endswith("runs/demo-2/report.html")
    assert Path("runs/demo/result.json").read_bytes() == before


def test_a_second_start_compiles_nothing(tmp_path: Path) -> None:
    script = f"""
import sys
sys.argv = ["sottovoce", "run", "quickstart", "--data", "synthetic", "--set", "data.users=60",
            "--set", "run.rounds=2", "--out", "{tmp_path}/" + sys.argv[1]]
from sottovoce.cli import main
try:
    main()
finally:
    from sottovoce import kernels
    print("compiled", kernels.compilations())
"""
    for name in ("first", "second"):
        command = [sys.executable, "-c", script, name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "compiled 0"
