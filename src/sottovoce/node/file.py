"""The file of a node: a NumPy archive without objects, with the history and the secret key in it."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce import files
from sottovoce.data.interactions import Interactions
from sottovoce.errors import RunError
from sottovoce.node.community import Community, Key
from sottovoce.node.history import one_person

FORMAT = 2
"""The version of the file."""
PARTS = "train", "weighting"
COLUMNS = "item", "value", "time"
DAMAGED = "Give a file that Node.save wrote."


class Saved(NamedTuple):
    """What a file holds."""

    key: Key
    candidates: int
    parts: dict[str, Interactions]
    arrays: dict[str, NDArray[Any]]


def write(
    path: Path,
    community: Community,
    key: Key,
    candidates: int,
    parts: Mapping[str, Interactions],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write a node into one file, which replaces an earlier one only when it is whole."""
    about = {
        "format": FORMAT,
        "catalogue": community.expect.catalogue.hex(),
        "settings": community.expect.settings.hex(),
        "key": list(key),
        "candidates": candidates,
    }
    columns = {f"{part} {name}": getattr(parts[part], name) for part in PARTS for name in COLUMNS}
    content = io.BytesIO()
    named: dict[str, Any] = {**columns, **arrays}
    np.savez(content, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **named)
    with files.replacing(path) as building:
        building.write_bytes(content.getvalue())


def read(path: Path, community: Community) -> Saved:
    """What `write` wrote, refused where it is damaged or belongs to another community."""
    try:
        with np.load(path, allow_pickle=False) as held_file:
            about = json.loads(held_file["about"].tobytes())
            held = {name: held_file[name] for name in held_file.files if name != "about"}
        found, key = int(about["format"]), Key(*map(int, about["key"]))
        candidates = int(about.get("candidates", 0))
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        told = error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
        raise RunError(f"{path} cannot be read: {told}.", DAMAGED) from None
    if found != FORMAT:
        raise RunError(f"{path} is in version {found} of the format, and {FORMAT} is understood.")
    if about.get("catalogue") != community.expect.catalogue.hex():
        raise RunError(f"{path} belongs to a community with another catalogue.")
    if about.get("settings") != community.expect.settings.hex():
        raise RunError(f"{path} belongs to a community with another model or other settings.")
    if not 0 <= candidates <= len(community.items):
        candidates = min(max(candidates, 0), len(community.items))
    parts = {part: _part(path, part, held, community) for part in PARTS}
    return Saved(key, candidates, parts, held)


def _part(path: Path, part: str, held: dict[str, NDArray[Any]], community: Community) -> Interactions:
    """The history that a file holds, once it is one."""
    names = [f"{part} {name}" for name in COLUMNS]
    if not all(name in held for name in names):
        raise RunError(f"{path} is damaged: it has no history.", DAMAGED)
    item, value, time = (held.pop(name) for name in names)
    for column, kind in ((item, np.int32), (value, np.float32), (time, np.int64)):
        if column.shape != (item.size,) or column.dtype != kind:
            raise RunError(f"{path} is damaged: its history is not whole.", DAMAGED)
    if len(item) and not 0 <= item.min() <= item.max() < len(community.items):
        raise RunError(f"{path} is damaged: its history is not in the catalogue.", DAMAGED)
    if not np.isfinite(value).all():
        raise RunError(f"{path} is damaged: its history has ratings that are no numbers.", DAMAGED)
    return one_person(community, item, value, time)


def put_back(path: Path, arrays: Mapping[str, NDArray[Any]], live: Mapping[str, NDArray[Any]]) -> None:
    """Copy what a file holds into a node's arrays, once every one of them fits."""
    for name, array in live.items():
        values = arrays.get(name, np.empty(0, np.bool_))
        fits = values.shape == array.shape and values.dtype == array.dtype
        if not fits or (values.dtype.kind == "f" and not np.isfinite(values).all()):
            raise RunError(f"{path} is damaged: {name} does not fit the community's model.", DAMAGED)
    for name, array in live.items():
        array[...] = arrays[name]
