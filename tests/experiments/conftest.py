"""A community small enough that a whole run takes a moment."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sottovoce.experiments.recipe.recipe import Recipe
from tests.small import SMALL, changed

LONGER = changed(SMALL, evaluate__every=3, run__rounds=7)


@pytest.fixture(scope="session")
def small() -> Callable[..., Recipe]:
    """A recipe for that community, with changes to single keys such as `run__rounds=3`."""

    def build(**changes: Any) -> Recipe:
        return Recipe.parse(changed(LONGER, **changes), "small.toml")

    return build


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished run."""
    from sottovoce.experiments.runs.start import run_recipe

    place = tmp_path_factory.mktemp("finished") / "run"
    run_recipe(Recipe.parse(LONGER, "small.toml"), place)
    return place


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of finished runs like that of a sweep: two steps, each under the seeds 1 and 2."""
    from sottovoce.experiments.runs.start import run_recipe

    place = tmp_path_factory.mktemp("several")
    for step in (0.01, 0.1):
        for seed in (1, 2):
            document = changed(LONGER, model__step=step, run__seed=seed)
            run_recipe(Recipe.parse(document, "small.toml"), place / f"model.step={step}" / f"seed-{seed}")
    return place
