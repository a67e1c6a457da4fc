"""A page can be given away: it names nobody, shows nobody's history, and of paths only the names of files."""

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from sottovoce.errors import DataError, RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.report import lists, shared
from sottovoce.experiments.report.export import export
from sottovoce.experiments.report.methods import study
from sottovoce.experiments.report.naming import called
from sottovoce.experiments.report.report import render, report

HOME = "/home/jane doe/secret (2)"


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A finished run whose people have names that can be found, and whose recipe and data have paths."""
    place = Path(shutil.copytree(finished, tmp_path / "copy"))
    for name in ("per_user.parquet", "recommendations.parquet"):
        frame = pl.read_parquet(place / name)
        frame.with_columns(user="jane-" + pl.col("user").cast(pl.String)).write_parquet(place / name)
    result = json.loads((place / "result.json").read_text())
    result["data"]["source"] = f"{HOME}/ratings.csv (CSV; columns who, film)"
    (place / "result.json").write_text(json.dumps(result))
    recipe = (place / "recipe.toml").read_text()
    own = f'path = "{HOME}/ratings.csv"'
    recipe = re.sub(r'name = "synthetic"\nusers = 60\nitems = 80', own, recipe)
    assert own in recipe
    (place / "recipe.toml").write_text(recipe)
    return place


def everything(place: Path, out: Path, person: str | None = None) -> str:
    """The page and all that is exported."""
    found = report([place], person)
    return "".join([found.html, *(file.read_text() for file in export(found.sections, out))])


def test_by_default_nobody_and_no_folder_is_shown(copy, tmp_path):
    text = everything(copy, tmp_path / "out")
    for secret in ("jane", "secret", "/home", "✓", str(tmp_path)):
        assert secret not in text
    assert "path = &quot;ratings.csv&quot;" in text
    assert "ratings.csv (CSV; columns who, film)" in text
    assert "Save a recipe as recipe.toml, with ratings.csv beside it." in text


def test_a_persons_list_is_shown_on_request_and_without_the_name(copy, tmp_path):
    own = pl.read_parquet(copy / "recommendations.parquet").filter(pl.col("rank") <= 10)
    lucky = own.filter("held_out")["user"].cast(pl.String)[0]
    mine = own.filter(pl.col("user").cast(pl.String) == lucky)
    text = everything(copy, tmp_path / "out", lucky)
    assert "One person" in text
    assert text.count(" ✓</li>") == mine["held_out"].sum() > 0
    for title in mine["title"].cast(pl.String):
        assert f"<li>{title}" in text
    assert "jane" not in text


def test_whom_nobody_knows_is_refused(copy, several):
    with pytest.raises(DataError, match="Nobody is called 'x'"):
        report([copy], "x")
    with pytest.raises(RunError, match="to one method, and these runs are of 2 methods"):
        report([several], "7")


def test_what_most_people_get_is_counted(copy):
    section = lists.recommended(study([copy]))[0]
    table = section.parts[0]
    frame = pl.read_parquet(copy / "recommendations.parquet").filter(pl.col("rank") <= 10)
    people = frame["user"].n_unique()
    first = frame.group_by("item").len().sort("len", descending=True)
    assert table.rows[0][1].values == (first["len"][0] / people,)
    assert len(table.rows) == 10
    assert f"hold {len(first)} of 80 items" in table.caption


def test_what_few_people_get_is_not_told(copy):
    lists_of = pl.read_parquet(copy / "recommendations.parquet")
    few = lists_of["user"].cast(pl.String).unique(maintain_order=True)[:4]
    kept = lists_of.filter(pl.col("user").cast(pl.String).is_in(few.to_list()))
    kept.write_parquet(copy / "recommendations.parquet")
    page = render(copy)
    assert "None of them is in the lists of 5 people or more." in page
    assert kept["title"].cast(pl.String)[0] not in page


def test_paths_in_a_recipe_become_names():
    recipe = Recipe.parse(
        {
            "data": {"path": f"{HOME}/ratings.csv", "titles": f"{HOME}/titles.csv"},
            "model": {"name": f"{HOME}/own.py#0123456789abcdef", "start_from": [f"{HOME}/a", f"{HOME}/b"]},
            "protocol": {"merge": {"name": "~/own_merge.py"}},
            "network": {"links": "uniform", "churn": {"name": "trace", "path": f"{HOME}/trace.csv"}},
        }
    )
    text = shared.recipe(recipe)
    assert "jane" not in text
    assert "~" not in text
    for kept in ('"ratings.csv"', '"titles.csv"', '"own.py#0123456789abcdef"', '["a", "b"]', '"trace.csv"'):
        assert kept in text
    files = ["ratings.csv", "titles.csv", "own.py", "a", "b", "own_merge.py", "trace.csv"]
    assert sorted(shared.files(recipe)) == sorted(files)
    assert shared.files(Recipe.parse({"data": {"name": "synthetic"}})) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (f"$SOTTOVOCE_DATA {HOME}/ml-100k", "$SOTTOVOCE_DATA ml-100k"),
        (f"directory {HOME}/ml-100k, without titles", "directory ml-100k, without titles"),
        (
            f"{HOME}/x (files a); at least 5 interactions a person",
            "x (files a); at least 5 interactions a person",
        ),
        (
            f"https://files.example.org/ml/ml.zip, kept in {HOME}/ml",
            "https://files.example.org/ml/ml.zip, kept in ml",
        ),
        (r"directory C:\Users\Jane\ml", "directory ml"),
        ("~/ml", "ml"),
        ("the built-in synthetic community of 60 people, seed 1",) * 2,
        ("TSV; user/item", "TSV; user/item"),
        ("", ""),
    ],
)
def test_sources_lose_their_folders(source, said):
    assert shared.source(Recipe.parse({"data": {"name": "synthetic"}}), source) == said


def test_the_source_of_an_own_file_begins_with_its_name():
    recipe = Recipe.parse({"data": {"path": "/data/a/a"}})
    assert shared.source(recipe, "/data/a/a (TSV; a/b)") == "a (TSV; a/b)"
    assert shared.source(recipe, "../a/a") == "a"


def test_where_data_lies_makes_no_method(copy, finished, tmp_path):
    again = Path(shutil.copytree(copy, tmp_path / "again"))
    recipe = again / "recipe.toml"
    recipe.write_text(recipe.read_text().replace(HOME, "/elsewhere"))
    found = study([copy, again])
    assert len(found.methods) == 1
    assert found.notes[0] == "again repeats copy and counts once."


def test_runs_of_one_name_are_told_apart_by_as_little_as_possible(copy, tmp_path):
    (tmp_path / "deep").mkdir()
    again = Path(shutil.copytree(copy, tmp_path / "deep" / "copy"))
    assert study([copy, again]).notes[0] == f"deep/copy repeats {tmp_path.name}/copy and counts once."


def test_methods_have_different_names():
    recipe = Recipe.parse({"data": {"name": "synthetic"}})
    settings = [{"model.name": f"/{who}/own.py#{n:016x}"} for n, who in enumerate(("a", "b"))]
    assert called(settings, recipe) == ["own", "own (2)"]


@pytest.mark.parametrize(
    ("protocol", "name"),
    [
        ("gossip", "mf by gossip"),
        ("federated", "mf, federated"),
        ("fedfast", "mf, federated by FedFast"),
        ("consensus", "mf by consensus"),
        ("central", "mf trained centrally"),
        ("/home/jane/ring.py", "mf with the protocol ring"),
    ],
)
def test_methods_are_called_as_people_would(protocol, name):
    recipe = Recipe.parse(
        {"data": {"name": "synthetic"}, "model": {"name": "mf"}, "protocol": {"name": protocol}}
    )
    assert called([{}], recipe) == [name]
