"""The data of a run: as its recipe names it, or as it was passed in Python."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.registry import is_file, names

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions


def load_data(recipe: Recipe, data_dir: str | Path | None = None) -> "Interactions":
    """The data that a recipe names."""
    from sottovoce.data.load import load
    from sottovoce.data.repeats import merged

    section = recipe.data
    if section.in_memory:
        raise RecipeError(
            f"The data {section.name!r} of this run was passed in Python, so the recipe cannot load it.",
            "Pass it to sottovoce.run again, or name a file with --data; "
            f"--set data.in_memory=false takes the data set {section.name!r}.",
        )
    data = load(
        section.name or Path(str(section.path)), data_dir=data_dir, columns=section.columns, **section.options
    )
    how = section.options.get("duplicates", "last")
    if data.division is None or recipe.split.open or recipe.split.name == "predefined" or how == "keep":
        return data
    return merged(data, how, parts=False)


def given(data: Any) -> tuple["Interactions | None", dict[str, Any]]:
    """What `run` was given, as interactions (None if a recipe can name them) and as a `[data]` section."""
    if isinstance(data, str) and (data in names("source") or is_file(data)):
        return None, {"name": data}
    if isinstance(data, str | Path):
        return None, {"path": str(data)}
    from sottovoce.data.interactions import Interactions
    from sottovoce.data.load import load

    interactions = data if isinstance(data, Interactions) else load(data)
    return interactions, in_memory(interactions)


def in_memory(data: "Interactions") -> dict[str, Any]:
    """The `[data]` section for interactions that no recipe can load."""
    return {"name": data.name, "in_memory": True}
