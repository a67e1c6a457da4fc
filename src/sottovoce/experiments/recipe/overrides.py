"""Changes to a recipe from the command line: `--set model.factors=16`.

The value is written as in TOML (`16`, `0.5`, `true`, `[5, 10]`, `"text"`). A word that is not a TOML value
is taken as text, so that `model.name=mf` needs no quotes. Naming another component or file drops the
settings of the one it replaces.
"""

import copy
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sottovoce.errors import RecipeError


def override(document: Mapping[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """A copy of a recipe's tables with `changes` applied; changes of names come first."""
    return _changed(document, [parse(change) for change in changes], "--set {}")


def assign(document: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same with settings from Python: `{"model.factors": 16}`."""
    for key in settings:
        if "." not in key or not all(part.strip() for part in key.split(".")):
            raise RecipeError(
                f"settings has {key!r}, which is not of the form 'section.key'.",
                "For example 'model.factors'.",
            )
    return _changed(document, [(key.split("."), value) for key, value in settings.items()], "settings: {}")


@contextmanager
def blaming(recipe: str, options: Mapping[str, Iterable[str]]) -> Iterator[None]:
    """Say in errors which option a setting came from, and not the file `recipe`, which lacks it.

    `options` gives the changes that each option made.
    """
    try:
        yield
    except RecipeError as error:
        said = error.for_command_line.removeprefix(f"{recipe}: ")
        if said != error.for_command_line:
            for option, changes in options.items():
                if any(_about(said, change.partition("=")[0].strip()) for change in changes):
                    error.for_command_line = f"{option}: {said}"
        raise


def _about(said: str, key: str) -> bool:
    """Whether an error, which begins with its place, is about a changed key or something inside its value."""
    found = re.match(r"[\w-]+(\.[\w-]+)*", said)
    place = found[0] if found else ""
    unknown = said.startswith(f"{place} is not a section") and key.startswith(f"{place}.")
    return unknown or f"{place}.".startswith(f"{key}.") or key in (f"{place}.name", f"{place}.path")


def _changed(
    document: Mapping[str, Any], changes: Iterable[tuple[list[str], Any]], said: str
) -> dict[str, Any]:
    result = copy.deepcopy(dict(document))
    for path, value in sorted(changes, key=lambda change: not _names(change[0])):
        _put(result, path, value, said)
    return result


def parse(change: str) -> tuple[list[str], Any]:
    """`"model.factors=16"` as `(["model", "factors"], 16)`."""
    key, equals, text = change.partition("=")
    path = [part.strip() for part in key.split(".")]
    if not equals or len(path) < 2 or not all(path):
        raise RecipeError(
            f"--set {change} is not of the form section.key=value.", "For example model.factors=16."
        )
    text = text.strip()
    try:
        table = tomllib.loads(f"value = {text}")
        if list(table) != ["value"]:
            raise tomllib.TOMLDecodeError
        return path, table["value"]
    except tomllib.TOMLDecodeError:
        if not text or text[0] in "[{\"'" or not text.isprintable():
            raise RecipeError(
                f"--set {change}: {text or 'nothing'} is not a TOML value.",
                'Values are written like 16, 0.5, true, "text" or [5, 10].',
            ) from None
        return path, text


def _put(document: dict[str, Any], path: list[str], value: Any, said: str) -> None:
    table = document
    for part in path[:-1]:
        inner = table.setdefault(part, {})
        if isinstance(inner, str):
            inner = table[part] = {"name": inner}
        if not isinstance(inner, dict):
            what = said.format(".".join(path))
            raise RecipeError(
                f"{what}: {part} is not a table.", "Write section.key=value, for example model.factors=16."
            )
        table = inner
    if _names(path) and table.get(path[-1]) != value:
        table.clear()
    table[path[-1]] = value


def _names(path: list[str]) -> bool:
    return path[-1] == "name" or path == ["data", "path"]
