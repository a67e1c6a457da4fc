"""`sottovoce recommend`: a person's list from a run directory."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sottovoce.experiments.runs.loading import load_data
from sottovoce.experiments.runs.run import Run
from sottovoce.registry import build

Call = Callable[..., Result]


def test_list_with_the_history_beside_it(call: Call, finished: Path) -> None:
    done = call("recommend", finished, "--user", "p7", "-n", 3)
    assert done.exit_code == 0, done.output
    assert "Person p7" in done.stdout
    assert "liked before" in done.stdout
    assert done.stdout.count("film ") >= 6


def test_json(call: Call, finished: Path) -> None:
    done = json.loads(call("recommend", finished, "--user", "p7", "-n", 5, "--json").stdout)
    assert [r["rank"] for r in done["recommendations"]] == [1, 2, 3, 4, 5]
    assert {r["title"] for r in done["recommendations"]}.isdisjoint(h["title"] for h in done["history"])
    assert len(done["history"]) == 5


def test_nothing_that_the_person_knows_is_recommended(call: Call, finished: Path) -> None:
    """Neither training items nor weighting items, which the person has as well; test items may be."""
    run = Run.open(finished)
    named = run.recipe.split
    split = build("split", named.name, named.settings, "split").split(load_data(run.recipe), 1)
    assert split.weighting is not None
    ids, met = split.train.catalog.ids, {}
    for part, data in (("train", split.train), ("weighting", split.weighting), ("test", split.test)):
        person = data.person("p7")
        met[part] = set(ids[data.item[data.indptr[person] : data.indptr[person + 1]]].tolist())
    done = json.loads(call("recommend", finished, "--user", "p7", "-n", 80, "--json").stdout)
    found = {one["item"]: one["held_out"] for one in done["recommendations"]}
    assert min(map(len, met.values())) > 0
    assert found.keys() == set(ids.tolist()) - met["train"] - met["weighting"]
    assert {item for item, held_out in found.items() if held_out} == met["test"]


def test_without_the_data_the_list_is_still_there(call: Call, finished: Path, tmp_path: Path) -> None:
    place = tmp_path / "moved"
    shutil.copytree(finished, place)
    recipe = place / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("ratings.csv", "gone.csv"))
    done = call("recommend", place, "--user", "p7", "-n", 3)
    assert done.exit_code == 0, done.output
    assert "note: the history is not shown." in done.stderr
    assert done.stdout.count("film ") == 3


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--user", "p777"), 3, "Nobody is called 'p777'"),
        (("--user", "p7", "-n", "0"), 2, "1<=x<=100"),
        ((), 2, "--user"),
    ],
)
def test_mistakes(call: Call, finished: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = call("recommend", finished, *arguments)
    assert done.exit_code == code
    assert said in done.stderr


def test_not_a_run(call: Call, tmp_path: Path) -> None:
    done = call("recommend", tmp_path, "--user", "1")
    assert done.exit_code == 6
    assert "is not a run directory" in done.stderr
