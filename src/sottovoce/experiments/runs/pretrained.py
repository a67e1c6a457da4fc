"""Begin a run of `neumf` with what runs of `gmf` and `mlp` have learnt (Section 3.4.1, He et al. 2017).

Rows and people's vectors are joined, the tower is copied, and in the output layer each half has its own
weights times ½, so that the first score is the mean of the two. Moments of Adam start at zero, and so does
the clock of a server: it counts the aggregations of its own run, and in virtual time it triggers them.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.errors import RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs.directory import RECIPE, RunDirectory

if TYPE_CHECKING:
    from sottovoce.simulate.engine import Simulation

SHARE = 0.5
"""α, the weight of `gmf`."""


def begin(simulation: "Simulation", model: Any, seed: int, split: str) -> None:
    """Copy the last state of the runs in `model.start_from` into a new simulation."""
    gmf, mlp = (
        _learnt(Path(place), name, simulation, model, seed, split)
        for place, name in zip(model.start_from, ("gmf", "mlp"), strict=True)
    )
    k, tables = model.factors, simulation.tables
    for into, name in ((tables.rows, "rows"), (simulation.people.user, "user")):
        into[:, :k], into[:, k : 2 * k] = gmf[name][:, :k], mlp[name][:, :k]
    count = simulation.shape.head // 3 if simulation.model.columns else simulation.shape.head
    last = count - k - 1  # the place of the output layer's bias in `mlp`
    tower = last - model.layers[-1]
    head, ours, theirs = tables.head, gmf["head"], mlp["head"]
    head[:, :tower] = theirs[:, :tower]
    head[:, tower : tower + k] = SHARE * ours[:, :k]
    head[:, tower + k : last + k] = (1 - SHARE) * theirs[:, tower:last]
    head[:, last + k] = SHARE * ours[:, k] + (1 - SHARE) * theirs[:, last]
    np.maximum(gmf["age"], mlp["age"], out=tables.age)
    if tables.slots > 1:
        np.maximum(gmf["clock"], mlp["clock"], out=tables.clock)


def _learnt(place: Path, name: str, new: "Simulation", model: Any, seed: int, split: str) -> dict[str, Any]:
    """The arrays that a run of this model kept; an error if they do not fit."""
    where = f"model.start_from names {place}"
    run = RunDirectory(place)
    if not run.complete:
        raise RunError(f"{where}, which holds no complete run.", f"Run {name} in that directory first.")
    recipe = Recipe.read(place / RECIPE)
    if recipe.model.name != name:
        remedy = "Name a run of gmf first and one of mlp second."
        raise RunError(f"{where}, which is a run of {recipe.model.label}, not of {name}.", remedy)
    found = checkpoint.newest(place)
    if found is None:
        remedy = "Run it again with keep_models = true in [run]."
        raise RunError(f"{where}, and that run kept no models.", remedy)
    if "private rows" in found.arrays:
        raise RunError(
            f"{where}, whose people kept a part of their training to themselves.",
            "Start from runs without privacy.steps.",
        )
    settings = recipe.model.settings
    wanted = {"factors": model.factors} | ({"layers": list(model.layers)} if name == "mlp" else {})
    other = [f"{key} = {settings.get(key)}" for key, value in wanted.items() if settings.get(key) != value]
    if recipe.run.seed != seed:
        other.append(f"seed = {recipe.run.seed}")
    if other:
        raise RunError(f"{where}, which has {', '.join(other)}.", "Run it with the settings of this recipe.")
    if found.identity.get("split") != split:
        raise RunError(
            f"{where}, which learnt from other data or another split.",
            "Use the same [data] and [split] for all.",
        )
    for part, into in (("rows", new.tables.rows), ("user", new.people.user), ("head", new.tables.head)):
        if len(found.arrays[part]) != len(into) or found.arrays[part].dtype != into.dtype != np.uint16:
            remedy = 'Use the same protocol in all runs, and storage = "float32".'
            raise RunError(f"{where}, which has more or fewer models, or stores them differently.", remedy)
    return found.arrays
