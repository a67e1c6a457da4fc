"""Files that divide their data decide the split, unless somebody names one; rows that repeat do not leak."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import sottovoce
from sottovoce.data.interactions import build
from sottovoce.data.load import load
from sottovoce.experiments.recipe.recipe import Recipe

Call = Callable[..., Result]
SMALL = ("--set", "run.rounds=2", "--set", "model.factors=3")
OWN = "The split is the published one."

UNTIMED = "The data has no times: the order of the rows in the source counts as the order of time."


@pytest.fixture(scope="module")
def divided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty people with one film each under test, in the files of NCF."""
    train = [(p, i) for p in range(60) for i in range(80) if (i + p) % 4 and i % 2 == p % 2]
    held = {p: next(i for i in range(79, 0, -1) if (p, i) in train) for p in range(60)}
    folder = tmp_path_factory.mktemp("divided")
    rows = {
        "train.rating": [f"{p}\t{i}\t{1 + p * i % 5}" for p, i in train if held[p] != i],
        "test.rating": [f"{p}\t{i}\t3" for p, i in held.items()],
        "test.negative": ["\t".join([f"({p},{i}) ", *map(str, range(1, 31))]) for p, i in held.items()],
    }
    for name, lines in rows.items():
        (folder / f"films.{name}").write_text("\n".join(lines))
    return folder


def split_of(place: str | Path) -> str:
    return Recipe.read(Path(place) / "recipe.toml").split.name


@pytest.mark.parametrize("name", ["films.train.rating", "films.test.negative", ""])
def test_the_files_decide(call: Call, divided: Path, name: str) -> None:
    done = call("run", "--data", divided / name, *SMALL, "--out", "here")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[1] == "films comes in parts: 1,140 for training, 60 for testing."
    assert OWN in lines
    assert split_of("here") == "predefined"
    manifest = json.loads(Path("here/split.json").read_text())
    assert (manifest["split"], manifest["parts"]["test"]["interactions"]) == ("predefined()", 60)
    assert manifest["candidates"]["test"]["each"] == 30
    assert OWN in json.loads(Path("here/result.json").read_text())["data"]["notes"]
    assert OWN in Path("here/report.html").read_text()
    again = call("run", "--data", divided / name, *SMALL, "--out", "here", "--resume")
    assert again.exit_code == 0, again.output


def test_a_split_that_is_named_wins(call: Call, divided: Path, tmp_path: Path) -> None:
    file = divided / "films.train.rating"
    (tmp_path / "mine.toml").write_text(
        '[data]\nname = "synthetic"\n[split]\nname = "leave-one-out"\n[model]\nname = "ials"\n'
    )
    for given, name in (
        ((), "local-holdout"),
        (("mine.toml",), "leave-one-out"),
    ):
        changes = () if given else ("--set", f"split.name={name}")
        done = call("run", *given, "--data", file, *changes, *SMALL, "--json")
        assert done.exit_code == 0, done.output
        result = json.loads(done.stdout)
        assert split_of(result["directory"]) == name
        told = [note for note in result["data"]["notes"] if note.startswith("The published split")]
        assert len(told) == 1
        assert f"is not used; the split is {name}(" in told[0]


def test_settings_of_the_split_alone(call: Call, divided: Path) -> None:
    done = call("run", "--data", divided, *SMALL, "--set", "split.candidates=7", "--out", "here")
    assert done.exit_code == 0, done.output
    assert Recipe.read("here/recipe.toml").split.settings["candidates"] == 7
    assert split_of("here") == "predefined"


def test_sweeps_know_the_split_again(call: Call, divided: Path) -> None:
    same = ("sweep", "quickstart", "--set", f"data.path={divided}", "--set", "run.rounds=1", "--seeds", "1")
    for _ in range(2):
        done = call(*same, "--grid", "model.factors=3", "--out", "swept", "--jobs", "1")
        assert done.exit_code == 0, done.output
    assert split_of(next(Path("swept").rglob("recipe.toml")).parent) == "predefined"


def test_in_python(divided: Path) -> None:
    settings = {"model": {"name": "ials", "factors": 3}, "protocol": "central", "rounds": 1}
    for data in (str(divided / "films.train.rating"), load(divided)):
        run = sottovoce.run(data, **settings)
        assert run.recipe.split.name == "predefined"
        assert OWN in run.result["data"]["notes"]
    named = sottovoce.run(str(divided), split="leave-one-out", **settings)
    assert named.recipe.split.name == "leave-one-out"


def test_rows_that_repeat_are_told(call: Call, ratings: Path, tmp_path: Path) -> None:
    text = ratings.read_text()
    (tmp_path / "twice.csv").write_text(text + text.partition("\n")[2])
    chosen = ("--columns", "user=who,item=film", "--set", "split.name=leave-one-out", *SMALL, "--json")
    plain, twice, kept = (
        json.loads(call("run", "--data", path, *chosen, *more).stdout)
        for path, more in (
            (ratings, ()),
            (tmp_path / "twice.csv", ()),
            (tmp_path / "twice.csv", ("--set", "data.duplicates=keep")),
        )
    )
    rows = text.count("\n") - 1
    told = f"{rows:,} of {2 * rows:,} rows repeat a person and an item, all of them exactly"
    assert plain["data"]["notes"] == [UNTIMED]
    assert twice["data"]["notes"] == [f"{told}; the last of each is kept.", UNTIMED]
    assert (plain["final"], plain["split"]) == (twice["final"], twice["split"])
    assert kept["data"]["notes"] == [
        f"{told}; all are kept.",
        "60 of 60 test items are also in their person's training set, because rows repeat.",
        UNTIMED,
    ]


def test_interactions_that_repeat_are_told() -> None:
    rows = [(p, i) for p in range(60) for i in range(80) if (i + p) % 4 and i % 2 == p % 2]
    users, items = zip(*rows, *rows, strict=True)
    run = sottovoce.run(
        build("mine", users, items),
        model={"name": "ials", "factors": 3},
        protocol="central",
        split="leave-one-out",
        rounds=1,
    )
    assert run.result["data"]["notes"] == [
        "60 of 60 test items are also in their person's training set, because rows repeat.",
        UNTIMED,
    ]
