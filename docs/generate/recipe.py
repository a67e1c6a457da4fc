"""The page about recipes, from the classes that check their keys."""

from typing import Any

from pydantic import BaseModel

from docs.generate.source import default_of, field_texts, kind_of, settings, table, text
from sottovoce.data.filters import Filters
from sottovoce.experiments.recipe import recipe
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.sections import Data, Named

PAGE = "recipe.md"

_NAMES = {
    "data": "The other keys are settings of [the source](data-sets.md), and these filters for all sources:",
    "split": "`name` is one of [the splits](components.md#splits), and the other keys are its settings.",
    "model": "`name` is one of [the models](components.md#models), and the other keys are its settings.",
    "protocol": "`name` is one of [the protocols](components.md#protocols), and the other keys are its "
    "settings and `merge`.",
    "attack": "`name` is one of [the attacks](components.md#attacks), and the other keys are its settings.",
}


def page() -> str:
    parts = ["# Recipes", text(recipe)]
    for name, field in Recipe.model_fields.items():
        section: Any = field.annotation
        parts += [f"## `[{name}]`", text(section)] if section is not Named else [f"## `[{name}]`"]
        keys = section.model_fields.items()
        rows = [_row(section, key, found) for key, found in keys if key != "name" or section is Data]
        if name != "data" and name in _NAMES:
            parts.append(_NAMES[name])
        if rows:
            parts.append(table(["key", "value", "default", "meaning"], rows))
        if name == "data":
            parts += [_NAMES[name], settings(Filters)]
    return "\n\n".join(parts)


def _row(section: type[BaseModel], key: str, field: Any) -> list[str]:
    kind = kind_of(field.annotation, field.metadata).replace("Named", "component")
    default = field.get_default(call_default_factory=True)
    return [f"`{key}`", kind, default_of(default), field_texts(section).get(key, "")]
