"""A split: training set, test set, weighting set, and candidates."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import catalogs, places
from sottovoce.data.interactions import Interactions, Strings

TRAIN, TEST, WEIGHTING = range(3)
"""The parts of a split."""


@dataclass(frozen=True, eq=False)
class Split:
    """Parts of the same interactions. They share people and catalogue, and each is sorted by time."""

    name: str
    """The split and its settings, for example "rating(holdout=10, seed=1)"."""
    train: Interactions
    test: Interactions
    weighting: Interactions | None
    """The validation set with which a person judges models; None if there is none."""
    candidates: NDArray[np.int32]
    """[len(test), C]: for each test entry, items that the person has not seen; -1 if there are fewer."""
    weighting_candidates: NDArray[np.int32]
    """The same for the weighting set."""
    metrics: tuple[str, ...] = ()
    """The default metrics of this split; empty for HR and NDCG, or RMSE."""
    untested: str = ""
    """Why people are not tested, in words after "they have", such as "a single interaction"."""
    notes: tuple[str, ...] = ()
    """Sentences that users should know about the split."""
    beyond: Interactions | None = None
    """Held-out interactions with items that are not in the catalogue of the parts, numbered in the catalogue
    of the data. No model can recommend them, so they count as missed. None if there are none."""

    @functools.cached_property
    def tested(self) -> NDArray[np.bool_]:
        """[people]: who has held-out interactions."""
        return (np.diff(self.test.indptr) > 0) | (self.missed > 0)

    @functools.cached_property
    def missed(self) -> NDArray[np.int64]:
        """[people]: how many held-out interactions with items outside of the catalogue each person has."""
        if self.beyond is None:
            return np.zeros(self.test.people, np.int64)
        return np.diff(self.beyond.indptr)

    def known(self, data: Interactions) -> Interactions:
        """The `data` that was split, without what is not in the catalogue of the parts."""
        if self.beyond is None:
            return data
        return catalogs.among(data, np.isin(data.catalog.ids, self.train.catalog.ids))

    @functools.cached_property
    def hash(self) -> str:
        """SHA-256 of all parts and candidates, and of the ids of people and items."""
        digest = hashlib.sha256(self.name.encode())
        for ids in (self.train.users, self.train.catalog.ids):
            digest.update(_lines(ids))
        for part in (self.train, self.test, self.weighting, self.beyond):
            if part is not None:
                _update(digest, part.indptr, part.item, part.value, part.time)
        _update(digest, self.candidates, self.weighting_candidates)
        return digest.hexdigest()

    @functools.cached_property
    def before(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For each test entry the item where the person was before (-1 if unknown), and the seconds since."""
        return places.before(self.test, self.train, *(part for part in [self.weighting] if part is not None))

    def among(self, there: NDArray[np.bool_]) -> Split:
        """The same split, without test entries of people for whom `there` [people] is False."""
        lengths = np.diff(self.test.indptr) * there
        kept = np.repeat(there, np.diff(self.test.indptr))
        test = replace(
            self.test,
            indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            item=self.test.item[kept],
            value=self.test.value[kept],
            time=self.test.time[kept],
        )
        beyond = self.beyond and self.beyond.take(np.repeat(there, np.diff(self.beyond.indptr)))
        return replace(self, test=test, candidates=self.candidates[kept], beyond=beyond)

    def manifest(self) -> dict[str, Any]:
        """Hashes of the split and of each part. Two runs with equal hashes used the same split.

        Equal hashes under `parts` mean equal parts, even if the splits differ elsewhere.
        """
        parts = {"train": self.train, "test": self.test, "weighting": self.weighting, "beyond": self.beyond}
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
    """The note of a split by time, if the data has no times or only one."""
    if len(data) and data.time.min() < data.time.max():
        return ()
    return ("The data has no times: the order of the rows in the source counts as the order of time.",)


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
    """Add shapes and content to the digest, little-endian on every machine."""
    digest.update(str([a.shape for a in arrays]).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)


def no_candidates(part: Interactions | None) -> NDArray[np.int32]:
    """An empty array of candidates: [len(part), 0]."""
    return np.empty((0 if part is None else len(part), 0), np.int32)
