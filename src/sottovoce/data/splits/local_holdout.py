"""`local-holdout`: everybody withholds a share of the own items to test and to weigh models with (PEPPER)."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.data import sampling
from sottovoce.data.interactions import Interactions
from sottovoce.data.split import TEST, TRAIN, WEIGHTING, Split, no_candidates
from sottovoce.errors import RecipeError
from sottovoce.kernels import SPLIT, driver, prange, stream, uniform
from sottovoce.registry import component


@component("split", "local-holdout")
class LocalHoldout(NamedTuple):
    """A share `test` of each person's items is the test set, a share `weighting` the weighting set.

    The weighting set is a validation set: a person does not train on it, and judges models by it.
    Items are split, not interactions: all interactions of a person with an item are in the same
    part, so that nothing under test was trained on. Of d distinct items, ⌊share · d + ½⌋ and at
    least one are in each set, and at least one remains for training; a person with fewer than
    three distinct items trains on all of them and is not tested. Every test and weighting entry
    has `candidates` items that the person met in no part, or as many as there are and then -1.
    """

    test: Annotated[float, Gt(0), Lt(1)] = 0.15
    weighting: Annotated[float, Ge(0), Lt(1)] = 0.15
    """The share of the weighting set, a validation set; 0 for none."""
    candidates: Annotated[int, Ge(1)] = 100

    def split(self, data: Interactions, seed: int) -> Split:
        """The split that belongs to this seed."""
        if self.test + self.weighting >= 1:
            raise RecipeError(
                f"split.test = {self.test} and split.weighting = {self.weighting} leave nothing to train on.",
                "Choose shares that sum to less than 1.",
            )
        met = sampling.seen(data.indptr, data.item)
        part, label = np.empty(len(data), np.int8), np.empty(len(data), np.int8)
        shares = float(self.test), float(self.weighting)
        known = data.indptr, data.item, met.ordered, met.counts
        assign(seed, *shares, *known, label, part, batch=data.people)
        test = data.take(part == TEST)
        weighting = data.take(part == WEIGHTING) if self.weighting else None
        settings = f"test={self.test}, weighting={self.weighting}, candidates={self.candidates}"
        return Split(
            f"local-holdout({settings}, seed={seed})",
            data.take(part == TRAIN),
            test,
            weighting,
            sampling.sample(met, test, self.candidates, seed, TEST),
            no_candidates(None)
            if weighting is None
            else sampling.sample(met, weighting, self.candidates, seed, WEIGHTING),
            untested="fewer than 3 different items",
        )


@driver
def assign(run, test, weighting, indptr, item, ordered, count, label, part):
    """Give every distinct item of a person a part, and every interaction the part of its item."""
    for person in prange(len(count)):
        key = stream(run, SPLIT, person, 0)
        begin, items = indptr[person], count[person]
        tests, weights = 0, 0
        if items >= 3:
            weights = max(1, int(weighting * items + 0.5)) if weighting > 0 else 0
            tests = min(max(1, int(test * items + 0.5)), items - 1 - (weights > 0))
            weights = min(weights, items - 1 - tests)
        for n in range(items):
            chance = uniform(key, n) * (items - n)
            label[begin + n] = TEST if chance < tests else WEIGHTING if chance < tests + weights else TRAIN
            tests -= label[begin + n] == TEST
            weights -= label[begin + n] == WEIGHTING
        for n in range(begin, indptr[person + 1]):
            part[n] = label[sampling.search(ordered, begin, begin + items, item[n])]
