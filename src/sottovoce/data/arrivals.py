"""Interactions that arrive while a network learns, and weighting sets that change with them.

People start with their earliest training items. The later ones arrive during the run, at the same pace for
everybody. With refreshing, a new item is first used to judge models: it joins the weighting set, and the
oldest items of that set move to the training set, so that the weighting set keeps its share of the person's
items (Section 4.1, Belal et al. 2022). Items used for training are never used for judging.

What a person holds depends only on the share that has arrived. A device and a resumed run can therefore
compute it at any moment.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import sampling
from sottovoce.data.interactions import Interactions
from sottovoce.data.places import history
from sottovoce.data.split import WEIGHTING, Split

_LATER = WEIGHTING + 1  # a random stream of its own, for candidates of items that arrive later


class Holding(NamedTuple):
    """What people hold at one moment."""

    train: Interactions
    weighting: Interactions | None
    candidates: NDArray[np.int32]
    """[len(weighting), C]: the items that each weighting item is ranked against."""


class Arrivals:
    """A split in which a share of each person's training items, the latest ones, arrives later."""

    def __init__(self, split: Split, share: float, refresh: bool, seed: int) -> None:
        first = split.weighting or split.train.take(np.zeros(len(split.train), np.bool_))
        everything, judging = _together(split.train, first)
        self._all, self._set_aside = everything, split.weighting is not None
        person, group = _items(everything)
        aside = np.ones(len(person), np.bool_)
        aside[group[~judging]] = False  # some published splits have items in both sets: they do not judge
        trained = np.bincount(person[~aside], minlength=everything.people)
        self._later = np.floor(share * trained).astype(np.int64)
        self._first = np.bincount(person[aside], minlength=everything.people)
        self._began = trained - self._later + self._first
        # A queue per person: the weighting set first, then later items. Items trained on from the start: -1.
        queue = _rank(person, ~aside) - (trained - self._later)[person]
        queue = np.where(queue >= 0, queue + self._first[person], -1)
        queue[aside] = _rank(person, aside)[aside]
        self._person, self._queue = person, queue
        self._group, self._refresh = group, refresh
        self._row, self._candidates = self._drawn(split, judging, seed)

    def __len__(self) -> int:
        """The number of items that arrive later, of all people together."""
        return int(self._later.sum())

    def after(self, part: float) -> Holding:
        """What people hold when this share (0 to 1) of each person's later items has arrived."""
        come = np.floor(part * self._later).astype(np.int64)
        begin, end = np.zeros_like(come), self._first  # where the weighting set is in the queue
        if self._refresh:
            began = np.maximum(self._began, 1)
            end = self._first + come
            begin = end - (2 * (began + come) * self._first + began) // (2 * began)
        judging = (
            (self._queue >= begin[self._person]) & (self._queue < end[self._person]) & (self._queue >= 0)
        )
        training = (self._queue < (self._first + come)[self._person]) & ~judging
        aside = judging[self._group]
        weighting = self._all.take(aside) if self._set_aside else None
        return Holding(self._all.take(training[self._group]), weighting, self._candidates[self._row[aside]])

    def _drawn(
        self, split: Split, judging: NDArray[np.bool_], seed: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Candidates for all items that ever judge models, and each interaction's row among them."""
        others = (self._queue >= 0)[self._group] & ~judging & self._set_aside
        known = _together(self._all, split.test)[0]
        wanted = split.weighting_candidates.shape[1]
        met = sampling.seen(known.indptr, known.item)
        new = sampling.sample(met, self._all.take(others), wanted, seed, _LATER)
        row = np.full(len(self._all), -1, np.int64)
        row[judging] = np.arange(np.count_nonzero(judging))
        row[others] = np.count_nonzero(judging) + np.arange(len(new))
        return row, np.concatenate([split.weighting_candidates, new])


def _together(one: Interactions, other: Interactions) -> tuple[Interactions, NDArray[np.bool_]]:
    """Both parts in one, sorted by time, and a mask of the interactions that come from `other`."""
    _, item, time, order = history(one, other)
    value = np.concatenate([one.value, other.value])[order]
    both = replace(one, division=None, indptr=one.indptr + other.indptr, item=item, value=value, time=time)
    return both, order >= len(one)


def _items(data: Interactions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each person's distinct items in order of first contact: their owners, and each interaction's item."""
    person = np.repeat(np.arange(data.people, dtype=np.int64), np.diff(data.indptr))
    _, firsts, group = np.unique(person * data.items + data.item, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return person[firsts[order]], place[group]


def _rank(person: NDArray[np.int64], of: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each entry, how many marked entries of its person come before it. `person` is sorted."""
    before: NDArray[np.int64] = np.cumsum(of) - of
    return before - before[np.searchsorted(person, person)]
