"""F1: the harmonic mean of precision and recall (Equation 8, Belal et al. 2022; van Rijsbergen 1979).

    F1@K = 2 P@K R@K / (P@K + R@K)

of each person, or 0 where both are 0. `f1` takes the list that `precision` and `recall` take.
`f1-list` is always that of PEPPER: a person's test items and the candidates of the first of them
in one list. (With one test item per list, as for HR, F1@20 could not pass 2/21.)
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper
from sottovoce.metrics.precision import precision
from sottovoce.metrics.recall import recall


@helper
def harmonic(precision, recall):
    """The harmonic mean of the two; 0 if both are."""
    total = precision + recall
    return 0.0 if total == 0.0 else 2.0 * precision * recall / total


def f1(hits: ArrayLike, relevant: ArrayLike, k: int) -> NDArray[np.float64]:
    """F1@k of each person, given what `recall` is given.

    >>> f1([[True, False]], [1], k=2).round(4).tolist()
    [0.6667]
    """
    p, r = precision(hits, k), recall(hits, relevant, k)
    return np.divide(2.0 * p * r, p + r, out=np.zeros(len(p)), where=p + r != 0)
