"""A browser for all tests of this directory, and pages to look at."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.browser.chromium import Chromium, find

RECIPE = {
    "data": {"name": "synthetic", "users": 60, "items": 80},
    "split": {"name": "local-holdout", "candidates": 20},
    "evaluate": {"every": 3, "ks": [5, 10]},
}


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """Chromium, if there is one."""
    program = find()
    if program is None:
        pytest.skip("Chromium is not installed (make browser installs it)")
    chromium = Chromium(program, tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two methods, each under two seeds."""
    from sottovoce.experiments.recipe.recipe import Recipe
    from sottovoce.experiments.runs.start import run_recipe

    places = []
    for step in (0.01, 0.1):
        for seed in (1, 2):
            model = {"name": "mf", "factors": 3, "step": step}
            document = RECIPE | {"model": model, "run": {"rounds": 7, "seed": seed}}
            places.append(tmp_path_factory.mktemp("run") / "one")
            run_recipe(Recipe.parse(document, "small.toml"), places[-1])
    return places


@pytest.fixture(scope="session")
def one(runs: list[Path]) -> Path:
    """The page of a run."""
    return runs[0] / "report.html"


@pytest.fixture(scope="session")
def long(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run on data whose name, and whose items' titles, are long and without a blank."""
    from sottovoce.experiments.report.report import render

    place = Path(shutil.copytree(runs[0], tmp_path_factory.mktemp("long") / "run"))
    lists = pl.read_parquet(place / "recommendations.parquet").with_columns(title=pl.lit("Title" * 60))
    lists.write_parquet(place / "recommendations.parquet")
    result = json.loads((place / "result.json").read_text())
    result["data"] |= {"name": "name" * 50, "source": "source" * 50}
    (place / "result.json").write_text(json.dumps(result))
    page = place / "report.html"
    page.write_text(render(place), "utf-8")
    return page


@pytest.fixture(scope="session")
def many(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page that compares."""
    from sottovoce.experiments.report.report import report

    page = tmp_path_factory.mktemp("page") / "report.html"
    page.write_text(report(runs).html, "utf-8")
    return page
