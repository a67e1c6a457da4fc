"""Hit ratio: is the held-out item among the first K? (HR@r of Equation 4, Belal et al. 2022.)

    HR@K(p) = 1 if p < K, else 0

p is the item's rank among its candidates; the first place is 0.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def hit(rank, k):
    """1 if an item at this rank is among the first k, else 0."""
    return 1.0 if rank < k else 0.0


def hr(ranks: ArrayLike, k: int) -> NDArray[np.float64]:
    """HR@k of each held-out item, given the items' ranks: [items]. The mean is the hit ratio.

    >>> hr([0, 4, 5], k=5).tolist()
    [1.0, 1.0, 0.0]
    """
    return np.where(np.asarray(ranks) < k, 1.0, 0.0)
