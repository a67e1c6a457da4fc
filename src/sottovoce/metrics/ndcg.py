"""Normalized discounted cumulative gain of one held-out item (Equation 5, Belal et al. 2022).

    NDCG@K(p) = log 2 / log(p + 2) if p < K, else 0

p is the item's rank among its candidates; the first place is 0. With one relevant item the ideal gain
is 1, so the discounted gain needs no further normalization (Järvelin and Kekäläinen 2002).
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def gain(rank, k):
    """The discounted gain of an item at this rank; 0 if it is not among the first k."""
    return math.log(2.0) / math.log(rank + 2.0) if rank < k else 0.0


def ndcg(ranks: ArrayLike, k: int) -> NDArray[np.float64]:
    """NDCG@k of each held-out item, given the items' ranks: [items].

    >>> ndcg([0, 2, 5], k=5).tolist()
    [1.0, 0.5, 0.0]
    """
    places = np.asarray(ranks, np.float64)
    return np.where(places < k, math.log(2.0) / np.log(places + 2.0), 0.0)
