"""User coverage: the share of people who get recommendations (Section 8.3, Gunawardana and Shani 2015).

    UC = |people with at least one recommendation| / |people|

People without a list have precision and recall 0. The mean over people with a list is therefore the
mean over all people divided by UC: `precision-of-served` and `recall-of-served`. (FPL's VAE covered 14 % of
the people of its Italian data, and Table 2 of Anelli et al. 2020 has the means over these.)
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper


@helper
def served(length):
    """1 if a list of this length has an entry, else 0."""
    return 1.0 if length > 0 else 0.0


def user_coverage(lengths: ArrayLike) -> float:
    """The share of people with a list. `lengths` [people]: the length of each person's list.

    >>> user_coverage([10, 0, 3, 10])
    0.75
    """
    lists = np.asarray(lengths)
    return float(np.mean(lists > 0)) if lists.size else math.nan


def mean_of_served(values: ArrayLike, lengths: ArrayLike) -> float:
    """The mean of `values` [people] over people with a list; NaN if nobody has one.

    >>> mean_of_served([0.2, 0.0, 0.4], [10, 0, 10]) == (0.2 + 0.4) / 2
    True
    """
    own = np.asarray(values, np.float64)[np.asarray(lengths) > 0]
    return float(own.mean()) if len(own) else math.nan
