"""F1: the harmonic mean of precision and recall (Equation 8, Belal et al. 2022; van Rijsbergen 1979).

    F1@K = 2 P@K R@K / (P@K + R@K)

It is computed for each person, and is 0 if both are 0. `f1` uses the same list as `precision` and
`recall`. `f1-list` always uses the list of PEPPER: all test items of a person together with the
candidates of the first one. (With one test item per list, as for HR, F1@20 could not exceed 2/21.)

`f1-of-means` is the harmonic mean of the mean precision and the mean recall of all people, as in Figure 2 of
Anelli et al. 2020. It is at least the mean of people's F1, because the harmonic mean is concave.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper
from sottovoce.metrics.precision import precision
from sottovoce.metrics.recall import recall


@helper
def harmonic(precision, recall):
    """The harmonic mean of two numbers; 0 if both are 0."""
    total = precision + recall
    return 0.0 if total == 0.0 else 2.0 * precision * recall / total


def f1(hits: ArrayLike, relevant: ArrayLike, k: int) -> NDArray[np.float64]:
    """F1@k of each person: [people]. The arguments are those of `recall`.

    >>> f1([[True, False]], [1], k=2).round(4).tolist()
    [0.6667]
    """
    p, r = precision(hits, k), recall(hits, relevant, k)
    return np.divide(2.0 * p * r, p + r, out=np.zeros(len(p)), where=p + r != 0)


def f1_of_means(precision: ArrayLike, recall: ArrayLike) -> float:
    """The harmonic mean of the mean precision and the mean recall; both are [people], without NaN.

    >>> f1_of_means([1.0, 0.0], [0.0, 1.0])
    0.5
    """
    p, r = np.asarray(precision, np.float64), np.asarray(recall, np.float64)
    return float(harmonic(p.mean(), r.mean()))
