"""People held out of a split entirely, and people of whom only the first items are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Interactions
from sottovoce.data.split import Split

Bools = NDArray[np.bool_]


def only(data: Interactions, who: Bools) -> Interactions:
    """The data of the people for whom `who` [people] is true; nobody else is left. Items stay as they are."""
    kept = data.take(np.repeat(who, np.diff(data.indptr)))
    lengths = np.diff(data.indptr)[who]
    return replace(kept, indptr=np.concatenate([[0], np.cumsum(lengths)]), users=data.users[who])


def split_of(split: Split, who: Bools) -> Split:
    """The split of the people for whom `who` [people] is true, in which nobody else exists."""
    tested = np.repeat(who, np.diff(split.test.indptr))
    aside, judged = split.weighting, split.weighting_candidates
    if aside is not None:
        judged = judged[np.repeat(who, np.diff(aside.indptr))]
        aside = only(aside, who)
    return replace(
        split,
        name=f"{split.name}, {np.count_nonzero(who)} of its people",
        train=only(split.train, who),
        test=only(split.test, who),
        weighting=aside,
        candidates=split.candidates[tested],
        weighting_candidates=judged,
        beyond=split.beyond and only(split.beyond, who),
    )


def with_first(data: Interactions, count: int, who: Bools | None = None) -> Interactions:
    """The data where people have only the `count` interactions that they had first.

    With `who` [people] this concerns those for whom it is true.
    """
    place = np.arange(len(data)) - np.repeat(data.indptr[:-1], np.diff(data.indptr))
    spared = False if who is None else ~np.repeat(who, np.diff(data.indptr))
    return data.take((place < count) | spared)
