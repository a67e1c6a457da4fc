"""Gini: how unequally recommendations are distributed over the catalogue (Gini 1912).

    Gini = Σ_k (2k − n − 1) x_k / (n Σ x)        x_1 ≤ … ≤ x_n: how often each of n items is recommended

Gini is 0 if all items are recommended equally often, and 1 − 1/n if only one item is recommended. FPL
reports the complement, the evenness: "a higher value corresponds to higher personalization" (G of
Section 4.4, Anelli et al. 2020). It uses the form with n − 1, which lies between 0 and 1 (Castells,
Hurley, Vargas, *Recommender Systems Handbook*, 2nd ed. 2015, Chapter 26):

    evenness = 1 − n / (n − 1) · Gini

Table 2 of FPL shows that it is this form. With lists of ten, no item gets more than a tenth of all
recommendations. The form with n is then at least 10/n, which is 0.00039 for the 25,522 venues of Italy.
The table has 0.00035 for Top-Pop, which is 9/(n − 1).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper


@helper
def inequality(ordered):
    """The Gini coefficient of `ordered` [items], counts in ascending order; NaN if all are 0."""
    total, weighted, n = 0.0, 0.0, len(ordered)
    for k in range(n):
        total += ordered[k]
        weighted += (2.0 * (k + 1) - n - 1.0) * ordered[k]
    return weighted / (n * total) if total > 0 else math.nan


def gini(counts: ArrayLike) -> float:
    """The Gini coefficient of `counts` [items]: how often each item is recommended. NaN if all are 0.

    >>> gini([4, 1, 3, 2])
    0.25
    """
    ordered = np.sort(np.asarray(counts, np.float64))
    n, total = len(ordered), ordered.sum()
    weights = 2.0 * np.arange(1, n + 1) - n - 1
    return float(weights @ ordered / (n * total)) if total > 0 else math.nan


def evenness(counts: ArrayLike) -> float:
    """Evenness as FPL reports it: 1 if all items are recommended equally often, 0 if only one is.

    >>> evenness([0, 0, 7]), evenness([2, 2, 2])
    (0.0, 1.0)
    """
    n = np.asarray(counts).size
    return 1.0 - gini(counts) * n / (n - 1) if n > 1 else math.nan
