"""The rank of a held-out item among its candidates. HR, NDCG and MRR are computed from it.

Among equal scores a lot decides. Popularity gives many items of a sparse catalogue the same score, and other
methods order them by chance: if ties counted against the item under test, methods without ties would look
better although they know nothing more. A model that gives all items the same score is as good as chance. The
lot is drawn for each person and item, and is the same for all methods.

NaN is worse than any number. A held-out item whose score is NaN gets the rank `LAST`, which is beyond the
end of any list. A candidate whose score is NaN comes after the held-out item.
"""

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import LOTS, helper, inlined, stream, uniform

LAST = 2**31 - 1


@helper
def rank_among(score, rivals):
    """The number of candidates that come before `score`, all equal ones included.

    `rivals` [candidates] are their scores.
    """
    if np.isnan(score):
        return LAST
    ahead = 0
    for n in range(len(rivals)):
        ahead += rivals[n] >= score
    return ahead


@inlined
def lot(person, item):
    """The lot of a person's held-out item: from 0 (before all with an equal score) to 1 (behind them)."""
    return uniform(stream(0, LOTS, person, 0), item)


@helper
def rank_by_lot(score, rivals, lot):
    """The number of candidates that come before `score`; the `lot` decides which equal ones do."""
    if np.isnan(score):
        return LAST
    ahead, equal = 0, 0
    for n in range(len(rivals)):
        ahead += rivals[n] > score
        equal += rivals[n] == score
    return ahead + min(int(lot * (equal + 1)), equal)


def rank(score: float, rivals: ArrayLike, lot: float = 1.0) -> int:
    """The rank of an item with this score; 0 is the first place. `rivals`: the candidates' scores.

    The `lot`, from 0 to 1, decides how many of those with the same score come before: by default all.

    >>> rank(0.5, [0.9, 0.5, 0.1])
    2
    >>> rank(0.5, [0.9, 0.5, 0.1], lot=0.3)
    1
    """
    return int(rank_by_lot(score, np.asarray(rivals), lot))
