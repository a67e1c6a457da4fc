"""Item coverage: the share of the catalogue that is recommended to anybody (Adomavicius and Kwon 2012).

    IC@K = |items in somebody's first K| / |catalogue|

FPL prints the number of items (IC of Section 4.4, Anelli et al. 2020), which is this times the
size of the catalogue.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper


@helper
def covered(count):
    """1 if an item that stands in `count` lists is covered, else 0."""
    return 1.0 if count > 0 else 0.0


def item_coverage(counts: ArrayLike) -> float:
    """The share of items that are in a list, given in how many lists each item of the catalogue is.

    >>> item_coverage([3, 0, 1, 0])
    0.5
    """
    lists = np.asarray(counts)
    return float(np.mean(lists > 0)) if lists.size else math.nan
