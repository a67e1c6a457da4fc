"""`temporal-holdout`: the last interactions of each person are held out (Anelli et al. 2020, 4.3)."""

import math
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.data import sampling
from sottovoce.data.interactions import Interactions
from sottovoce.data.split import TEST, Split, no_candidates, untimed
from sottovoce.registry import component

_ROUNDING = 1e-9  # 0.1 · 30 is more than 3 in floating point


@component("split", "temporal-holdout")
class TemporalHoldout(NamedTuple):
    """A person with n interactions trains on the first ⌈(1 − `test`) n⌉ in time; the rest is the test set.

    Interactions at the same time keep the order of the source; without times a run says so. A person with
    too few interactions (up to four, if a fifth is held out) trains on all of them and is not tested.
    Interactions are split, not items: with `data.duplicates = "keep"`, an item can be in both parts.
    """

    test: Annotated[float, Gt(0), Lt(1)] = 0.2
    """The share of interactions in the test set."""
    candidates: Annotated[int, Ge(0)] = 0
    """The number of unseen items that each test item is ranked against; 0: the whole catalogue."""

    def split(self, data: Interactions, seed: int) -> Split:
        """The split. The seed only draws candidates."""
        lengths = np.diff(data.indptr)
        train = np.ceil((1 - self.test) * lengths - _ROUNDING).astype(np.int64)
        place = np.arange(len(data)) - np.repeat(data.indptr[:-1], lengths)
        mask = place >= np.repeat(train, lengths)
        test = data.take(mask)
        candidates, name = no_candidates(test), f"temporal-holdout(test={self.test})"
        if self.candidates:
            met = sampling.seen(data.indptr, data.item)
            candidates = sampling.sample(met, test, self.candidates, seed, TEST)
            name = f"temporal-holdout(test={self.test}, candidates={self.candidates}, seed={seed})"
        metrics = ("precision", "recall", "f1", "item-coverage", "evenness", "user-coverage")
        least = math.ceil((1 - _ROUNDING) / self.test)
        few = f"fewer than {least} interactions" if least > 2 else "a single interaction"
        parts = data.take(~mask), test, None, candidates, no_candidates(None)
        return Split(name, *parts, metrics=metrics, untested=few, notes=untimed(data))
