"""The recipes and reproductions that come with Sottovoce.

They lie inside the installed package, or at the root of a checkout. A recipe describes a run. A
reproduction describes the runs for a table or figure, of a paper or of our own; its file has [axes].
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import sottovoce
from sottovoce import files
from sottovoce.errors import RecipeError
from sottovoce.registry import nearest

Kind = Literal["recipe", "reproduction"]

DEFAULT = "consensus"
"""The recipe for data without one."""


class Shipped(NamedTuple):
    """A recipe or reproduction that comes with Sottovoce."""

    name: str
    """As in `sottovoce run NAME`, for example `hegedus/gossip-ml100k`."""
    path: Path
    summary: str
    """The first sentence of the comment that the file begins with."""
    kind: Kind


def root() -> Path:
    """The directory that holds them."""
    package = Path(sottovoce.__file__).parent
    inside = package / "recipes"
    return inside if inside.is_dir() else package.parent.parent / "recipes"


def shipped(kind: Kind = "recipe") -> list[Shipped]:
    """All of a kind, sorted by name: those without a folder first, and table-2 before table-10."""
    found = [
        Shipped(name(path), path, _summary(path), kind)
        for path in root().rglob("*.toml")
        if _kind(path) == kind
    ]
    return sorted(found, key=lambda each: _natural(each.name))


def recipes() -> list[Shipped]:
    """All recipes and reproductions that come with Sottovoce, as `sottovoce recipes` lists them."""
    return [*shipped("recipe"), *shipped("reproduction")]


def _natural(name: str) -> tuple[bool, list[tuple[str, int]]]:
    """The sort key of a name: names without a folder first, numbers as numbers."""
    parts = re.findall(r"([^\d/-]*)(\d*)[/-]?", name)
    return "/" in name, [(text, int(number or 0)) for text, number in parts]


def find(wanted: str | Path, kind: Kind = "recipe") -> Path:
    """The file that is meant: an existing path, or the name of a shipped one, with or without `.toml`."""
    path = Path(wanted)
    if files.is_file(path):
        return path
    if files.is_folder(path):
        raise RecipeError(f"{path} is a folder.", "Give a file in it, or the name of a shipped recipe.")
    if why := files.hidden(path):
        raise RecipeError(f"{path} cannot be read: {why}.", "Check the permissions of its folder.")
    known = {each.name: each.path for each in recipes()}
    short = path.as_posix().removeprefix("recipes/").removesuffix(".toml")
    if short in known:
        return known[short]
    raise RecipeError(f"There is no {kind} {str(wanted)!r}.", nearest(short, [e.name for e in shipped(kind)]))


def name(path: Path) -> str:
    """The name of a file: for a shipped one as in `find`, for any other its own name."""
    place = root().resolve()
    whole = path.resolve().with_suffix("")
    return (whole.relative_to(place) if whole.is_relative_to(place) else Path(whole.name)).as_posix()


def kind_of(document: Mapping[str, Any]) -> Kind:
    """What a file is about: a reproduction has axes, along which its runs differ."""
    return "reproduction" if "axes" in document else "recipe"


def _kind(path: Path) -> Kind:
    return kind_of(tomllib.loads(path.read_text("utf-8")))


def _summary(path: Path) -> str:
    """The first sentence of the comment at the top of a file; it may take several lines."""
    said: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        said.append(line.lstrip("# ").strip())
    # A sentence ends before a capital letter; "et al. 2022" and "Section 4.1" do not end one.
    return re.split(r"(?<!\bal\.)(?<=[.!?]) (?=[A-Z])", " ".join(said), maxsplit=1)[0]
