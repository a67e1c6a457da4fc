"""Precision: how much of a list of K is relevant (Equation 6, Belal et al. 2022; van Rijsbergen 1979).

    P@K = |relevant items among the first K| / K

A list that is shorter than K counts as if it were filled up with what is not relevant.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def share_of_list(found, k):
    """The share that `found` relevant items have of a list of k."""
    return found / k


def precision(hits: ArrayLike, k: int) -> NDArray[np.float64]:
    """P@k of each person; `hits[person, n]` says whether place n of the person's list is relevant.

    >>> precision([[True, False, True], [False, False, False]], k=2).tolist()
    [0.5, 0.0]
    """
    return np.asarray(np.asarray(hits)[:, :k].sum(axis=1) / k, np.float64)
