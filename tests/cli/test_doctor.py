"""`sottovoce doctor`."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]


def test_all_is_well(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ml-100k").mkdir()
    monkeypatch.setenv("SOTTOVOCE_DATA", str(tmp_path))
    done = call("doctor")
    assert done.exit_code == 0, done.output
    assert f"$SOTTOVOCE_DATA {tmp_path}: ml-100k" in done.output
    assert "the serial test kernel is right" in done.output
    assert "the parallel test kernel is right" in done.output
    assert "threads on" in done.output
    for extra in ("sums encrypted with Paillier", "sums encrypted with CKKS"):
        assert f"optional, for {extra}" in done.output
    assert done.output.endswith("All is well.\n")


def test_what_is_broken_decides_the_exit_code(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOTTOVOCE_DATA", "/nowhere")
    done = call("doctor")
    assert done.exit_code == 1
    assert "BROKEN $SOTTOVOCE_DATA /nowhere is not a directory" in done.output
    assert "memory" in done.output


def test_an_unwritable_cache_is_a_note(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    environment = os.environ | {"SOTTOVOCE_CACHE": str(occupied / "cache"), "SOTTOVOCE_DATA": str(tmp_path)}
    command = [sys.executable, "-m", "sottovoce", "doctor"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "note   no writable cache" in done.stdout
