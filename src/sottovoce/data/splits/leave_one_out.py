"""`leave-one-out`: the latest interaction of every person is held out (Perifanis and Efraimidis 2022)."""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from sottovoce.data import sampling
from sottovoce.data.interactions import Interactions
from sottovoce.data.split import TEST, Split, no_candidates, untimed
from sottovoce.registry import component


@component("split", "leave-one-out")
class LeaveOneOut(NamedTuple):
    """Everybody's latest interaction is the test set, with `candidates` items the person never met.

    Several interactions are often the latest (in MovieLens 100K those of 415 of 943 people). The order
    in which the source lists them then decides: by `ties` the last of them is held out, or the
    first. A source without times is taken in its own order, and a
    run says so. Interactions are split, not items: with
    `data.duplicates = "keep"`, an item under test that the person met before stays in training, and a
    run says how many do. A person with a single interaction trains on it and is not tested.
    """

    candidates: Annotated[int, Ge(1)] = 100
    ties: Literal["last", "first"] = "last"

    def split(self, data: Interactions, seed: int) -> Split:
        """The split, with the candidates that belong to this seed."""
        lengths = np.diff(data.indptr)
        tested = lengths > 1
        latest = data.indptr[1:][tested] - 1
        if self.ties == "first":
            latest = np.maximum(_first_of_ties(data)[latest], data.indptr[:-1][tested])
        mask = np.zeros(len(data), np.bool_)
        mask[latest] = True
        test = data.take(mask)
        met = sampling.seen(data.indptr, data.item)
        return Split(
            f"leave-one-out(candidates={self.candidates}, ties={self.ties}, seed={seed})",
            data.take(~mask),
            test,
            None,
            sampling.sample(met, test, self.candidates, seed, TEST),
            no_candidates(None),
            untested="a single interaction",
            notes=untimed(data),
        )


def _first_of_ties(data: Interactions) -> NDArray[np.int64]:
    """For every interaction the first row of those in a line that have the same time."""
    starts = np.concatenate(([True], np.diff(data.time) != 0))
    return np.maximum.accumulate(np.where(starts, np.arange(len(data)), 0))
