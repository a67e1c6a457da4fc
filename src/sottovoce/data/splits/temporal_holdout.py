"""`temporal-holdout`: the last interactions of each person are held out (Anelli et al. 2020, 4.3)."""

import math
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt
from numpy.typing import NDArray

from sottovoce.data import catalogs, sampling
from sottovoce.data.interactions import Interactions
from sottovoce.data.split import TEST, Split, no_candidates, untimed
from sottovoce.registry import component

_ROUNDING = 1e-9  # 0.1 · 30 is more than 3 in floating point


METRICS = (
    "precision",
    "recall",
    "f1",
    "f1-of-means",
    "item-coverage",
    "items-covered",
    "evenness",
    "top-pop-overlap",
    "user-coverage",
)
"""Those of Anelli et al. 2020, and how much of a list is popularity alone."""


@component("split", "temporal-holdout")
class TemporalHoldout(NamedTuple):
    """A person with n interactions trains on the first ⌈(1 − `test`) n⌉ in time; the rest is the test set.

    Interactions at the same time keep the order of the source; without times a run says so. A person with
    too few interactions (up to four, if a fifth is held out) trains on all of them and is not tested.
    Interactions are split, not items: with `data.duplicates = "keep"`, an item can be in both parts.

    The catalogue is that of the training set (Table 1): items that nobody has there are neither candidates
    nor negatives, in no list, and not counted by coverage and Gini. Test interactions with them count as
    missed.
    """

    test: Annotated[float, Gt(0), Lt(1)] = 0.2
    """The share of interactions in the test set."""
    candidates: Annotated[int, Ge(0)] = 0
    """The number of unseen items that each test item is ranked against; 0: the whole catalogue."""
    validation: bool = False
    """To choose settings: the test set stays out of the run, and the training set is split once more in the
    same way. Its last interactions are then what is held out (Section 4.3)."""
    earliest: bool = False
    """Hold out each person's first interactions in place of the last. Anelli et al. do not describe this
    split, but for Italy their Top-Pop is closer to it (docs/reproductions/fpl-table-2.md)."""

    def split(self, data: Interactions, seed: int) -> Split:
        """The split. The seed only draws candidates."""
        if self.validation:
            data = data.take(~self._held(data))
        mask = self._held(data)
        train, test, beyond, notes = _parts(data, mask)
        said = {"validation": self.validation, "earliest": self.earliest}
        settings = {"test": self.test} | {key: value for key, value in said.items() if value}
        candidates = no_candidates(test)
        if self.candidates:
            every = data if beyond is None else catalogs.among(data, _in_training(data, mask))
            met = sampling.seen(every.indptr, every.item)
            candidates = sampling.sample(met, test, self.candidates, seed, TEST)
            settings |= {"candidates": self.candidates, "seed": seed}
        name = f"temporal-holdout({', '.join(f'{key}={value}' for key, value in settings.items())})"
        least = math.ceil((1 - _ROUNDING) / self.test)
        few = f"fewer than {least} interactions" if least > 2 else "a single interaction"
        parts = train, test, None, candidates, no_candidates(None)
        notes = (*untimed(data), *notes)
        return Split(name, *parts, metrics=METRICS, untested=few, notes=notes, beyond=beyond)

    def _held(self, data: Interactions) -> NDArray[np.bool_]:
        """Which interactions are the last ones of a person, or the first ones."""
        lengths = np.diff(data.indptr)
        train = np.ceil((1 - self.test) * lengths - _ROUNDING).astype(np.int64)
        place = np.arange(len(data)) - np.repeat(data.indptr[:-1], lengths)
        held = np.repeat(lengths - train, lengths)
        return np.asarray(place < held if self.earliest else place >= np.repeat(train, lengths))


def _in_training(data: Interactions, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[items]: which items somebody has in training."""
    return np.asarray(np.bincount(data.item[~held], minlength=data.items) > 0)


def _parts(
    data: Interactions, held: NDArray[np.bool_]
) -> tuple[Interactions, Interactions, Interactions | None, tuple[str, ...]]:
    """Training set and test set in the catalogue of the training set, what is beyond it, and notes."""
    there = _in_training(data, held)
    if there.all():
        return data.take(~held), data.take(held), None, ()
    beyond = data.take(held & ~there[data.item])
    left, tests = np.count_nonzero(~there), np.count_nonzero(held)
    note = f"{left:,} of {data.items:,} items are in nobody's training set, and so not in the catalogue."
    if len(beyond):
        note += f" {len(beyond):,} of {tests:,} test interactions are with such items and count as missed."
    return catalogs.among(data.take(~held), there), catalogs.among(data.take(held), there), beyond, (note,)
