"""A split: what people train on, what they are tested on, and the candidates they are tested against."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import places
from sottovoce.data.interactions import Interactions, Strings

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
    metrics: tuple[str, ...] = ()
    """What this split is evaluated by unless a recipe says otherwise; empty: HR and NDCG, or RMSE."""
    untested: str = ""
    """Whom it leaves out of the test, in words that follow "they have", such as "a single interaction"."""
    notes: tuple[str, ...] = ()
    """What is to be said of how it was made."""

    @functools.cached_property
    def hash(self) -> str:
        """SHA-256 of everything and of the ids of people and items."""
        digest = hashlib.sha256(self.name.encode())
        for ids in (self.train.users, self.train.catalog.ids):
            digest.update(_lines(ids))
        for part in (self.train, self.test, self.weighting):
            if part is not None:
                _update(digest, part.indptr, part.item, part.value, part.time)
        _update(digest, self.candidates, self.weighting_candidates)
        return digest.hexdigest()

    @functools.cached_property
    def before(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Where the person was before each test entry, -1: unknown, and the seconds since."""
        return places.before(self.test, self.train, *(part for part in [self.weighting] if part is not None))

    def among(self, there: NDArray[np.bool_]) -> Split:
        """The same split with nothing to test for people who are not `there`."""
        lengths = np.diff(self.test.indptr) * there
        kept = np.repeat(there, np.diff(self.test.indptr))
        test = replace(
            self.test,
            indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            item=self.test.item[kept],
            value=self.test.value[kept],
            time=self.test.time[kept],
        )
        return replace(self, test=test, candidates=self.candidates[kept])

    def manifest(self) -> dict[str, Any]:
        """What two runs compare to prove that they used the same split: hashes of it and of each part.

        Equal hashes under `parts` mean equal parts, also where the splits differ elsewhere.
        """
        parts = {"train": self.train, "test": self.test, "weighting": self.weighting}
        candidates = {"test": self.candidates, "weighting": self.weighting_candidates}
        return {
            "split": self.name,
            "sha256": self.hash,
            "data": self.train.name,
            "people": {"count": self.train.people, "sha256": _hash(_lines(self.train.users))},
            "items": {"count": self.train.items, "sha256": _hash(_lines(self.train.catalog.ids))},
            "parts": {name: _describe(part) for name, part in parts.items() if part is not None},
            "candidates": {
                name: {"each": drawn.shape[1], "sha256": _digest(drawn)}
                for name, drawn in candidates.items()
                if drawn.shape[1]
            },
        }


def untimed(data: Interactions) -> tuple[str, ...]:
    """What a split by time says of data in which everything happened at the same time, or at none."""
    if len(data) and data.time.min() < data.time.max():
        return ()
    return ("The data has no times: the last of a person's rows in the source count as the latest.",)


def _describe(part: Interactions) -> dict[str, Any]:
    return {
        "interactions": len(part),
        "people": int(np.count_nonzero(np.diff(part.indptr))),
        "sha256": _digest(part.indptr, part.item, part.value, part.time),
    }


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _lines(ids: Strings) -> bytes:
    return "\n".join(["", *ids.tolist(), ""]).encode()


def _digest(*arrays: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    _update(digest, *arrays)
    return digest.hexdigest()


def _update(digest: hashlib._Hash, *arrays: NDArray[Any]) -> None:
    """Add shapes and content, in the same byte order on every machine."""
    digest.update(str([a.shape for a in arrays]).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)


def no_candidates(part: Interactions | None) -> NDArray[np.int32]:
    """The candidates of a split that has none."""
    return np.empty((0 if part is None else len(part), 0), np.int32)
