"""What a run tells while it works: lines in a log, each at once, and how they are read back."""

import io
import os
import subprocess
import sys
import time

import pytest

from sottovoce.experiments.runs import compiling, progress
from sottovoce.experiments.runs.progress import Lines, Quiet, Terminal, choose, latest


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(progress.time, "monotonic", found)
    return found


def test_a_line_for_an_evaluation_and_every_ten_seconds(clock, capsys):
    with Lines().rounds(1000, 100) as bar:
        clock.now += 0.5
        bar.update(110, "hr@5 0.1", evaluated=True)  # too soon
        clock.now += 1.5
        bar.update(140, "hr@5 0.2", evaluated=True)
        clock.now += 9.0
        bar.update(300, "hr@5 0.2")
        clock.now += 1.0
        bar.update(340, "hr@5 0.2")
        bar.update(1000, "hr@5 0.3", evaluated=True)
    # 40 rounds in 2 s: 860 are left, at 20 a second. Then 240 in 12 s, and 660 are left.
    assert capsys.readouterr().err.splitlines() == [
        "round 140 of 1,000 · 20/s · 43 s left · hr@5 0.2",
        "round 340 of 1,000 · 20/s · 33 s left · hr@5 0.2",
        "round 1,000 of 1,000 · 75/s · hr@5 0.3",
    ]


def test_lines_are_read_back():
    text = "Preparing …\nround 140 of 1,000 · 20/s\nround 1,340 of 2,000 · 20/s · round 5 of 6\nerror: so\n"
    assert latest(text) == (1340, 2000)
    assert latest("Preparing …\n") is None
    assert latest("") is None


def test_who_sees_what(monkeypatch):
    assert isinstance(choose(False), Quiet)
    assert isinstance(choose(None), Quiet), "a script that nobody watches"
    assert isinstance(choose(True), Lines)
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    assert isinstance(choose(None), Terminal)
    assert isinstance(choose(True), Terminal)
    assert isinstance(choose(False), Quiet)


def test_without_stderr_nothing_is_said_and_nothing_fails(monkeypatch):
    for gone in (None, io.StringIO()):
        if gone is not None:
            gone.close()
        monkeypatch.setattr(sys, "stderr", gone)
        assert not progress.on_terminal()
        Lines().say("hello")


def test_compiling_says_what_it_took(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path))
    compiled, seconds = iter([0, 3, 3, 3]), iter([10.0, 52.0, 60.0])
    monkeypatch.setattr("sottovoce.kernels.compilations", lambda: next(compiled))
    monkeypatch.setattr(compiling.time, "perf_counter", lambda: next(seconds))
    for _ in range(2):
        with compiling.announced(Lines(), "Preparing kernels"):
            pass
    assert capsys.readouterr().err.splitlines() == [
        "Preparing kernels (compiling new kernels takes a while the first time) …",
        "Compiled 3 kernels in 42 s, for later runs too.",
        "Preparing kernels (compiling new kernels took 42 s last time) …",
    ]
    (tmp_path / "compiling.json").write_text("[]")
    assert compiling._known() == {}


def test_output_of_a_redirected_run_appears_as_it_happens(recipe_file, tmp_path):
    """In a pipe, while the run goes on: what it begins with, and then rounds."""
    recipe_file("long.toml", evaluate__every=50, run__rounds=100_000)
    command = [sys.executable, "-m", "sottovoce", "run", "long.toml", "--out", "run"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said, deadline = b"", time.monotonic() + 300
        while b"\nround " not in said:
            part = os.read(process.stdout.fileno(), 1 << 16)
            assert part, said
            assert time.monotonic() < deadline
            said += part
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()
    lines = said.decode().splitlines()
    assert lines[0].startswith("synthetic: ")
    assert any(line.startswith("Measuring popularity and random") for line in lines)
    assert "hr@5" in lines[-1]
    assert latest(said.decode())[1] == 100_000


def test_a_run_goes_on_when_nobody_reads_about_it(recipe_file, tmp_path):
    """`sottovoce run … 2>&1 | head -1`: no traceback, and a complete run."""
    recipe_file("short.toml", run__rounds=7)
    script = f"set -o pipefail; {sys.executable} -m sottovoce run short.toml --out run 2>&1 | head -1"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("synthetic: ")
    assert done.stderr == ""
    assert (tmp_path / "run/report.html").exists()
