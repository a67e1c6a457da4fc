"""Progress over many runs: which round each is in, and the time left for all."""

import pytest

from sottovoce.experiments.runs import watch
from sottovoce.experiments.runs.directory import RunDirectory
from sottovoce.experiments.runs.sweep import Point, _reason
from sottovoce.experiments.runs.watch import Clock, progress, share


@pytest.fixture
def point(tmp_path):
    """A run under way, in a sweep over factors, whose log is to be written."""

    def make(seed, log):
        found = Point(("model.factors=8",), seed, RunDirectory(tmp_path / "model.factors=8" / f"seed-{seed}"))
        found.log.parent.mkdir(exist_ok=True)
        found.log.write_text(log)
        return found

    return make


def test_what_a_run_reached_is_in_its_log(point):
    assert point(1, "Preparing …\nround 30 of 60 · 2/s\n").reached == (30, 60)
    assert point(2, "x" * 10_000 + "\nround 45 of 60 · 2/s\n").reached == (45, 60)
    assert point(3, "Preparing …\n").reached is None
    missing = point(4, "")
    missing.log.unlink()
    assert missing.reached is None


def test_time_left_over_all_runs(monkeypatch):
    now = iter([50.0, 80.0])
    monkeypatch.setattr(watch.time, "monotonic", lambda: next(now))
    clock = Clock(6)
    assert clock.left(2) is None, "two were there already, and tell nothing about time"
    assert clock.left(3.5) == 50.0  # one and a half took 30 s, two and a half are left


def test_lines_where_there_is_no_terminal(point, monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(watch, "on_terminal", lambda: False)
    one, two = point(1, "round 30 of 60 · 2/s\n"), point(2, "Preparing …\n")
    assert share([one, two]) == 0.5
    with progress(4) as tell:
        tell(0, "", [])
        now[0] = 5.0
        tell(0, "", [one, two])  # nothing new, and not ten seconds later
        now[0] = 10.0
        tell(0, "", [one, two])
        tell(1, "model.factors=8 seed=1 failed: It is broken.", [two])
        tell(4, "", [])
    assert capsys.readouterr().err.splitlines() == [
        "0 of 4 runs",
        "0 of 4 runs · 70 s left · model.factors=8 seed-1 30/60 · model.factors=8 seed-2 preparing",
        "model.factors=8 seed=1 failed: It is broken.",
        "1 of 4 runs · 30 s left · model.factors=8 seed-2 preparing",
        "4 of 4 runs",
    ]


def test_failures_are_told_to_those_who_did_not_ask(monkeypatch, capsys):
    monkeypatch.setattr(watch, "on_terminal", lambda: False)
    with progress(4, wanted=None) as tell:
        tell(0, "", [])
        tell(1, "It failed.", [])
    assert capsys.readouterr().err == "It failed.\n"


def test_a_bar_in_a_terminal(point, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(watch, "on_terminal", lambda: True)
    with progress(4) as tell:
        tell(1, "", [point(1, "round 30 of 60 · 2/s\n")])
    said = capsys.readouterr().err
    assert "1/4 runs" in said
    assert "seed-1 30/60" in said


@pytest.mark.parametrize(
    ("log", "code", "reason"),
    [
        ("round 3 of 7\nerror: It is broken.\n", 6, "It is broken."),
        ("round 3 of 7\n", -9, "ended by signal 9 after: round 3 of 7"),
        ("", -9, "ended by signal 9"),
        ("", 3, "exit code 3"),
    ],
)
def test_why_a_run_failed(point, log, code, reason):
    assert _reason(point(1, log), code) == reason
