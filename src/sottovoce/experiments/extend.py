"""More rounds for a finished run, from the models that it kept, in a directory of its own.

What depends on the number of rounds (steps that shrink, items that arrive) stays as it was planned for
the first part: `run.planned` keeps that number. Extending a run of 10 rounds to 20 therefore gives what
`rounds = 20, planned = 10` gives from the start, to the last bit; a run with `planned = 20` from the
beginning, extended from 10 rounds to 20, gives what 20 rounds give. The first run stays as it is.
"""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from sottovoce import __version__
from sottovoce.errors import RecipeError, RunError, SottovoceError
from sottovoce.experiments import checkpoint
from sottovoce.experiments.directory import EVENTS, RECIPE, SPLIT, RunDirectory, unused
from sottovoce.experiments.outcome import Run
from sottovoce.experiments.recipe import ALWAYS, Recipe
from sottovoce.experiments.run import run_recipe

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions


def extend(
    directory: str | Path,
    rounds: int,
    out: str | Path | None = None,
    *,
    data: "Interactions | None" = None,
    data_dir: str | Path | None = None,
    show: bool | None = None,
) -> Run:
    """Go on with a finished run until it has `rounds` in all; by default in `<directory>-<rounds>`."""
    old = RunDirectory(Path(directory))
    old.result()
    recipe = Recipe.load(old.path / RECIPE)
    models = _models(old, recipe, rounds)
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
        return run_recipe(longer, place.path, data_dir, resume=True, data=data, show=show)
    except SottovoceError:
        if [event["round"] for event in place.events()][-1:] == [models.round]:
            shutil.rmtree(place.path, ignore_errors=True)  # it was refused before it learnt anything
        raise


def _longer(recipe: Recipe, rounds: int) -> Recipe:
    document = recipe.document()
    document["run"] |= {"rounds": rounds, "planned": recipe.run.plan}
    return Recipe.parse(document, "the extended recipe")


def _models(old: RunDirectory, recipe: Recipe, rounds: int) -> checkpoint.Checkpoint:
    """What a run goes on from, once it is known that it can."""
    had = recipe.run.rounds
    if rounds <= had:
        raise RecipeError(
            f"The run in {old.path} has {had} rounds already, and {rounds} are not more.",
            "Say how many rounds it shall have in all.",
        )
    if recipe.network.churn is not None and recipe.network.churn.name != ALWAYS.name:
        raise RunError(
            f"In the run in {old.path} nodes come and go, and who is online is drawn for its {had} rounds.",
            f"Run it anew with run.rounds={rounds}.",
        )
    found = checkpoint.newest(old.path)
    if found is None or found.round != had:
        raise RunError(
            f"The run in {old.path} kept no models to go on from.",
            "Run it again with run.keep_models=true (in Python keep_models=True), or with more rounds.",
        )
    if found.identity.get("version") != __version__:
        raise RunError(
            f"The models in {old.path} are of version {found.identity.get('version')}, "
            f"and this is {__version__}.",
            "Extend them with that version, or run anew.",
        )
    return found
