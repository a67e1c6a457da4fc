"""What observers recorded: `observed/` of a run directory, read and checked."""

import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce import files
from sottovoce.errors import RunError
from sottovoce.experiments.runs.observed import ABOUT, FORMAT, OBSERVED
from sottovoce.state import Bools, Floats, Longs

AGAIN = "Run it again, in another directory, to record anew."
_NAME = re.compile(r"(\d+)-\d+\.npz", re.ASCII)
_PER_MESSAGE = ("observer", "sender", "number", "update", "clock", "size")
_OF_SERVER = ["sender", "clock", "observer"]
_PER_ROW = ("ids", "age")
_WIDE = ("head", "user")


class Records(NamedTuple):
    """All recorded messages, in the order in which they arrived. n messages have R rows in all."""

    round: Longs  # [n]
    observer: Longs  # [n], numbers of people; −1 is the server, and −2, … are further ones
    sender: Longs  # [n]
    number: Longs  # [n], of the message; under consensus, of the push in its sweep
    update: Bools  # [n]
    clock: Longs  # [n]
    size: Longs  # [n]
    head: Floats  # [n, h]
    user: Floats  # [n, p]; p is 0 if nobody's vector was sent
    message: Longs  # [R], which message a row belongs to
    ids: Longs  # [R]
    age: Longs  # [R]
    rows: Floats  # [R, w]

    def among(self, chosen: Bools) -> "Records":
        """The messages where `chosen` [n] is true."""
        kept = chosen[self.message]
        number = np.cumsum(chosen) - 1
        per_message, per_row = (column[chosen] for column in self[:9]), (column[kept] for column in self[10:])
        return Records._make([*per_message, number[self.message[kept]], *per_row])


class Sum(NamedTuple):
    """What a server, or the members of a group, learn of updates that are masked: how many people changed
    each row, and the sum of rows."""

    round: int
    clock: int
    senders: Longs  # [n]
    counts: Longs  # [items]
    items: Longs  # [m], the items whose rows are summed
    rows: Floats  # [m, w]
    head: Floats  # [h]
    observer: int = -1  # a member of the group, or a participant who decrypts it; -1: the server
    instances: int = 0  # of all of them, where a participant decrypts that


def sums(directory: Path, items: int) -> list[Sum]:
    """The sums that a server, members of groups, or participants who decrypt saw, one for each who saw it."""
    found = []
    for path, round in _holding(directory, "sum_counts"):
        with np.load(path, allow_pickle=False) as content:
            known = {key: content[key] for key in ("sum_counts", "sum_items", "sum_rows", "sum_head")}
            group = "sum_senders" in content
            about = [f"sum_{one}" for one in ("senders", "clock", "observer")] if group else _OF_SERVER
            who, clock, observer = (content[key] for key in about)
            total = int(content["sum_totals"][0]) if group and "sum_totals" in content else 0
        ids, counts, rows = known["sum_items"], known["sum_counts"], known["sum_rows"]
        fits = rows.ndim == 2 and len(rows) == len(ids) and counts.shape == (items,) and len(clock)
        if not fits or (len(ids) and not 0 <= ids.min() <= ids.max() < items):
            raise RunError(f"{path} is damaged: its sums do not fit together.", AGAIN)
        one = Sum(
            round,
            int(clock[0]),
            who.astype(np.int64),
            counts.astype(np.int64),
            ids.astype(np.int64),
            rows.astype(np.float32),
            known["sum_head"].astype(np.float32),
            instances=total,
        )
        found += [one._replace(observer=int(each)) for each in (observer if group else observer[:1])]
    return found


def masked(directory: Path, items: int) -> Records | None:
    """The vectors of rows and heads that people masked, read as if there were no masks; None without any.

    An integer modulo 2^b counts with a sign and as a share of the largest one. How many instances were behind
    it is not told.
    """
    found = []
    for path, round in _holding(directory, "masked_rows"):
        with np.load(path, allow_pickle=False) as content:
            known = {key: content[key] for key in (*_PER_MESSAGE, "head", "user", "sum_items", "sum_rows")}
            vectors = content["masked_rows"]
        senders, announced = len(known["sender"]), known["sum_items"]
        numbers = np.ldexp(vectors.view(f"i{vectors.itemsize}").astype(np.float64), 1 - 8 * vectors.itemsize)
        rows, head = np.split(numbers, [known["sum_rows"].size], axis=1)
        if head.shape != known["head"].shape or len(announced) != len(known["sum_rows"]):
            raise RunError(f"{path} is damaged: its masked vectors do not fit its sums.", AGAIN)
        lines = known | {
            "ids": np.tile(announced, senders),
            "age": np.zeros(senders * len(announced), np.int64),
            "offset": np.arange(senders + 1) * len(announced),
            "rows": rows.reshape(-1, known["sum_rows"].shape[1]),
            "head": head,
        }
        if problem := _fault(lines, np.iinfo(np.int64).max, items):
            raise RunError(f"{path} is damaged: {problem}.", AGAIN)
        found.append(of_arrays(round, lines))
    return joined(found) if found else None


