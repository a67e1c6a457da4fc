"""`temporal-holdout`: the last interactions of every person are held out (Anelli et al. 2020, 4.3)."""

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
    """Of a person's n interactions the first ⌈(1 − `test`) n⌉ by time train, the rest is the test set.

    Those at the same time keep the order of the source; where there are no times at all, a run says so. A
    person with too few interactions for a test (four, with a fifth held out) trains on all of them.
    Interactions are split, not items: with `data.duplicates = "keep"`, what a person returns to may be in
    both parts. Evaluation is over the whole catalogue, unless `candidates` items that the person never met
    are drawn for each test entry.
    """

    test: Annotated[float, Gt(0), Lt(1)] = 0.2
    candidates: Annotated[int, Ge(0)] = 0

    def split(self, data: Interactions, seed: int) -> Split:
        """The split; the seed draws candidates alone."""
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
