"""A community small enough that a whole run takes a moment."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sottovoce.experiments.recipe.recipe import Recipe

SMALL: dict[str, Any] = {
    "data": {"name": "synthetic", "users": 60, "items": 80},
    "split": {"name": "local-holdout", "candidates": 20},
    "model": {"name": "mf", "factors": 3},
    "evaluate": {"every": 3, "ks": [5]},
    "run": {"rounds": 7},
}


@pytest.fixture(scope="session")
def small() -> Callable[..., Recipe]:
    """A recipe for that community, with changes to single keys such as `run__rounds=3`."""

    def build(**changes: Any) -> Recipe:
        document = {section: dict(table) for section, table in SMALL.items()}
        for key, value in changes.items():
            section, _, name = key.partition("__")
            document.setdefault(section, {})[name] = value
        return Recipe.parse(document, "small.toml")

    return build


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished run."""
    from sottovoce.experiments.runs.start import run_recipe

    place = tmp_path_factory.mktemp("finished") / "run"
    run_recipe(Recipe.parse(SMALL, "small.toml"), place)
    return place


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of finished runs like that of a sweep: two steps, each under the seeds 1 and 2."""
    from sottovoce.experiments.runs.start import run_recipe

    place = tmp_path_factory.mktemp("several")
    for step in (0.01, 0.1):
        for seed in (1, 2):
            document = SMALL | {
                "model": SMALL["model"] | {"step": step},
                "run": SMALL["run"] | {"seed": seed},
            }
            run_recipe(Recipe.parse(document, "small.toml"), place / f"model.step={step}" / f"seed-{seed}")
    return place
