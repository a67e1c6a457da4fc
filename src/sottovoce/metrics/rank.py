"""The rank of a held-out item among its candidates; hit ratio and NDCG are functions of it.

Ties are broken against the item under test, so a model that scores everything alike is never
good. NaN is worse than any number: a held-out item without a score gets the rank `LAST`, which no
list is long enough to reach, and a candidate without a score stands behind the held-out item.
"""

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper

LAST = 2**31 - 1


@helper
def rank_among(score, rivals):
    """How many of the candidates' scores `rivals` stand before `score`; 0 is the first place."""
    if np.isnan(score):
        return LAST
    ahead = 0
    for n in range(len(rivals)):
        ahead += rivals[n] >= score
    return ahead


def rank(score: float, rivals: ArrayLike) -> int:
    """The rank of an item with this score among candidates with the scores `rivals`, from 0.

    >>> rank(0.5, [0.9, 0.5, 0.1])
    2
    """
    return int(rank_among(score, np.asarray(rivals)))
