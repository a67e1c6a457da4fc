"""A split: what people train on, what they are tested on, and the candidates they are tested against."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Interactions

TRAIN, TEST, WEIGHTING = range(3)
"""The parts that a split assigns interactions to."""


@dataclass(frozen=True, eq=False)
class Split:
    """Parts of the same interactions, with the same people and catalogue, each in order of time."""

    name: str
    """The split and its settings in words."""
    train: Interactions
    test: Interactions
    weighting: Interactions | None
    """What a person withholds to weigh other people's models with."""
    candidates: NDArray[np.int32]
    """[len(test), C]: items unseen by the person, for each test entry; -1 where there are no more."""
    weighting_candidates: NDArray[np.int32]
    """The same for the weighting set."""
    hash: str = field(init=False)
    """SHA-256 of everything above and of the ids of people and items."""

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.name.encode())
        for ids in (self.train.users, self.train.catalog.ids):
            digest.update("\n".join(["", *ids.tolist(), ""]).encode())
        for part in (self.train, self.test, self.weighting):
            if part is not None:
                _update(digest, part.indptr, part.item, part.value, part.time)
        _update(digest, self.candidates, self.weighting_candidates)
        object.__setattr__(self, "hash", digest.hexdigest())


def _update(digest: hashlib._Hash, *arrays: NDArray[Any]) -> None:
    """Add shapes and content, in the same byte order on every machine."""
    digest.update(str([a.shape for a in arrays]).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)


def no_candidates(part: Interactions | None) -> NDArray[np.int32]:
    """The candidates of a split that has none."""
    return np.empty((0 if part is None else len(part), 0), np.int32)