def _holding(directory: Path, name: str) -> Iterator[tuple[Path, int]]:
    """The records in which this array is not empty, and their rounds."""
    for path in sorted((directory / OBSERVED).glob("*.npz")):
        if known := _NAME.fullmatch(path.name):
            with np.load(path, allow_pickle=False) as content:
                there = name in content and len(content[name]) > 0
            if there:
                yield path, int(known[1])


def read(directory: Path, people: int, items: int) -> Records:
    """The records of a run about so many people and items."""
    folder = directory / OBSERVED
    if not files.is_folder(folder):
        raise RunError(
            f"{directory} has no records of observers.",
            "Observe a run: sottovoce run … --set 'privacy.observe={ who = \"server\", rounds = [1, 10] }', "
            "or who = 10 for ten random people under gossip.",
        )
    _check_format(folder / ABOUT)
    named = [(path, _NAME.fullmatch(path.name)) for path in sorted(folder.glob("*.npz"))]
    parts = [_read(path, int(found[1]), people, items) for path, found in named if found]
    parts = [part for part in parts if len(part.round)]
    if not parts:
        raise RunError(
            f"{folder} holds no messages: observers received nothing in the rounds they watched.",
            "Observe more rounds, or more people (privacy.observe).",
        )
    if len({(part.rows.shape[1], part.head.shape[1]) for part in parts}) > 1:
        raise RunError(f"{folder} is damaged: its records have rows of different widths.", AGAIN)
    return joined(parts)


def joined(parts: Sequence[Records]) -> Records:
    """Records of several files as one."""
    first = np.cumsum([0, *(len(part.round) for part in parts[:-1])])
    columns = {name: [getattr(part, name) for part in parts] for name in Records._fields}
    columns["message"] = [part.message + n for part, n in zip(parts, first, strict=True)]
    if len({part.user.shape[1] for part in parts}) > 1:  # a server's model comes without a vector
        most = max(part.user.shape[1] for part in parts)
        columns["user"] = [np.pad(user, ((0, 0), (0, most - user.shape[1]))) for user in columns["user"]]
    return Records(**{name: np.concatenate(column) for name, column in columns.items()})


def _check_format(path: Path) -> None:
    try:
        about = json.loads(path.read_text("utf-8"))
        format = about["format"]
    except (OSError, ValueError, KeyError, TypeError):
        raise RunError(f"{path} is missing or damaged.", AGAIN) from None
    if format != FORMAT:
        raise RunError(
            f"{path} says that its records have the format {format!r}, and this version reads {FORMAT}.",
            f"Use the version of Sottovoce that made the run, or: {AGAIN[0].lower()}{AGAIN[1:]}",
        )


def _read(path: Path, round: int, people: int, items: int) -> Records:
    try:
        with np.load(path, allow_pickle=False) as content:
            arrays = {name: content[name] for name in (*_PER_MESSAGE, *_PER_ROW, *_WIDE, "offset", "rows")}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = "an array is missing" if isinstance(error, KeyError) else "it cannot be read"
        raise RunError(f"{path} is damaged: {reason}.", AGAIN) from None
    problem = _fault(arrays, people, items)
    if problem:
        raise RunError(f"{path} is damaged: {problem}.", AGAIN)
    return of_arrays(round, arrays)


def of_arrays(round: int, arrays: Mapping[str, NDArray[Any]]) -> Records:
    """The messages of one record, as `simulate.observe` describes its arrays."""
    count = np.diff(arrays["offset"])
    return Records._make(
        [
            np.full(len(count), round),
            *(arrays[name].astype(bool if name == "update" else np.int64) for name in _PER_MESSAGE),
            *(arrays[name].astype(np.float32) for name in _WIDE),
            np.repeat(np.arange(len(count)), count),
            *(arrays[name].astype(np.int64) for name in _PER_ROW),
            arrays["rows"].astype(np.float32),
        ]
    )


def _fault(arrays: dict[str, NDArray[Any]], people: int, items: int) -> str:
    """What is wrong with the arrays of a record; empty if nothing is."""
    offset, rows = arrays["offset"], arrays["rows"]
    flat = [arrays[name] for name in (*_PER_MESSAGE, *_PER_ROW, "offset")]
    if any(array.ndim != 1 or array.dtype.kind not in "iub" for array in flat) or rows.ndim != 2:
        return "an array has another shape or type"
    lengths = {len(arrays[name]) for name in _PER_MESSAGE} | {len(offset) - 1}
    ends = {len(rows), *(len(arrays[name]) for name in _PER_ROW)}
    if len(lengths) > 1 or offset[0] != 0 or ends != {int(offset[-1])} or (np.diff(offset) < 0).any():
        return "its arrays do not fit together"
    wide = [arrays[name] for name in _WIDE]
    if rows.dtype.kind != "f" or any(array.ndim != 2 or array.dtype.kind != "f" for array in wide):
        return "an array has another shape or type"
    if any(len(array) != len(offset) - 1 for array in wide):
        return "its arrays do not fit together"
    for name, most in (("observer", people), ("sender", people), ("ids", items)):
        if len(arrays[name]) and not -most <= arrays[name].min() <= arrays[name].max() < most:
            return f"{name} holds a number beyond {most - 1}"
    if len(arrays["ids"]) and arrays["ids"].min() < 0:
        return "ids holds a negative number"
    if not all(np.isfinite(array).all() for array in (rows, *wide)):
        return "some of its numbers are not finite"
    return ""
