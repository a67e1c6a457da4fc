"""`local-holdout`: shares of each person's items are held out for testing and for weighting (PEPPER)."""

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
    """A random share of each person's items is the test set, another share the weighting set.

    The weighting set is a validation set: a person does not train on it, but judges models with it.
    Items are split, not interactions: all interactions of a person with an item are in the same part, so
    that no test item is in the training set. With d distinct items, each set gets ⌊share · d + ½⌋ of them
    and at least one, and at least one remains for training. A person with fewer than three distinct items
    trains on all of them and is not tested.
    """

    test: Annotated[float, Gt(0), Lt(1)] = 0.15
    """The share of items in the test set."""
    weighting: Annotated[float, Ge(0), Lt(1)] = 0.15
    """The share of items in the weighting set; 0 for no weighting set."""
    candidates: Annotated[int, Ge(1)] = 100
    """The number of unseen items that each test or weighting item is ranked against."""

    def split(self, data: Interactions, seed: int) -> Split:
        """The split for this seed."""
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
    """Assign each distinct item of a person to a part, and each interaction to the part of its item.

    `test` and `weighting` are shares. `ordered` and `count` come from `sampling.seen`. `label` gets the
    part of each distinct item, in the layout of `ordered`; `part` [interactions] that of each interaction.
    """
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
