"""Popularity bias: how popular what is recommended already is (ARP of Yin et al., PVLDB 5(9), 2012).

    ARP@K = mean over a person's first K of φ(i),   φ(i) the share of people who have item i in training

the average recommendation popularity; here φ is a share and not a number of people, so that
communities of different sizes can be compared.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def mean_popularity(items, popularity, k):
    """The mean popularity of the first k items of a list; it ends at −1. NaN if it is empty."""
    total, count = 0.0, 0
    for n in range(min(k, len(items))):
        if items[n] < 0:
            break
        total += popularity[items[n]]
        count += 1
    return total / count if count else math.nan


def popularity_bias(lists: ArrayLike, popularity: ArrayLike, k: int) -> NDArray[np.float64]:
    """ARP@k of each person, given everybody's list of items and each item's popularity.

    >>> popularity_bias([[0, 2], [1, -1]], [0.5, 0.25, 0.0], k=2).tolist()
    [0.25, 0.25]
    """
    items = np.asarray(lists)[:, :k]
    there = items >= 0
    sums = np.where(there, np.asarray(popularity, np.float64)[items], 0.0).sum(axis=1)
    counts = there.sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
