"""The rank of a held-out item among its candidates. HR, NDCG and MRR are computed from it.

Ties count against the held-out item, so a model that gives all items the same score is never good. NaN
is worse than any number. A held-out item whose score is NaN gets the rank `LAST`, which is beyond the
end of any list. A candidate whose score is NaN comes after the held-out item.
"""

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper

LAST = 2**31 - 1


@helper
def rank_among(score, rivals):
    """The number of candidates that come before `score`. `rivals` [candidates] are their scores."""
    if np.isnan(score):
        return LAST
    ahead = 0
    for n in range(len(rivals)):
        ahead += rivals[n] >= score
    return ahead


def rank(score: float, rivals: ArrayLike) -> int:
    """The rank of an item with this score; 0 is the first place. `rivals`: the candidates' scores.

    >>> rank(0.5, [0.9, 0.5, 0.1])
    2
    """
    return int(rank_among(score, np.asarray(rivals)))
