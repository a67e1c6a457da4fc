"""`rating`: random ratings of each person are held out (Hegedűs et al. 2020; Dymbe 2021)."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.data.interactions import Interactions
from sottovoce.data.split import TEST, TRAIN, Split, no_candidates
from sottovoce.kernels import SPLIT, driver, prange, stream, uniform
from sottovoce.registry import component


@component("split", "rating")
class Rating(NamedTuple):
    """The test set is a fixed number of random ratings of each person.

    A person with no more ratings than that trains on all of them and is not tested. With
    `data.duplicates = "keep"`, an item that a person rated twice can be in both parts.
    """

    holdout: Annotated[int, Ge(1)] = 10
    """The number of ratings in the test set, per person."""

    def split(self, data: Interactions, seed: int) -> Split:
        """The split for this seed."""
        part = np.empty(len(data), np.int8)
        assign(seed, self.holdout, data.indptr, part, batch=data.people)
        train, test = data.take(part == TRAIN), data.take(part == TEST)
        name = f"rating(holdout={self.holdout}, seed={seed})"
        few = f"no more than {self.holdout} rating{'s' * (self.holdout > 1)}"
        return Split(name, train, test, None, no_candidates(test), no_candidates(None), untested=few)


@driver
def assign(run, holdout, indptr, part):
    """Choose `holdout` interactions of each person (selection sampling, Knuth, TAOCP 2, 3.4.2, S)."""
    for person in prange(len(indptr) - 1):
        key = stream(run, SPLIT, person, 0)
        begin, count = indptr[person], indptr[person + 1] - indptr[person]
        left = holdout if count > holdout else 0
        for n in range(count):
            chosen = uniform(key, n) * (count - n) < left
            part[begin + n] = TEST if chosen else TRAIN
            left -= chosen
