"""Item coverage: the share of the catalogue that at least one person is shown (Adomavicius and Kwon 2012).

    IC@K = |items among the first K of at least one person| / |catalogue|

FPL prints the number of items instead of the share (IC of Section 4.4, Anelli et al. 2020). This is
`items-covered`. Only items that somebody has in training can be recommended; under `temporal-holdout` they
are the catalogue.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper


@helper
def covered(count):
    """1 if an item is in at least one list, else 0. `count` is the number of lists it is in."""
    return 1.0 if count > 0 else 0.0


def item_coverage(counts: ArrayLike) -> float:
    """The share of items in at least one list. `counts` [items]: the number of lists each item is in.

    >>> item_coverage([3, 0, 1, 0])
    0.5
    """
    lists = np.asarray(counts)
    return float(np.mean(lists > 0)) if lists.size else math.nan


def items_covered(counts: ArrayLike) -> int:
    """The number of items in at least one list. `counts` is that of `item_coverage`.

    >>> items_covered([3, 0, 1, 0])
    2
    """
    return int(np.count_nonzero(np.asarray(counts) > 0))
