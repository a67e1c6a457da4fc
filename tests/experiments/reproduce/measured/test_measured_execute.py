"""A table of measurements from its file to its page: each cell once, kept, continued, judged."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sottovoce.cli.reproduce import command
from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.document import parsed
from sottovoce.experiments.recipe.shipped import shipped
from sottovoce.experiments.reproduce import docs
from sottovoce.experiments.reproduce.measured import execute, records
from sottovoce.experiments.reproduce.measured.form import Measurements
from sottovoce.experiments.runs import machine
from tests.experiments.reproduce.measured.conftest import FORM, calls

PAGES = Path(__file__).parents[4] / "docs" / "reproductions"
MORE = """
[[rows]]
figure = "product"
paper = { "small, slow" = 10, "large, slow" = 10 }
factor = 1.0

[[claims]]
claim = "Fast is faster."
source = "Section 1"
checks = [{ figure = "product", rising = ["fast", "slow"] }]
"""


def _call(*arguments):
    return CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=False)


def test_contract(table, tmp_path, monkeypatch):
    loads = iter(range(1, 13))
    monkeypatch.setattr(machine, "load", lambda: next(loads) / 2)
    out, pages = tmp_path / "out", tmp_path / "pages"
    done = _call(table(MORE), "--out", out, "--page", pages, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {"name", "metric", "paper", "ours", "std", "tolerance", "holds"} <= found["rows"][0].keys()
    assert [(row["name"], row["ours"], row["holds"]) for row in found["rows"]] == [
        ("small, slow", 7.0, True),
        ("small, fast", 3.0, None),
        ("large, slow", 61.0, False),
        ("large, fast", 21.0, None),
    ]
    assert [(claim["claim"], claim["holds"]) for claim in found["claims"]] == [("Fast is faster.", True)]
    assert len(calls) == 12
    assert [seed for seed, _ in calls] == sorted(seed for seed, _ in calls), "one cell after the other"
    page = (pages / "table.md").read_text()
    assert "In 3 repetitions." in page
    assert "| small, slow | product | 10 ms | 7.00 ms (6.50 to 7.50), 0.70 × | at most 1 × | holds |" in page
    assert "Measured on one core of " in page
    assert "the load was 0.5 to 6 (" in page
    assert "svg" not in page
    assert "sottovoce reproduce table --seeds 3" in page
    assert not (pages / "table.svg").exists()
    html = (out / "reproduction.html").read_text()
    assert "Measured on one core of " in html
    assert "Curves" not in html
    assert docs.pages(pages).keys() == {"index.md", "table.md"}


def test_what_is_measured_is_not_measured_again(table, tmp_path):
    path, out, pages = table(MORE), tmp_path / "out", tmp_path / "pages"
    assert _call(path, "--out", out, "--seeds", 1, "--only", "small", "--page", pages).exit_code == 0
    assert len(calls) == 2
    assert _call(path, "--out", out, "--seeds", 2).exit_code == 0
    assert len(calls) == 8, "two were in the directory"
    assert _call(path, "--out", tmp_path / "other", "--seeds", 1, "--page", pages).exit_code == 0
    assert len(calls) == 10, "two were kept beside the page"
    lines = (pages / "table-measured.jsonl").read_text().splitlines()
    assert len(lines) == 4
    assert str(tmp_path) not in "".join(lines)


def test_a_reduced_version_decides_nothing(table, tmp_path):
    done = _call(table(MORE), "--quick", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "No verdict on the paper." in done.stdout
    assert "not judged: Fast is faster." in done.stdout
    assert "1 repetition." in done.stdout
    assert "2 of 2 measurements" in done.stderr
    assert [settings["shift"] for _, settings in calls] == [0.25, 0.25]


def test_a_part_says_what_is_missing(table, tmp_path):
    done = _call(table(MORE), "--only", "large", "--out", tmp_path / "out")
    assert "Run: large, in 3 repetitions. Not run: small." in done.stdout


def test_settings_that_the_function_does_not_take(build):
    with pytest.raises(
        RecipeError, match=r"toy.product cannot measure small, slow: .*'c'.*Its settings are a, b"
    ):
        execute.plan(build(text=FORM.replace("shift = 0.5", "shift = 0.5\nc = 1")), quick=False, seeds=None)


def test_functions_that_there_are_not(build):
    with pytest.raises(RecipeError, match=r"No function 'toy.quotient' is registered for measurements"):
        execute.plan(build(text=FORM.replace("toy.product", "toy.quotient")), quick=False, seeds=None)


def test_figures_that_were_not_announced(build, tmp_path):
    form = build(text=FORM.replace('"large only" = "share"\n', ""))
    plan = execute.plan(form, quick=False, seeds=[1], only=["large"])
    with pytest.raises(RecipeError, match=r"returns large only = 0.25, but .* has no such figure"):
        execute.execute(plan, tmp_path, {}, lambda *said: None)


def test_shipped_functions_return_what_their_files_announce():
    """Every figure of a shipped file is in some kept record."""
    files = [each for each in shipped("reproduction") if "measure" in parsed(each.path)]
    assert files
    for form in (Measurements.read(each.name) for each in files):
        known = records.read(execute.kept(PAGES, form)).values()
        mine = [record for record in known if record.measure == form.measure]
        assert {name for record in mine for name in record.figures} == set(form.figures)


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [
        ("fedncf/table-7", "gmpy2", "paillier"),
        ("fedncf/table-7", "tenseal", "ckks"),
        ("fedncf/appendix-c", "gmpy2", "paillier"),
    ],
)
def test_a_missing_library_is_named_with_the_remedy(name, library, extra, tmp_path):
    program = f"import sys; sys.modules[{library!r}] = None; from sottovoce.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "reproduce", name, "--quick", "--out", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode not in (0, 1), done.stderr
    assert f"{library}, which is not installed" in done.stderr
    assert f"pip install 'sottovoce[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr
