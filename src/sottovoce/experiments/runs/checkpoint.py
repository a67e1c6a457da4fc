"""Checkpoints: directories of plain arrays. A power failure leaves no half-written checkpoint.

A checkpoint is written to `checkpoint-<round>.tmp`, flushed to the disk and then renamed to
`checkpoint-<round>`, or to `checkpoint-<round>-001` if that round already has one. Older checkpoints are
removed afterwards, so the newest one is always complete.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce import files
from sottovoce.errors import RunError
from sottovoce.experiments.runs import machine

FORMAT = 1
_PREFIX = "checkpoint-"


class Checkpoint(NamedTuple):
    """The state of a simulation after a round, and the run that it belongs to."""

    round: int
    identity: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def save(run: Path, round: int, identity: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put a checkpoint into the run directory and remove its predecessors."""
    place = _free(run / f"{_PREFIX}{round:09d}")
    building = place.with_suffix(".tmp")
    shutil.rmtree(building, ignore_errors=True)
    try:
        building.mkdir()
        for number, array in enumerate(arrays.values()):
            with (building / f"{number}.npy").open("wb") as file:
                np.save(file, array, allow_pickle=False)
                _flush(file)
        manifest = {"format": FORMAT, "round": round, "identity": dict(identity), "arrays": list(arrays)}
        with (building / "checkpoint.json").open("w", encoding="utf-8") as file:
            json.dump(manifest, file)
            _flush(file)
        files.flush_directory(building)
        building.rename(place)
    except OSError as error:
        shutil.rmtree(building, ignore_errors=True)
        size = sum(array.nbytes for array in arrays.values())
        raise files.refusal(run, error, f"A checkpoint of {machine.size(size)}") from None
    files.flush_directory(run)
    remove(run, keep=place)


def _free(place: Path) -> Path:
    """`place`, or the next free name if there are checkpoints of the same round."""
    same = [p.name.removeprefix(place.name) for p in _complete(place.parent) if p.name.startswith(place.name)]
    return place.with_name(f"{place.name}-{int(same[-1][1:] or 0) + 1:03d}") if same else place


def newest(run: Path) -> Checkpoint | None:
    """The newest checkpoint in a run directory, or None.

    Its arrays are memory-mapped: they may take half of all memory, and the simulation takes as much again.
    """
    places = _complete(run)
    if not places:
        return None
    place = places[-1]
    try:
        manifest = json.loads((place / "checkpoint.json").read_text("utf-8"))
        if manifest["format"] != FORMAT:
            raise RunError(
                f"{place} has format {manifest['format']}, and this version reads format {FORMAT}.",
                "Resume with the version that wrote it, or start anew in another directory.",
            )
        arrays = {
            name: np.load(place / f"{number}.npy", mmap_mode="r", allow_pickle=False)
            for number, name in enumerate(manifest["arrays"])
        }
        return Checkpoint(manifest["round"], manifest["identity"], arrays)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{place} is damaged: {error}.", f"Delete {run} and run anew.") from None


def remove(run: Path, keep: Path | None = None) -> None:
    """Remove checkpoints and unfinished ones, except `keep`."""
    for place in _named(run):
        if place != keep:
            shutil.rmtree(place, ignore_errors=True)


def exists(run: Path) -> bool:
    """Whether there is a checkpoint to resume from."""
    return bool(_complete(run))


def _complete(run: Path) -> list[Path]:
    return [place for place in _named(run) if place.suffix != ".tmp" and files.is_folder(place)]


def _named(run: Path) -> list[Path]:
    """All checkpoints in a run directory, including unfinished ones; the directory may be missing."""
    return [run / name for name in files.held(run) if name.startswith(_PREFIX)]


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
