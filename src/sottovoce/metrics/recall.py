"""Recall: how much of what is relevant a list of K holds (Equation 7, Belal et al. 2022).

    R@K = |relevant items among the first K| / |relevant items|

of each person.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def share_of_relevant(found, relevant):
    """The share that `found` items have of all `relevant` ones; NaN if there are none."""
    return found / relevant if relevant > 0 else math.nan


def recall(hits: ArrayLike, relevant: ArrayLike, k: int) -> NDArray[np.float64]:
    """R@k of each person: `hits` as for `precision`, and how many items are `relevant` to each.

    >>> recall([[True, False, True], [False, True, False]], [4, 1], k=2).tolist()
    [0.25, 1.0]
    """
    found = np.asarray(hits)[:, :k].sum(axis=1)
    total = np.asarray(relevant, np.float64)
    return np.where(total > 0, found / np.maximum(total, 1), math.nan)
