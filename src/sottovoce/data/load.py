"""From a name, a path or a table in memory to `Interactions`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sottovoce import registry
from sottovoce.data import sources
from sottovoce.data.filters import Filters
from sottovoce.data.interactions import Interactions
from sottovoce.data.sources import Source
from sottovoce.errors import DataError

if TYPE_CHECKING:
    from sottovoce.data.sources.delimited import Delimited

RATING = re.compile(r"\.(train|test|validation)\.(rating|negative)(\.gz)?$")


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
    for example `load("synthetic", users=5000)`, and those of `sottovoce.data.filters.Filters`, for
    example `load("ml-1m", min_user=20, implicit=4.0)`.
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
        return data
    if hasattr(data, "columns"):
        return cast("Delimited", _source("delimited", options)).frame(data, "table")
    name = os.fspath(data)
    if name in registry.names("source") or registry.is_file(name):
        return _source(name, options).read(folder, seed)
    path = Path(name).expanduser()
    if not path.exists() and not path.suffix and os.sep not in name:
        known = sources.called(name)
        if known is None:
            raise DataError(
                f"There is no data set called {name!r}.", registry.nearest(name, registry.names("source"))
            )
        return _source(known, options).read(folder, seed)
    if path.is_dir() and (held := sources.held_by(path)):
        return _source(held[0], options).read(held[1], seed)
    if path.suffix == ".zip" and (known := sources.called(path.stem)):
        return _source(known, options).read(path.parent, seed)
    if (path.is_dir() and any(path.glob("*.train.rating*"))) or RATING.search(name):
        return _source("ncf", {"path": name, **options}).read(folder, seed)
    if path.is_dir() or ".inter" in path.suffixes:
        return _source("recbole", {"path": name, **options}).read(folder, seed)
    return _source("delimited", {"path": name, **options}).read(folder, seed)


def _source(name: str, options: Mapping[str, Any]) -> Source:
    return cast(Source, registry.build("source", name, options, "data", Filters._fields))
