"""Settings that a community chooses without a centre: judged on weighting sets, averaged like all else.

Everybody measures on the own weighting set, which nobody trains on, how a few candidates rank its items:
the private vector solved with twice and with half the weight α of unobserved items, with twice and with half
the regularization λ, and a few weights of popularity in the score. A measurement is a number, NDCG@10 among
the weighting set's candidates. It is added to what the person contributes, so that every way of summing
statistics gives everybody its mean over people. Then α and λ move on a scale of octaves (factors of two),

    log₂ λ += pace · r,   r = (λ doubled − λ halved) / (0.02 q),
    log₂ α += pace · (1 − |r|) · 3 (α doubled − α halved) / (0.02 q),

both cut off at ±1, where q is the best mean NDCG. A small difference moves them a little, so that nodes whose
means differ slightly nearly agree. Candidates change the private vector alone, not the items' vectors. That
shows the right direction for λ. For α it does so only where λ is right, because for one vector more of the
one does what less of the other does. So α waits for λ.

The numbers stand in the head, one after the other: log₂ of the factors of α and λ, what doubling in place of
halving adds for α and for λ, and NDCG for each weight of popularity. People contribute the factors that
they used, and all go on from their mean.
"""

import numpy as np

from sottovoce.kernels import dot, helper, inlined, to_float32
from sottovoce.metrics.ndcg import gain
from sottovoce.metrics.rank import lot, rank_by_lot
from sottovoce.state import width

POPULARITY = np.array([0, 1 / 4, 1, 4, 16, 64], np.float32)
"""The weights that the weight of popularity is chosen from."""
ALIKE = np.float32(0.0025)
"""Weights of popularity are as good as the best if their NDCG is less than this share below it."""
USUAL = np.float32(1)
"""The weight of popularity where nobody judges."""
SETTINGS = 2
"""How many settings move: α and λ."""
SCORES = 4
"""Where NDCG begins, after the factors of α and λ and what doubling them adds."""
CHOSEN = SCORES + len(POPULARITY)
"""How many numbers of the head belong to these choices."""
CANDIDATES = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], np.float64)
"""Octaves by which the candidates' α and λ differ from those in use; the first has none."""
JUDGED, FIRST = 10, 10
"""How many items of a weighting set are ranked, and the length of lists."""
FULL, EAGER, WIDEST = 0.02, 3.0, 6.0
"""The part of NDCG that makes a full step, how much further α goes, and the most octaves from the start."""


@inlined
def _bounded(value, most):
    return min(max(value, -most), most)


@helper
def popularity(chosen):
    """The weight of popularity that serves the community best; of weights that are as good, the largest.

    People with few items often have no weighting set. They do not judge, and need popularity most.
    """
    best, found = np.float32(0), USUAL
    for w in range(len(POPULARITY)):
        best = max(best, chosen[SCORES + w])
    for w in range(len(POPULARITY)):
        if best > 0 and chosen[SCORES + w] >= (1 - ALIKE) * best:
            found = POPULARITY[w]
    return found


@helper
def move(chosen, total, weight, pace, both):
    """Replace what is `chosen` by the mean of contributions, and move λ, and α if `both` is 1.

    Where nobody measured anything, NDCG stays as it was: it tells which weight of popularity was the best.
    """
    best = 0.0
    for d in range(SCORES, CHOSEN):
        best = max(best, float(np.float32(total[d] / weight)))
    for d in range(CHOSEN if best > 0 else SCORES):
        chosen[d] = total[d] / weight
    if best > 0:
        ridge = _bounded(chosen[3] / (FULL * best), 1.0)
        share = _bounded(EAGER * chosen[2] / (FULL * best), 1.0) * (1 - abs(ridge))
        chosen[0] = _bounded(chosen[0] + pace * share * both, WIDEST)
        chosen[1] = _bounded(chosen[1] + pace * ridge, WIDEST)


@helper
def _gain(taste, popular, v, weight, scores, lot):
    """NDCG of the last item among the others: scores are taste[v] + weight · popular.

    `scores` [candidates] is memory for those of the others. Among equal ones the `lot` decides, as in tests.
    """
    last = len(scores)
    for c in range(last):
        scores[c] = taste[v, c] + weight * popular[c]
    return gain(rank_by_lot(taste[v, last] + weight * popular[last], scores, lot), FIRST)


@helper
def judge(vectors, few, weight, tables, slot, wanted, rivals, key, contribution):
    """Add what the person with this `key` measures on the items `wanted` [n] to the `contribution` [CHOSEN].

    Each of the first `JUDGED` is ranked among its `rivals` [n, C]; -1: no rival. `vectors` [v, k] are solved
    with the first v candidates' settings. The score of an item adds its last number times `few` times the
    weight of popularity, which is `weight` where candidates are compared.
    """
    judged = min(len(wanted), JUDGED)
    if judged == 0 or rivals.shape[1] == 0:
        return
    count, k, each = rivals.shape[1], vectors.shape[1], 1.0 / judged
    taste, popular = np.empty((len(vectors), count + 1), np.float32), np.empty(count + 1, np.float32)
    y, scores = np.empty(k, np.float32), np.empty(count, np.float32)
    for n in range(judged):
        own = lot(key, wanted[n])
        for c in range(count + 1):
            item = wanted[n] if c == count else rivals[n, c]
            at = tables.offset[slot] + max(item, 0)
            for d in range(k):
                y[d] = to_float32(tables.rows[at, d])
            popular[c] = few * to_float32(tables.rows[at, width(tables) - 1])
            for v in range(len(vectors)):
                taste[v, c] = dot(vectors[v], y, k) if item >= 0 else np.float32(-np.inf)
        if len(vectors) == len(CANDIDATES):
            for d in range(2):
                doubled, halved = 1 + 2 * d, 2 + 2 * d
                contribution[2 + d] += each * _gain(taste, popular, doubled, weight, scores, own)
                contribution[2 + d] -= each * _gain(taste, popular, halved, weight, scores, own)
        for w in range(len(POPULARITY)):
            contribution[SCORES + w] += each * _gain(taste, popular, 0, POPULARITY[w], scores, own)
