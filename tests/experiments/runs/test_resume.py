"""A run that is killed at any moment continues to the identical result."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs.directory import EVENTS, RECIPE, RESULT

SCRIPT = """
import sys
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.start import run_recipe
run_recipe(Recipe.read(sys.argv[1]), sys.argv[2], resume=True)
"""
LIMIT = 600
VARIES = {"seconds", "compiled", "peak_rss_bytes"}


@pytest.fixture(scope="module")
def recipe(tmp_path_factory) -> Path:
    """A run of a few seconds that saves itself every few rounds, with messages and data on their way."""
    path = tmp_path_factory.mktemp("recipe") / "long.toml"
    path.write_text(
        """
        data = { name = "synthetic", users = 100, items = 100 }
        split = { name = "local-holdout", candidates = 20 }
        arrivals = { share = 0.4, every = 7 }
        model = { name = "mf", factors = 3 }
        protocol = { name = "gossip", pushes = 2 }
        network = { links = { name = "unequal", loss = 0.1 } }
        evaluate = { every = 100, ks = [5] }
        run = { rounds = 1500, checkpoint = 0, threads = 1 }
        """
    )
    return path


def start(recipe: Path, out: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(recipe), str(out)], stderr=subprocess.PIPE, text=True
    )


def finish(recipe: Path, out: Path) -> None:
    process = start(recipe, out)
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, errors


@pytest.fixture(scope="module")
def reference(recipe, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("reference") / "run"
    finish(recipe, out)
    return out


def wait(process: subprocess.Popen[str], moment) -> bool:
    """Whether the moment came while the process was alive."""
    deadline = time.monotonic() + LIMIT
    while process.poll() is None:
        assert time.monotonic() < deadline, "the process neither came to the point nor ended"
        if moment():
            return True
        time.sleep(0.001)
    return False


def lines(out: Path) -> int:
    path = out / EVENTS
    return path.read_text().count("\n") if path.exists() else 0


def same(one: Path, other: Path) -> None:
    def result(path):
        found = {k: v for k, v in json.loads((path / RESULT).read_text()).items() if k not in VARIES}
        assert found["by_node"].pop("seconds")["mean"] > 0
        return found

    def events(path):
        parsed = [json.loads(line) for line in (path / EVENTS).read_text().splitlines()]
        return [{k: v for k, v in event.items() if k not in VARIES} for event in parsed]

    assert result(one) == result(other)
    assert events(one) == events(other)
    for name in ("per_user.parquet", "recommendations.parquet"):
        frames = [pl.read_parquet(path / name).drop("node seconds", strict=False) for path in (one, other)]
        assert_frame_equal(*frames, check_exact=True)
    assert sorted(p.name for p in one.iterdir()) == sorted(p.name for p in other.iterdir())


def test_killed_again_and_again(recipe, reference, tmp_path):
    out = tmp_path / "run"
    moments = {
        "as soon as it has begun": lambda: (out / RECIPE).exists(),
        "while the first checkpoint is written": lambda: any(out.glob("checkpoint-*")),
        "just after a checkpoint": lambda: checkpoint.exists(out),
        "in the middle": lambda: lines(out) >= 4,
        "near the end": lambda: lines(out) >= 14,
        "while results are written": lambda: any(out.glob("*.parquet")),
    }
    reached = 0
    for moment in moments.values():
        process = start(recipe, out)
        reached += wait(process, moment)
        process.kill()
        process.communicate(timeout=LIMIT)
    assert reached >= 4
    finish(recipe, out)
    same(out, reference)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_saves_and_says_how_to_continue(recipe, reference, tmp_path, number):
    out = tmp_path / "run"
    process = start(recipe, out)
    assert wait(process, lambda: lines(out) >= 3)
    process.send_signal(number)
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode != 0
    assert f"Continue with: sottovoce run {out}/recipe.toml --out {out} --resume" in errors
    assert checkpoint.newest(out).round > 0
    finish(out / RECIPE, out)
    same(out, reference)
