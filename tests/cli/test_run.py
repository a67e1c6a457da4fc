"""`sottovoce run`: from a recipe or one's own file to a run directory."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]
SMALL = ("--set", "run.rounds=2", "--set", "model.factors=3")


def test_own_file_without_a_recipe(call: Call, ratings: Path) -> None:
    done = call("run", "--data", ratings, "--columns", "user=who,item=film,rating=stars", *SMALL)
    assert done.exit_code == 0, done.output
    assert "popularity" in done.stdout
    assert "random" in done.stdout
    assert "user = who, item = film" in done.stdout
    assert done.stdout.endswith("report: runs/ratings-1/report.html\n")
    assert Path("runs/ratings-1/report.html").is_file()


def test_columns_are_guessed_and_shown(call: Call, tmp_path: Path, ratings: Path) -> None:
    own = tmp_path / "mine.tsv"
    own.write_text(
        ratings.read_text().replace("who,film,stars,when", "user,item,rating,time").replace(",", "\t")
    )
    done = call("run", "--data", own, *SMALL)
    assert done.exit_code == 0, done.output
    assert "columns guessed: user = user, item = item, rating = rating, time = time" in done.stdout


def test_a_run_is_never_overwritten(call: Call, ratings: Path) -> None:
    same = ("run", "--data", ratings, "--columns", "user=who,item=film", "--seed", 7, *SMALL, "--json")
    first, second = (json.loads(call(*same).stdout) for _ in range(2))
    assert (first["directory"], second["directory"]) == ("runs/ratings-7", "runs/ratings-7-2")
    assert first["final"] == second["final"]
    assert first["seed"] == 7
    again = json.loads(call(*same, "--resume").stdout)
    assert again["directory"] == "runs/ratings-7-2"
    refused = call(*same, "--out", "runs/ratings-7")
    assert refused.exit_code == 6
    assert "choose another directory with --out" in refused.stderr.lower()


def test_threads_do_not_change_the_result(call: Call, ratings: Path) -> None:
    same = ("run", "--data", ratings, "--columns", "user=who,item=film", *SMALL, "--json", "--threads")
    one, two = (json.loads(call(*same, threads).stdout) for threads in (1, 2))
    assert one["final"] == two["final"]


def test_shipped_recipe_on_a_named_data_set(call: Call) -> None:
    done = call("run", "quickstart", "--data", "synthetic", "--set", "data.users=60", *SMALL, "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["nodes"] == 60
    assert result["directory"] == "runs/quickstart-1"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Name a recipe"),
        (("quickstrat",), 2, "Did you mean 'quickstart'?"),
        (("quickstart", "--set", "model.factor=8"), 2, "Did you mean 'factors'?"),
        (("quickstart", "--set", "nonsense"), 2, "section.key=value"),
        (("quickstart", "--seed", "-1"), 2, "--seed"),
        (("--data", "nowhere.csv"), 3, "nowhere.csv does not exist"),
        (("--data", "x.csv", "--columns", "who"), 2, "user=…,item=…"),
        (("--data", "x.csv", "--columns", "user=who,item=what"), 3, "has no column 'who'"),
    ],
)
def test_mistakes_are_sentences(call: Call, arguments: tuple[str, ...], code: int, said: str) -> None:
    Path("x.csv").write_text("user,item\n1,2\n")
    done = call("run", *arguments)
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert not Path("runs").exists() or not any(Path("runs").rglob("result.json"))
