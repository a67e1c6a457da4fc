"""A recipe's nested tables: how settings are written into them, paths made whole, mistakes put in words."""

import math
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from sottovoce import registry
from sottovoce.errors import RecipeError


def settings(name: str, component: Any) -> dict[str, Any]:
    """A component as a table, without what it leaves open until it sees the data."""
    fields = component._asdict() if hasattr(component, "_asdict") else {}
    told = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items() if not _open(v)}
    return {"name": registry.pinned(name)} | told  # lists, as TOML reads them back


def beside(folder: Path, value: Any, key: str = "") -> Any:
    """A recipe's tables with paths that are relative to `folder` as paths from here."""
    if isinstance(value, dict):
        return {k: beside(folder, v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [beside(folder, v, key) for v in value]
    is_path = isinstance(value, str) and (key in ("path", "start_from") or registry.is_file(value))
    return str(folder / Path(value).expanduser()) if is_path else value


def _open(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def shorten(table: dict[str, Any]) -> dict[str, Any]:
    """Components inside a section as plain names where they have no settings."""
    return {k: v["name"] if isinstance(v, dict) and list(v) == ["name"] else v for k, v in table.items()}


def refusal(root: type[BaseModel], error: ValidationError, where: str) -> RecipeError:
    """The first thing that pydantic found, as a sentence with file, key and remedy."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        model: Any = root
        for part in first["loc"][:-1]:
            model = model.model_fields[str(part)].annotation
        kind = "section" if model is root else "key"
        return RecipeError(
            f"{where}: {key} is not a {kind} of a recipe.",
            registry.nearest(str(first["loc"][-1]), list(model.model_fields)),
        )
    if first["type"] == "missing":
        return RecipeError(f"{where}: {key} is missing.", "Add it.")
    return RecipeError(f"{where}: {key} = {first['input']!r} cannot be used: {first['msg']}.")
