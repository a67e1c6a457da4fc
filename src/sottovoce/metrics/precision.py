"""Precision: the share of a list that is relevant (Equation 6, Belal et al. 2022; van Rijsbergen 1979).

    P@K = |relevant items among the first K| / K

The missing places of a list shorter than K count as not relevant.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def share_of_list(found, k):
    """`found` relevant items as a share of a list of k."""
    return found / k


def precision(hits: ArrayLike, k: int) -> NDArray[np.float64]:
    """P@k of each person: [people]. `hits[person, n]`: whether place n of the list is relevant.

    >>> precision([[True, False, True], [False, False, False]], k=2).tolist()
    [0.5, 0.0]
    """
    return np.asarray(np.asarray(hits)[:, :k].sum(axis=1) / k, np.float64)
