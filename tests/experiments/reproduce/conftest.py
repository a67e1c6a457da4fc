"""A reproduction with two axes, and runs with given figures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.runs.run import Run
from tests.small import result

FORM = """
base = "quickstart"
metric = "rmse"
panels = ["size"]
tuned = "Nothing."

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Table 1"

[axes.size]
small = { "data.users" = 60 }
large = { "data.users" = 90 }

[axes.way]
fast = { "model.factors" = 4 }
slow = { "model.factors" = 8 }

[levels]
means = "popularity"

[quick]
only = ["small"]
"""

Build = Callable[..., Reproduction]
MakeRun = Callable[..., Run]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """The reproduction above, with more text at its end, or at its top."""

    def make(more: str = "", text: str = FORM, top: str = "") -> Reproduction:
        path = tmp_path / "table.toml"
        path.write_text(top + text + more)
        return Reproduction.read(path)

    return make


@pytest.fixture
def over_hours(build: Build) -> Build:
    """The same, with curves over hours; a round of a run without a clock stands for two."""
    return lambda more="": build(more, top='x = "hours"\nhours = 2.0\n')


@pytest.fixture
def run() -> MakeRun:
    """A finished run with this curve of RMSE, one value per round, each `hours` long if that is given."""

    def make(*curve: float | None, means: float = 1.0, hours: float | None = None, **more: Any) -> Run:
        figures: dict[str, Any] = {
            "final": {"rmse": curve[-1]},
            "baselines": {"popularity": {"rmse": means}},
            "references": {},
            "tails": {"rmse": {"cdf 0.1": 2.5}},
            "rounds": len(curve) - 1,
            "messages": 10,
            "bytes": 1_000_000,
            "data": {"name": "d", "people": 7, "items": 8, "interactions": 9, "source": "x", "terms": "free"},
        }
        events = [{"round": n, "rmse": value} for n, value in enumerate(curve)]
        if hours is not None:
            events = [event | {"hours": n * hours} for n, event in enumerate(events)]
        return Run(Recipe.parse({"data": {"name": "synthetic"}}), result(**figures | more), events)

    return make
