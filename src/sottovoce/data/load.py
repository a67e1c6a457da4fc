"""From a name, a path or a table in memory to `Interactions`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sottovoce import registry
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Source
from sottovoce.errors import DataError

if TYPE_CHECKING:
    from sottovoce.data.sources.delimited import Delimited


def load(
    data: Any,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str | int] | None = None,
    seed: int = 0,
    **options: Any,
) -> Interactions:
    """Interactions from the name of a data set, the path of a file or folder, or a DataFrame.

    `data_dir` is where data sets are looked for first. `columns` says which columns of one's own
    file or DataFrame hold user, item, rating and time (names, or numbers from 1) if they should
    not be guessed. `seed` draws the synthetic community; `options` are the settings of the source,
    for example `load("synthetic", users=5000)`. `Interactions` are returned as they are.
    """
    if columns is not None:
        options["columns"] = dict(columns)
    if isinstance(data, Interactions):
        return data
    if hasattr(data, "columns"):
        return cast("Delimited", _source("delimited", options)).frame(data, "table")
    name, folder = os.fspath(data), None if data_dir is None else Path(data_dir).expanduser()
    if name in registry.names("source"):
        return _source(name, options).read(folder, seed)
    path = Path(name).expanduser()
    if path.is_dir() and any((path / f).is_file() for f in ("u.data", "u.data.gz")):
        return _source("ml-100k", options).read(path, seed)
    if path.is_dir() or ".inter" in path.suffixes:
        return _source("recbole", {"path": name, **options}).read(folder, seed)
    if not path.exists() and not path.suffix and os.sep not in name:
        known = registry.names("source")
        raise DataError(f"There is no data set called {name!r}.", registry.nearest(name, known))
    return _source("delimited", {"path": name, **options}).read(folder, seed)


def _source(name: str, options: Mapping[str, Any]) -> Source:
    return cast(Source, registry.build("source", name, options, "data"))
