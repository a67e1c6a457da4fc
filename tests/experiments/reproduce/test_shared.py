"""Runs that reproductions share, and what is measured beside them once."""

import pytest

from sottovoce.experiments.reproduce import execute, shared
from sottovoce.experiments.runs import sweep

ASKED = '\n[set]\n"evaluate.references" = ["ease"]\n"model.step" = 0.1\n"model.name" = "mf"\n'


@pytest.fixture
def planned(build, tmp_path, monkeypatch):
    """The plan of the form with two axes, shared, with a reference."""
    monkeypatch.setattr(sweep.references, "require", lambda references: None)

    def make(more=ASKED, name="table", **options):
        form = build(more, top="shared = true\n")
        return execute.plan(form, tmp_path / "out" / name, False, [1, 2], **options)

    return make


def test_runs_lie_by_what_they_are(planned, tmp_path):
    plan = planned()
    place = plan.points["small", "fast"][1].place.path
    assert place.parent.parent == tmp_path / "out" / "runs"
    assert (place.parent.name[:16], place.name) == ("gossip-mf-ml-100", "seed-2")
    folders = {run: points[0].place.path.parent for run, points in plan.points.items()}
    assert len(set(folders.values())) == len(folders)
    again = planned(name="figure", only=["small, fast"])
    assert again.points["small", "fast"][0].place.path.parent == folders["small", "fast"]
    other = planned(ASKED.replace("0.1", "0.2"))
    assert other.points["small", "fast"][0].place.path.parent != folders["small", "fast"]
    assert other.beside == plan.beside, "a reference does not depend on how models are trained"


def test_references_are_measured_once_for_the_same_data(planned):
    plan = planned()
    assert set(plan.points) == {*plan.form.runs(), *plan.beside.values()}
    assert plan.beside["small", "fast"] == plan.beside["small", "slow"] != plan.beside["large", "fast"]
    (point, _) = plan.points[plan.beside["large", "fast"]]
    assert point.settings == ('evaluate.references=["ease"]', "data.users=90", *shared._BESIDE)
    assert all(
        (shared.ALONE in point.settings) == (run in plan.beside)
        for run, points in plan.points.items()
        for point in points
    )


def test_without_references_there_is_nothing_beside(planned):
    plan = planned("")
    assert plan.beside == {}
    assert list(plan.points) == plan.form.runs()


def test_references_come_to_the_runs(planned, run, monkeypatch):
    plan = planned(only=["small"])
    kept = {
        point.place.path: run(
            2.0, 1.0, references={"ease": {"rmse": 0.9}} if labels in plan.beside.values() else {}
        )
        for labels, points in plan.points.items()
        for point in points
    }
    monkeypatch.setattr(sweep, "execute", lambda *arguments: [])
    monkeypatch.setattr(execute.Run, "open", kept.__getitem__)
    results = execute.execute(plan, 1, None, lambda *told: None)
    assert list(results) == [("small", "fast"), ("small", "slow")]
    assert {one.references["ease"]["rmse"] for runs in results.values() for one in runs} == {0.9}


def test_references_have_all_seeds_of_any_run(build, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep.references, "require", lambda references: None)
    form = build(ASKED, top="shared = true\nfewer = { slow = 1 }\n")
    plan = execute.plan(form, tmp_path / "out" / "table", False, [1, 2])
    assert len(plan.points["small", "slow"]) == 1
    assert plan.beside["small", "fast"] == plan.beside["small", "slow"]
    assert [point.seed for point in plan.points[plan.beside["small", "slow"]]] == [1, 2]
