"""What runs measured, kept beside the pages: enough to judge anew, and nothing about the machine."""

import json

import pytest
from click.testing import CliRunner

from sottovoce.cli.reproduce import command
from sottovoce.errors import RecipeError, RunError
from sottovoce.experiments.reproduce import execute, kept
from tests.experiments.reproduce.conftest import FORM

SMALL = """
[set]
"data.name" = "synthetic"
"data.items" = 40
"run.rounds" = 2
"evaluate.metrics" = ["hr"]
"""


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """A reproduction of two runs whose result was put into a directory of pages."""
    place = tmp_path_factory.mktemp("kept")
    form = "kept = true\n" + FORM.replace('"rmse"', '"hr@20"') + SMALL
    (place / "paper.toml").write_text(form)
    arguments = [str(place / "paper.toml"), "--only", "small", "--seeds", "1", "--page", str(place / "pages")]
    assert _call(*arguments, "--out", str(place / "first")).exit_code == 0
    return place, arguments


def _call(*arguments):
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def test_a_page_is_made_again_without_running(reproduced, monkeypatch):
    place, arguments = reproduced
    page = next((place / "pages").glob("*.json"))
    before = page.read_text()
    page.unlink()
    monkeypatch.setattr(execute.sweep.subprocess, "Popen", None)
    assert _call(*arguments, "--out", str(place / "second")).exit_code == 0
    assert page.read_text() == before
    directories = list((place / "second").glob("*/seed-1"))
    assert len(directories) == 2
    names = {"recipe.toml", "events.jsonl", "result.json"}
    assert all({file.name for file in each.iterdir()} == names for each in directories)


def test_nothing_tells_of_the_machine_or_of_people(reproduced):
    place, _ = reproduced
    text = (place / "pages" / "paper.jsonl").read_text()
    assert len(text.splitlines()) == 2
    for line in map(json.loads, text.splitlines()):
        assert set(line) == {"recipe", "result", "curve"}
        assert line["result"]["data"]["source"] == "kept figures"
        assert line["curve"]["round"] == [0, 2]
    assert str(place) not in text


def test_kept_once(reproduced):
    place, arguments = reproduced
    path = place / "pages" / "paper.jsonl"
    before = path.read_text()
    assert _call(*arguments, "--out", str(place / "first")).exit_code == 0
    assert path.read_text() == before


@pytest.mark.parametrize(
    "line", ["{", "{}", '{"recipe": {"data": {"name": "no such"}}, "result": 1, "curve": {}}']
)
def test_a_damaged_line_is_named(build, tmp_path, line):
    plan = execute.plan(build(top="kept = true\n"), tmp_path / "out", False, [1])
    (tmp_path / "table.jsonl").write_text(f"{line}\n")
    with pytest.raises(RunError, match=r"Line 1 of .*table\.jsonl is not a kept run"):
        kept.restore(tmp_path, plan)
    assert not (tmp_path / "out").exists()


def test_not_asked_for_nothing_is_kept(build, tmp_path):
    plan = execute.plan(build(), tmp_path / "out", False, [1])
    kept.restore(tmp_path, plan)
    kept.keep(tmp_path, plan)
    assert not list(tmp_path.glob("*.jsonl"))


def test_figures_of_people_are_not_for_keeping(build):
    with pytest.raises(RecipeError, match="single people"):
        build(top='kept = true\npeople = ["rmse"]\n')
