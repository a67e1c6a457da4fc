"""Normalized discounted cumulative gain of one held-out item (Equation 5, Belal et al. 2022).

    NDCG@K(p) = log 2 / log(p + 2) if p < K, else 0

with p the item's rank among its candidates, from 0. With a single relevant item the ideal gain is
1, so the discount of its place is already normalized (Järvelin and Kekäläinen 2002).
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def gain(rank, k):
    """The discounted gain of an item at this rank in a list of k."""
    return math.log(2.0) / math.log(rank + 2.0) if rank < k else 0.0


def ndcg(ranks: ArrayLike, k: int) -> NDArray[np.float64]:
    """NDCG@k of each held-out item, given the items' ranks.

    >>> ndcg([0, 2, 5], k=5).tolist()
    [1.0, 0.5, 0.0]
    """
    places = np.asarray(ranks, np.float64)
    return np.where(places < k, math.log(2.0) / np.log(places + 2.0), 0.0)
