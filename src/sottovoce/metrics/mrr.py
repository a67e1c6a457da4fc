"""Mean reciprocal rank of held-out items (Voorhees, TREC-8 1999), cut off at K.

    MRR@K(p) = 1 / (p + 1) if p < K, else 0

p is the item's rank among its candidates; the first place is 0. The mean over items is the MRR.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def reciprocal(rank, k):
    """1 / (rank + 1) if the item is among the first k, else 0."""
    return 1.0 / (rank + 1.0) if rank < k else 0.0


def mrr(ranks: ArrayLike, k: int) -> NDArray[np.float64]:
    """MRR@k of each held-out item, given the items' ranks: [items].

    >>> mrr([0, 3, 5], k=5).tolist()
    [1.0, 0.25, 0.0]
    """
    places = np.asarray(ranks, np.float64)
    return np.where(places < k, 1.0 / (places + 1.0), 0.0)
