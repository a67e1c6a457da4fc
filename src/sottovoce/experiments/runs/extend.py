"""More rounds for a finished run, from the models that it kept, in a new directory.

Shrinking steps and arriving items depend on the number of rounds. They keep the plan of the first part:
`run.planned` holds that number. A run of 10 rounds extended to 20 therefore equals a run with
`rounds = 20, planned = 10` from the start, to the last bit; a run with `planned = 20` from the start,
extended from 10 rounds to 20, equals a run of 20 rounds. The first run stays as it is.
"""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from sottovoce import __version__
from sottovoce.errors import RecipeError, RunError, SottovoceError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.sections import ALWAYS
from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs.directory import EVENTS, RECIPE, SPLIT, RunDirectory, unused
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run_recipe

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions


def extend(
    directory: str | Path,
    rounds: int,
    out: str | Path | None = None,
    *,
    data: "Interactions | None" = None,
    data_dir: str | Path | None = None,
    progress: bool | None = None,
) -> Run:
    """Continue a finished run to `rounds` in all, by default in `<directory>-<rounds>`."""
    old = RunDirectory(Path(directory))
    had = old.result().rounds
    recipe = Recipe.read(old.path / RECIPE)
    models = _models(old, recipe, had, rounds)
    longer = _longer(recipe, rounds)
    base = old.path if old.path.name else old.path.resolve()
    place = RunDirectory(Path(out) if out is not None else unused(base.with_name(f"{base.name}-{rounds}")))
    with place.claim(resume=False):
        place.write(RECIPE, longer.dumps())
        for name in (SPLIT, EVENTS):
            place.write(name, (old.path / name).read_text("utf-8"))
        place.identity = models.identity | {"recipe": longer.hash()}
        place.save(models.round, models.arrays)
    try:
        return run_recipe(longer, place.path, data_dir, resume=True, data=data, progress=progress)
    except SottovoceError:
        if [event["round"] for event in place.events()][-1:] == [models.round]:
            shutil.rmtree(place.path, ignore_errors=True)  # it was refused before its first round
        raise


def _longer(recipe: Recipe, rounds: int) -> Recipe:
    document = recipe.document()
    document["run"] |= {"rounds": rounds, "planned": recipe.run.plan}
    document["run"].pop("least_gain", None)  # whoever asks for more rounds wants them all
    return Recipe.parse(document, "the extended recipe")


def _models(old: RunDirectory, recipe: Recipe, had: int, rounds: int) -> checkpoint.Checkpoint:
    """The models to continue from, of a run that `had` so many rounds; an error if that is not possible."""
    if rounds <= had:
        raise RecipeError(
            f"The run in {old.path} already has {had} rounds, and {rounds} is not more.",
            f"Give the number of rounds in all, for example {2 * had}.",
        )
    if recipe.network.churn is not None and recipe.network.churn.name != ALWAYS.name:
        raise RunError(
            f"The run in {old.path} has churn, and who is online is drawn for exactly {had} rounds.",
            f"Run it anew with run.rounds={rounds}.",
        )
    found = checkpoint.newest(old.path)
    if found is None or found.round != had:
        raise RunError(
            f"The run in {old.path} kept no models to continue from.",
            "Run it again with run.keep_models=true (in Python keep_models=True), or with more rounds.",
        )
    if found.identity.get("version") != __version__:
        raise RunError(
            f"The models in {old.path} were made by version {found.identity.get('version')}, "
            f"and this is {__version__}.",
            "Extend them with that version, or run anew.",
        )
    return found
