"""Popularity bias: how popular the recommended items are (ARP of Yin et al., PVLDB 5(9), 2012).

    ARP@K = mean of φ(i) over a person's first K items,   φ(i): the share of people with item i in training

ARP stands for average recommendation popularity. Here φ is a share of people, not a number, so that
communities of different sizes can be compared.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def mean_popularity(items, popularity, k):
    """The mean popularity of the first k of `items`. A −1 ends the list. NaN if it is empty."""
    total, count = 0.0, 0
    for n in range(min(k, len(items))):
        if items[n] < 0:
            break
        total += popularity[items[n]]
        count += 1
    return total / count if count else math.nan


def popularity_bias(lists: ArrayLike, popularity: ArrayLike, k: int) -> NDArray[np.float64]:
    """ARP@k of each person: [people].

    `lists` [people, length] holds item numbers, and −1 after the end of a list; `popularity` is [items].

    >>> popularity_bias([[0, 2], [1, -1]], [0.5, 0.25, 0.0], k=2).tolist()
    [0.25, 0.25]
    """
    items = np.asarray(lists)[:, :k]
    there = items >= 0
    sums = np.where(there, np.asarray(popularity, np.float64)[items], 0.0).sum(axis=1)
    counts = there.sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
