"""The nested tables of a recipe: reading them, making paths whole, writing settings into them."""

import math
import tomllib
from pathlib import Path
from typing import Any

from sottovoce import registry
from sottovoce.errors import RecipeError


def parsed(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise RecipeError(
            f"{path} cannot be read: {error.strerror}.", "Give the path of a file that you may read."
        ) from None
    except UnicodeDecodeError as error:
        raise RecipeError(f"{path} is not text in UTF-8: {error}.", "Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(
            f"{path} is not TOML: {error}.",
            'A section is written [model], and a key below it factors = 16, name = "mf" or ks = [5, 10].',
        ) from None


def settings(name: str, component: Any) -> dict[str, Any]:
    """A component as a table, without settings that are open until it sees the data."""
    fields = component._asdict() if hasattr(component, "_asdict") else {}
    table = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items() if not _open(v)}
    return {"name": registry.pinned(name)} | table  # lists, as TOML reads them back


def beside(folder: Path, value: Any, key: str = "") -> Any:
    """A recipe's tables, with paths that were relative to `folder` made relative to here."""
    if isinstance(value, dict):
        return {k: beside(folder, v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [beside(folder, v, key) for v in value]
    is_path = isinstance(value, str) and (key in ("path", "start_from") or registry.is_file(value))
    return str(folder / Path(value).expanduser()) if is_path else value


def shorten(table: dict[str, Any]) -> dict[str, Any]:
    """Components inside a section, as plain names if they have no settings."""
    return {k: v["name"] if isinstance(v, dict) and list(v) == ["name"] else v for k, v in table.items()}


def flat(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as one: `{"model": {"factors": 8}}` is `{"model.factors": 8}`."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return found


def _open(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
