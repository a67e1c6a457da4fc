"""Gini: how unequally recommendations fall on the items of the catalogue (Gini 1912).

    Gini = Σ_k (2k − n − 1) x_k / (n Σ x)        x_1 ≤ … ≤ x_n, how often each of n items is recommended

0 if all items are recommended equally often, 1 − 1/n if only one is. FPL reports its complement,
the evenness, "a higher value corresponds to higher personalization" (G of Section 4.4, Anelli et
al. 2020), in the form that divides by n − 1 and so lies between 0 and 1 (Castells, Hurley, Vargas,
*Recommender Systems Handbook*, 2nd ed. 2015, Chapter 26):

    evenness = 1 − n / (n − 1) · Gini

Its Table 2 shows which form it is: with lists of ten, no item has more than a tenth of all
recommendations, so the form that divides by n cannot be less than 10/n, which is 0.00039 for the
25,522 venues of Italy; for Top-Pop it has 0.00035, and 9/(n − 1) is just that.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper


@helper
def inequality(ordered):
    """The Gini coefficient of counts that ascend; NaN if all are zero."""
    total, weighted, n = 0.0, 0.0, len(ordered)
    for k in range(n):
        total += ordered[k]
        weighted += (2.0 * (k + 1) - n - 1.0) * ordered[k]
    return weighted / (n * total) if total > 0 else math.nan


def gini(counts: ArrayLike) -> float:
    """The Gini coefficient, given how often each item of the catalogue is recommended.

    >>> gini([4, 1, 3, 2])
    0.25
    """
    ordered = np.sort(np.asarray(counts, np.float64))
    n, total = len(ordered), ordered.sum()
    weights = 2.0 * np.arange(1, n + 1) - n - 1
    return float(weights @ ordered / (n * total)) if total > 0 else math.nan


def evenness(counts: ArrayLike) -> float:
    """1 − Gini as FPL reports it: 1 if all items are recommended equally often, 0 if only one is.

    >>> evenness([0, 0, 7]), evenness([2, 2, 2])
    (0.0, 1.0)
    """
    n = np.asarray(counts).size
    return 1.0 - gini(counts) * n / (n - 1) if n > 1 else math.nan
