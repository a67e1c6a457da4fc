"""Recall: the share of the relevant items that a list of K contains (Equation 7, Belal et al. 2022).

    R@K = |relevant items among the first K| / |relevant items|

It is computed for each person.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def share_of_relevant(found, relevant):
    """`found` items as a share of all `relevant` ones; NaN if there are no relevant ones."""
    return found / relevant if relevant > 0 else math.nan


def recall(hits: ArrayLike, relevant: ArrayLike, k: int) -> NDArray[np.float64]:
    """R@k of each person: [people]. `hits` as in `precision`; `relevant`: how many items each person has.

    >>> recall([[True, False, True], [False, True, False]], [4, 1], k=2).tolist()
    [0.25, 1.0]
    """
    found = np.asarray(hits)[:, :k].sum(axis=1)
    total = np.asarray(relevant, np.float64)
    return np.where(total > 0, found / np.maximum(total, 1), math.nan)
