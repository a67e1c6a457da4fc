"""Interactions that come while a network learns, and weighting sets that are refreshed with them.

People begin with some of their training items; the others, which are those they met latest, come later,
as many at a time for everybody as is due. A new item first judges models: it joins the weighting set, and
the oldest of that set go over to training, so that the set keeps its share of what the person has
(Section 4.1, Belal et al. 2022). Nothing is judged by that was trained on. What a person holds depends
on how much has come, and on nothing else, so a device and a resumed run can tell it at any moment.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import sampling
from sottovoce.data.interactions import Interactions
from sottovoce.data.places import history
from sottovoce.data.split import WEIGHTING, Split

_LATER = WEIGHTING + 1  # candidates of items that come later are drawn apart from others


class Holding(NamedTuple):
    """What people hold at a moment."""

    train: Interactions
    weighting: Interactions | None
    candidates: NDArray[np.int32]
    """[len(weighting), C]: what weighting items are ranked among."""


class Arrivals:
    """A split of which a share of everybody's training items, the latest, is not there at once."""

    def __init__(self, split: Split, share: float, refresh: bool, seed: int) -> None:
        first = split.weighting or split.train.take(np.zeros(len(split.train), np.bool_))
        everything, judging = _together(split.train, first)
        self._all, self._set_aside = everything, split.weighting is not None
        person, group = _items(everything)
        aside = np.ones(len(person), np.bool_)
        aside[group[~judging]] = False  # what is also trained on, as in some published splits, judges nothing
        trained = np.bincount(person[~aside], minlength=everything.people)
        self._later = np.floor(share * trained).astype(np.int64)
        self._first = np.bincount(person[aside], minlength=everything.people)
        self._began = trained - self._later + self._first
        # Items stand in a queue, the weighting set first; those that are trained on at once before its head.
        queue = _rank(person, ~aside) - (trained - self._later)[person]
        queue = np.where(queue >= 0, queue + self._first[person], -1)
        queue[aside] = _rank(person, aside)[aside]
        self._person, self._queue = person, queue
        self._group, self._refresh = group, refresh
        self._row, self._candidates = self._drawn(split, judging, seed)

    def __len__(self) -> int:
        """How many items come later, of all people."""
        return int(self._later.sum())

    def after(self, part: float) -> Holding:
        """What people hold when this part of what comes later has come to each."""
        come = np.floor(part * self._later).astype(np.int64)
        begin, end = np.zeros_like(come), self._first  # of the weighting set, in the queue
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
        """Candidates of all that is ever judged by, and for each interaction the row that has its own."""
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
    """Both as one, in order of time, and which are of the other."""
    _, item, time, order = history(one, other)
    value = np.concatenate([one.value, other.value])[order]
    both = replace(one, division=None, indptr=one.indptr + other.indptr, item=item, value=value, time=time)
    return both, order >= len(one)


def _items(data: Interactions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items of each person by when they were first met: whose each is, and which an interaction has."""
    person = np.repeat(np.arange(data.people, dtype=np.int64), np.diff(data.indptr))
    _, firsts, group = np.unique(person * data.items + data.item, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return person[firsts[order]], place[group]


def _rank(person: NDArray[np.int64], of: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of these each person has before; `person` ascends."""
    before: NDArray[np.int64] = np.cumsum(of) - of
    return before - before[np.searchsorted(person, person)]
