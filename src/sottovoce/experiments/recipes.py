"""The recipes that are shipped: beside the package when it is installed, at the root of a checkout else."""

from pathlib import Path
from typing import NamedTuple

import sottovoce
from sottovoce.errors import RecipeError
from sottovoce.registry import nearest


class Shipped(NamedTuple):
    """A recipe that comes with Sottovoce."""

    name: str
    """As in `sottovoce run NAME`, for example `hegedus/gossip-ml100k`."""
    path: Path
    summary: str
    """The first line of the file, a comment."""


def root() -> Path:
    """The directory that holds the shipped recipes."""
    package = Path(sottovoce.__file__).parent
    inside = package / "recipes"
    return inside if inside.is_dir() else package.parent.parent / "recipes"


def shipped() -> list[Shipped]:
    """All shipped recipes, by name."""
    place = root()
    return sorted(Shipped(_name(p, place), p, _summary(p)) for p in place.rglob("*.toml"))


def find(name: str | Path) -> Path:
    """The file of a recipe: an existing path, or the name of a shipped one in any spelling of it."""
    path = Path(name)
    if path.is_file():
        return path
    known = {recipe.name: recipe.path for recipe in shipped()}
    short = path.as_posix().removeprefix("recipes/").removesuffix(".toml")
    if short in known:
        return known[short]
    raise RecipeError(f"There is no recipe {str(name)!r}.", nearest(short, list(known)))


def _name(path: Path, place: Path) -> str:
    return path.relative_to(place).with_suffix("").as_posix()


def _summary(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        first = file.readline()
    return first.lstrip("# ").strip() if first.startswith("#") else ""
