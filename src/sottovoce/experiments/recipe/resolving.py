"""The resolved form of a recipe: every default written out, except those that depend on the data."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sottovoce import registry
from sottovoce.experiments.recipe import building
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.document import settings
from sottovoce.experiments.recipe.sections import ALWAYS, LINEAR, MF_FEDAVG

if TYPE_CHECKING:
    from sottovoce.experiments.recipe.recipe import Recipe


def resolved(recipe: "Recipe", metric: str | None) -> dict[str, Any]:
    """The tables of the resolved recipe; `metric` is the main metric if the recipe names none.

    Settings that a component leaves open until it sees the data (None, NaN) are left out.
    """
    built = building.components(recipe)
    document = recipe.document()
    document["split"] = settings(recipe.split.name, built.split)
    document["model"] = _model(recipe, built)
    document["protocol"] = _protocol(recipe, built)
    document["network"] = _network(recipe, built)
    if recipe.privacy.steps:
        named = zip(recipe.privacy.steps, built.steps, strict=True)
        document["privacy"]["steps"] = [settings(step.name, made) for step, made in named]
    if "attack" in document:
        document["attack"] = settings(recipe.attack.name, built.attack)
    document["evaluate"].setdefault("metric", metric)
    document["evaluate"]["references"] = [settings(n, r) for n, r in built.references.items()]
    if recipe.data.path is not None:
        document["data"]["path"] = str(Path(recipe.data.path).resolve())
    if recipe.data.name is not None:
        document["data"]["name"] = registry.pinned(recipe.data.name)
    return document


def _model(recipe: "Recipe", built: Components) -> dict[str, Any]:
    table = settings(recipe.model.name, built.model)
    if "start_from" in table:
        table["start_from"] = [str(Path(path).resolve()) for path in built.model.start_from]
    return table


def _protocol(recipe: "Recipe", built: Components) -> dict[str, Any]:
    own, used = recipe.protocol, building.uses(built.protocol)
    table = settings(own.name, built.protocol)
    if "merge" in used:
        table["merge"] = settings((own.merge or LINEAR).name, built.merge)
    if "aggregate" in used:
        table["aggregate"] = settings((own.aggregate or MF_FEDAVG).name, built.merge)
    if own.sum:
        table["sum"] = settings(own.sum.name, built.sum)
    if own.compress:
        made = zip(own.compress, building.compressions(recipe), strict=True)
        table["compress"] = [settings(step.name, one) for step, one in made]
    return table


def _network(recipe: "Recipe", built: Components) -> dict[str, Any]:
    own, table = recipe.network, {}
    if "peers" in building.uses(built.protocol):
        table["peers"] = settings(building.peers(recipe).name, built.peers)
    if own.links is not None and built.links is not None:
        table["links"] = settings(own.links.name, built.links)
        churn = settings((own.churn or ALWAYS).name, built.churn)
        if "path" in churn:
            churn["path"] = str(Path(churn["path"]).expanduser().resolve())
        table["churn"] = churn
    return table
