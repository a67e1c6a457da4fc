"""The file of a node: a NumPy archive without objects, with the history and the secret key in it."""

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce import files
from sottovoce.data.interactions import Interactions
from sottovoce.errors import RunError
from sottovoce.exchange.message import LIMIT
from sottovoce.models.interface import optimizer_size, uses_place
from sottovoce.node import remembered
from sottovoce.node.community import Community, Key
from sottovoce.node.history import one_person
from sottovoce.node.unharmed import diverged

if TYPE_CHECKING:
    from sottovoce.node.node import Node

FORMAT = 5
"""The version of the file."""
ABOUT, HISTORY, HEADER = 2**16, 2**27, 2**12
"""The most bytes of the description, of a column of the history, and of an array's header."""
ARRAYS = (
    "rows",
    "age",
    "head",
    "clock",
    "user",
    "steps",
    "optimizer",
    "disclosed",
    "private rows",
    "private age",
    "private head",
    "counters",
)
"""The arrays of a node, as `Node` names them."""
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
        "steps": community.steps_hash.hex(),
        "key": list(key),
        "candidates": candidates,
    }
    columns = {f"{part} {name}": getattr(parts[part], name) for part in PARTS for name in COLUMNS}
    content = io.BytesIO()
    named: dict[str, Any] = {**columns, **arrays}
    np.savez(content, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **named)
    with files.replacing(path) as building:
        building.touch(0o600)  # only the person who runs the node may read the history and the key
        building.write_bytes(content.getvalue())


def read(path: Path, community: Community) -> Saved:
    """What `write` wrote, refused where it is damaged or belongs to another community."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(member(archive, "about", ABOUT).tobytes())
            if not isinstance(about, dict):
                raise ValueError("about is no table")
            found, key = int(about["format"]), Key(*(int(part) for part in about["key"]))
            candidates = int(about.get("candidates", 0))
            if found == FORMAT:
                columns = {name: member(archive, name, HISTORY) for name in _columns()}
                limits = {name: _limit(community) for name in ARRAYS}
                limits |= dict.fromkeys(remembered.names(community), HISTORY)
                arrays = {name: member(archive, name, limit) for name, limit in limits.items()}
    except (OSError, ValueError, KeyError, TypeError, EOFError, OverflowError) as error:
        raise damaged(path, error) from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, SyntaxError) as error:
        raise damaged(path, error) from None
    if found != FORMAT:
        raise RunError(f"{path} is in version {found} of the format, and {FORMAT} is understood.")
    if about.get("catalogue") != community.expect.catalogue.hex():
        raise RunError(f"{path} belongs to a community with another catalogue.")
    if about.get("settings") != community.expect.settings.hex():
        raise RunError(f"{path} belongs to a community with another model or other settings.")
    if about.get("steps") != community.steps_hash.hex():
        raise RunError(
            f"{path} belongs to a community with other steps: what was disclosed would be counted wrongly.",
            "Load it in a community with the steps that it had.",
        )
    if not all(0 <= part < 2**63 for part in key) or not 0 <= candidates <= len(community.items):
        raise RunError(f"{path} is damaged: its key or its number of candidates is out of range.", DAMAGED)
    parts = {part: _part(path, part, columns, community) for part in PARTS}
    return Saved(key, candidates, parts, arrays)


def _sound(name: str, values: NDArray[Any]) -> bool:
    """Whether an array holds what a node can have."""
    if values.dtype.kind == "f":
        return not diverged(name, values)
    most = LIMIT if name in ("age", "clock", "private age") else 2**62
    return bool((values >= 0).all() and (values < most).all())


def damaged(path: Path, error: Exception) -> RunError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
    return RunError(f"{path} cannot be read: {reason}.", DAMAGED)


def _columns() -> list[str]:
    return [f"{part} {name}" for part in PARTS for name in COLUMNS]


def _limit(community: Community) -> int:
    """More bytes than any array of a node in this community has."""
    row, head, user = community.shape
    kept = optimizer_size(community.model, len(community.items))
    return int(8 * (len(community.items) * (row + 1) + head + user + kept + 64))


def member(archive: zipfile.ZipFile, name: str, limit: int) -> NDArray[Any]:
    """An array of an archive, of at most `limit` bytes. Nothing larger is unpacked, whatever it claims."""
    info = archive.getinfo(f"{name}.npy")
    if info.file_size > limit + HEADER:
        raise ValueError(f"{name} is too large")
    with archive.open(info) as file:
        content = io.BytesIO(file.read(limit + HEADER + 1))
    version = np.lib.format.read_magic(content)
    if version != (1, 0):
        raise ValueError(f"{name} has another version of NumPy's format")
    shape, fortran, kind = np.lib.format.read_array_header_1_0(content)
    size = math.prod(shape) * kind.itemsize
    if kind.hasobject or fortran or size != len(content.getvalue()) - content.tell():
        raise ValueError(f"{name} does not hold what its header says")
    return np.frombuffer(content.getvalue(), kind, offset=content.tell()).reshape(shape)


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
    if (time < 0).any() or (np.diff(time) < 0).any():
        raise RunError(f"{path} is damaged: its history is not in order of time.", DAMAGED)
    if not uses_place(community.model) and len(np.unique(item)) < len(item):
        raise RunError(f"{path} is damaged: its history has an item twice.", DAMAGED)
    return one_person(community, item, value, time)


def put_back(
    path: Path, arrays: dict[str, NDArray[Any]], live: Mapping[str, NDArray[Any]], node: "Node"
) -> None:
    """Copy what a file holds into the arrays of a node that was just made, once every one of them fits."""
    for name, array in live.items():
        values = arrays.get(name, np.empty(0, np.bool_))
        fits = values.shape == array.shape and values.dtype == array.dtype
        if not fits or not _sound(name, values):
            raise RunError(f"{path} is damaged: {name} does not fit the community's model.", DAMAGED)
    if not remembered.put_back(node, arrays):
        raise RunError(f"{path} is damaged: what it remembers of other nodes is not whole.", DAMAGED)
    for name, array in live.items():
        array[...] = arrays[name]
