"""`sottovoce run`: from a recipe or one's own file to a run directory."""

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]
SMALL = ("--set", "run.rounds=2", "--set", "model.factors=3")


def test_without_a_report(call: Call, recipe_file: Callable[..., Path]) -> None:
    done = call("run", recipe_file(), "--out", "run", "--no-report")
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("run: run\n")
    assert not Path("run/report.html").exists()
    again = call("run", recipe_file(), "--out", "run", "--resume")
    assert again.stdout.endswith("report: run/report.html\n"), "what is missing is drawn when it is wanted"
    assert Path("run/report.html").exists()


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


def csv(path: Path, rows: list[tuple[object, ...]]) -> Path:
    path.write_text("\n".join(["user,item,rating", *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def test_a_run_that_diverged_ends_with_a_code_of_its_own(call: Call, ratings: Path) -> None:
    columns = ("--columns", "user=who,item=film,rating=stars")
    wild = ("run", "--data", ratings, *columns, *SMALL, "--set", "model.name=mf", "--set", "model.step=1000")
    done = call(*wild)
    assert done.exit_code == 7, done.output
    assert "The run diverged. Since round 1, some models have held numbers that are not" in done.stdout
    assert "--set model.step=0.01" in done.stdout
    assert "0.0000" not in done.stdout.splitlines()[3]
    assert Path("runs/ratings-1/result.json").is_file()
    again = call(*wild, "--resume", "--json")
    assert again.exit_code == 7
    assert json.loads(again.stdout)["diverged"]["round"] == 1


def test_the_verdict_and_those_not_tested_are_on_the_screen(
    call: Call, ratings: Path, tmp_path: Path
) -> None:
    own = tmp_path / "more.csv"
    own.write_text(ratings.read_text() + "shy,film 1,3,1000\n")
    done = call("run", "--data", own, "--columns", "user=who,item=film,rating=stars", *SMALL)
    assert done.exit_code == 0, done.output
    assert "1 of 61 people is not tested: the person has fewer than 3 different items." in done.stdout
    assert "held-out items are ranked among fewer than 100 others" in done.stdout
    told = next(line for line in done.stdout.splitlines() if line.startswith("It "))
    page = Path("runs/more-1/report.html").read_text()
    headline = page[page.index("<strong>") + 8 : page.index("</strong>")]
    assert told.startswith(html.unescape(headline))
    assert "1 of 61 people is not tested" in page
    assert done.stdout.index("random") < done.stdout.index(told) < done.stdout.index("2 rounds, 61 nodes")


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        ([(p, "x", 3) for p in range(30)], 3, "has one item, so nothing can be recommended"),
        ([("me", j, 3) for j in range(30)], 3, "about one person"),
        ([(p, p, 3) for p in range(30)], 3, "one column is used for both"),
        ([(p, j, 3) for p in range(5) for j in range(4)], 3, "met nearly all of the 4 items"),
        ([(p, j, 3) for p in range(5) for j in range(4) if (p + j) % 4], 2, "evaluate.ks = [1]"),
        ([(p, p % 7, 3) for p in range(30)], 3, "Nobody can be tested"),
    ],
)
def test_what_cannot_be_measured_is_said_before_training(
    call: Call, tmp_path: Path, rows: list[tuple[object, ...]], code: int, said: str
) -> None:
    done = call("run", "--data", csv(tmp_path / "own.csv", rows), *SMALL)
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert "diverged" not in done.output
    assert not Path("runs").exists() or not any(Path("runs").rglob("*"))


def test_what_says_nothing_is_left_out(call: Call, tmp_path: Path) -> None:
    rows = [(p, (p + n * n) % 15, 3) for p in range(40) for n in range(4)]
    own = csv(tmp_path / "own.csv", rows)
    done = call("run", "--data", own, *SMALL)
    assert done.exit_code == 0, done.output
    assert "Not measured: hr@20 and ndcg@20, because a list of 20 holds all" in done.stdout
    result = json.loads(Path("runs/own-1/result.json").read_text())
    assert (
        list(result["final"]) == list(result["baselines"]["random"]) == ["hr@5", "hr@10", "ndcg@5", "ndcg@10"]
    )
    assert result["metric"] == "hr@10"
    assert set(result["left_out"]) == {"hr@20", "ndcg@20"}
    refused = call("run", "--data", own, *SMALL, "--set", "evaluate.metric=hr@20")
    assert refused.exit_code == 2
    assert "'hr@20' is not measured here" in refused.stderr


def test_many_metrics_fit_a_narrow_screen(call: Call, ratings: Path, tmp_path: Path) -> None:
    columns = ("--columns", "user=who,item=film,rating=stars,time=when")
    options = (*columns, *SMALL, "--set", "split.name=temporal-holdout")
    refused = call("run", "--data", ratings, *options)  # everybody saw the films in the same order
    assert "All 300 held-out interactions of ratings are with items that are in nobody's" in refused.stderr
    header, *rows = ratings.read_text().splitlines()
    mixed = [f"{row.rpartition(',')[0]},{1000 + n * 37 % 101}" for n, row in enumerate(rows)]
    own = tmp_path / "mixed.csv"
    own.write_text("\n".join([header, *mixed]) + "\n")
    done = call("run", "--data", own, *options)
    assert done.exit_code == 0, done.output
    assert "…" not in "".join(done.stdout.splitlines()[1:])
    assert "item-coverage@20" in done.stdout


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
        (("quickstart", "--set", "model.factors=0"), 2, "error: --set: model.factors = 0 cannot be used"),
        (("quickstart", "--set", "model.name=mfx"), 2, "error: --set: model: There is no model called 'mfx'"),
        (("quickstart", "--set", "modle.factors=2"), 2, "error: --set: modle is not a section"),
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
