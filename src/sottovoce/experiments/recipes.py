"""What is shipped, beside the package when it is installed and else at the root of a checkout.

A recipe describes a run. A reproduction describes what a table or figure of a paper needs; it is
the file with a section [paper].
"""

import tomllib
from pathlib import Path
from typing import Literal, NamedTuple

import sottovoce
from sottovoce.errors import RecipeError
from sottovoce.registry import nearest

Kind = Literal["recipe", "reproduction"]


class Shipped(NamedTuple):
    """A recipe or reproduction that comes with Sottovoce."""

    name: str
    """As in `sottovoce run NAME`, for example `hegedus/gossip-ml100k`."""
    path: Path
    summary: str
    """The first line of the file, a comment."""
    kind: Kind


def root() -> Path:
    """The directory that holds what is shipped."""
    package = Path(sottovoce.__file__).parent
    inside = package / "recipes"
    return inside if inside.is_dir() else package.parent.parent / "recipes"


def shipped(kind: Kind = "recipe") -> list[Shipped]:
    """All of a kind, by name."""
    paths = sorted(path for path in root().rglob("*.toml") if _kind(path) == kind)
    return [Shipped(name(path), path, _summary(path), kind) for path in paths]


def find(wanted: str | Path, kind: Kind = "recipe") -> Path:
    """The file that is meant: an existing path, or the name of a shipped one in any spelling of it."""
    path = Path(wanted)
    if path.is_file():
        return path
    known = {each.name: each.path for each in [*shipped("recipe"), *shipped("reproduction")]}
    short = path.as_posix().removeprefix("recipes/").removesuffix(".toml")
    if short in known:
        return known[short]
    raise RecipeError(f"There is no {kind} {str(wanted)!r}.", nearest(short, [e.name for e in shipped(kind)]))


def name(path: Path) -> str:
    """What a file is called: a shipped one as in `find`, any other by its own name."""
    place = root().resolve()
    whole = path.resolve().with_suffix("")
    return (whole.relative_to(place) if whole.is_relative_to(place) else Path(whole.name)).as_posix()


def _kind(path: Path) -> Kind:
    return "reproduction" if "paper" in tomllib.loads(path.read_text("utf-8")) else "recipe"


def _summary(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        first = file.readline()
    return first.lstrip("# ").strip() if first.startswith("#") else ""
