"""Mean reciprocal rank of held-out items (Voorhees, TREC-8 1999), cut off at K.

    MRR@K(p) = 1 / (p + 1) if p < K, else 0

with p the item's rank among its candidates, from 0. The mean over items is the MRR.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def reciprocal(rank, k):
    """One over the place, from 1, of an item at this rank in a list of k."""
    return 1.0 / (rank + 1.0) if rank < k else 0.0


def mrr(ranks: ArrayLike, k: int) -> NDArray[np.float64]:
    """The reciprocal rank of each held-out item, given the items' ranks.

    >>> mrr([0, 3, 5], k=5).tolist()
    [1.0, 0.25, 0.0]
    """
    places = np.asarray(ranks, np.float64)
    return np.where(places < k, 1.0 / (places + 1.0), 0.0)
