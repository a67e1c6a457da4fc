"""Load `Interactions` from a name, a path or a table in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sottovoce import registry
from sottovoce.data import archive, find, named_parts, sources
from sottovoce.data.filters import Filters
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Source
from sottovoce.errors import DataError, RecipeError, either

if TYPE_CHECKING:
    from sottovoce.data.sources.delimited import Delimited

_OF_TABLES = ("columns", "scale", "day_first")


def load(
    data: Any,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str | int] | None = None,
    seed: int = 0,
    **options: Any,
) -> Interactions:
    """Load interactions from the name of a data set, the path of a file or folder, or a DataFrame.

    `data_dir` is the folder in which data sets are looked for first. `columns` gives the columns of your
    file or DataFrame for user, item, rating, time and title (names, or numbers from 1); without it they
    are guessed. `seed` is the seed of the synthetic community. `options` are settings of the source, for
    example `load("synthetic", users=5000)`, and of `sottovoce.data.filters.Filters`, for example
    `load("ml-1m", min_user=20, implicit=4.0)`.
    """
    kept = {key: options.pop(key) for key in Filters._fields if key in options}
    filters = cast(Filters, registry.check(Filters, kept, "data"))
    if columns is not None:
        options["columns"] = dict(columns)
    return filters.apply(
        _read(data, None if data_dir is None else Path(data_dir).expanduser(), seed, options)
    )


def _read(data: Any, folder: Path | None, seed: int, options: dict[str, Any]) -> Interactions:
    if isinstance(data, Interactions):
        _refuse_settings(options, (), "interactions that are loaded already")
        return data
    if hasattr(data, "columns"):
        _refuse_settings(options, _OF_TABLES, "a table in memory")
        return cast("Delimited", _source("delimited", options)).frame(data, "table")
    if not isinstance(data, str | bytes | os.PathLike):
        raise DataError(
            f"Interactions cannot be read from {type(data).__name__!r}.",
            "Give the name of a data set, the path of a file, or a DataFrame.",
        )
    name = os.fsdecode(data)
    if name in registry.names("source") or registry.is_file(name):
        return _source(name, options).read(folder, seed)
    if not name.strip():
        raise DataError("The name of the data set is empty.", "Give a name, or the path of a file.")
    path = find.reachable(Path(name))
    if not path.exists() and not path.suffix and os.sep not in name:
        known = sources.called(name)
        if known is None:
            raise DataError(
                f"There is no data set called {name!r}.", registry.nearest(name, registry.names("source"))
            )
        return _source(known, options).read(folder, seed)
    if path.is_dir() and (own := sources.held_by(path)):
        return _source(own[0], options).read(own[1], seed)
    if path.suffix == ".zip" and path.is_file() and (known := sources.packed_in(path)):
        return _source(known, options).read(path, seed)
    there = _there(path, folder)
    held = find.listed(path) if path.is_dir() else _packed(there)
    if any(".train.rating" in one.name for one in held) or named_parts.RATINGS.search(name):
        return _source("ncf", {"path": name, **options}).read(folder, seed)
    if inter := [one for one in held if one.name.endswith((".inter", ".inter.gz"))]:
        name = name if path.is_dir() else str(inter[0])
    if inter or ".inter" in path.suffixes:
        return _source("recbole", {"path": name, **options}).read(folder, seed)
    train = _trained(held)
    if path.is_dir() and train is None:
        raise _unknown_folder(path, held)
    if train is not None:
        there, name = train, str(train)
    if named_parts.beside(there):
        return _source("divided", {"path": name, **options}).read(folder, seed)
    interactions = _source("delimited", {"path": name, **options}).read(folder, seed)
    others = ", ".join(one.name for one in named_parts.unused(there))
    note = (f"Not used, though beside {there.name}: {others}.",) if others else ()
    return replace(interactions, notes=interactions.notes + note)


def _there(path: Path, folder: Path | None) -> Path:
    """Where a file is, if it is anywhere."""
    try:
        return find.file(str(path), folder)
    except DataError:
        return path


def _packed(path: Path) -> list[Path]:
    """The files in an archive, sorted; none if it is no archive, or holds a single file."""
    held = archive.names(path) if archive.packed(path) else []
    return sorted(path / name for name in held) if len(held) > 1 else []


def _trained(held: Sequence[Path]) -> Path | None:
    """The training set among the files of a folder or an archive with one divided data set, else None."""
    parts = [named_parts.beside(one) for one in held if archive.exists(one)]
    found = {one["train"] for one in parts if one}
    return found.pop() if len(found) == 1 else None


def _refuse_settings(options: Mapping[str, Any], valid: Sequence[str], what: str) -> None:
    """Refuse settings that would have no effect, and unknown ones."""
    every = [*valid, *Filters._fields]
    for key in options:
        if key not in every:
            raise RecipeError(f"{key} is not a setting of {what}.", registry.nearest(key, every))


def _unknown_folder(path: Path, held: Sequence[Path]) -> DataError:
    """The error for a folder without a known data set."""
    files = [one for one in held if one.is_file() and not one.name.startswith(".")]
    shown = ", ".join(one.name for one in files[:5]) + (", …" if len(files) > 5 else "")
    example = files[0] if files else path / "ratings.csv"
    return DataError(
        f"{path} is a folder without a known data set{f'; it holds {shown}' if shown else ''}.",
        f"Give the path of the file with the interactions, for example {example}; or the name of a data set, "
        f"with {either('data_dir=', '--data-dir ')}{path}.",
    )


def _source(name: str, options: Mapping[str, Any]) -> Source:
    return cast(Source, registry.build("source", name, options, "data", Filters._fields))
