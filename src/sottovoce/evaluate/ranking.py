"""Rank every person's held-out items among rivals, each with the person's own model.

The rivals are sampled candidates or the whole catalogue: then, just as candidates are, all items that
the person has met in no part of the data. A person's held-out items and candidates are scored one
by one, or, where that would take longer, looked up in the scores of the whole table. Scores are
compared in single precision. For a model that looks at where a person is, the person stands in turn
where each held-out item was gone to from, and then goes back.
"""

import numpy as np

from sottovoce.kernels import driver, helper, prange
from sottovoce.metrics.hr import hit
from sottovoce.metrics.mrr import reciprocal
from sottovoce.metrics.ndcg import gain
from sottovoce.metrics.rank import rank_among
from sottovoce.models.interface import SCATTERED, score, score_all, score_some, uses_place
from sottovoce.state import opened, set_location


@helper
def _score_those(model, tables, people, person, drawn, scores):
    """Write the score of each item into `scores`; NaN, which stands before nothing, where there is none."""
    items = np.empty(len(drawn), np.int32)
    count = 0
    for n in range(len(drawn)):
        if drawn[n] >= 0:
            items[count] = drawn[n]
            count += 1
    score_some(model, tables, 0, people, person, items[:count], scores[:count])
    scores[count:] = np.nan


@driver
def ranks(model, tables, people, slot_of, items, indptr, item, before, gap, candidates, out):
    """Write the rank of each held-out item among its candidates into `out`, as `metrics.rank` defines it.

    Person p holds out `item[n]` for n from `indptr[p]` to `indptr[p + 1]`, each with the candidates
    `candidates[n]`, where −1, or any negative number, is no candidate. `items` is the size of the catalogue.
    `before[n]` is where the person was before, `gap[n]` for how many seconds, for models that look at it.
    """
    for person in prange(len(slot_of)):
        begin, end = indptr[person], indptr[person + 1]
        if begin == end:
            continue
        own = opened(tables, slot_of[person])
        count = candidates.shape[1]
        rivals = np.empty(count, np.float32)
        here, away = people.here[person], people.away[person]
        if not uses_place(model) and (end - begin) * (count + 1) * SCATTERED > items:
            scores = np.empty(items, np.float32)
            score_all(model, own, 0, people, person, scores)
            for n in range(begin, end):
                for c in range(count):
                    rivals[c] = scores[candidates[n, c]] if candidates[n, c] >= 0 else np.nan
                out[n] = rank_among(scores[item[n]], rivals)
        else:
            for n in range(begin, end):
                if uses_place(model):
                    set_location(people, person, before[n], gap[n])
                _score_those(model, own, people, person, candidates[n], rivals)
                out[n] = rank_among(np.float32(score(model, own, 0, people, person, item[n])), rivals)
        set_location(people, person, here, away)


@helper
def _forget(scores, indptr, item, person):
    """Leave a person's items out of the rivals: NaN stands before nothing."""
    for n in range(indptr[person], indptr[person + 1]):
        scores[item[n]] = np.nan


@driver
def ranks_in_catalogue(model, tables, people, slot_of, items, indptr, item, before, gap, out):
    """Write the rank of each held-out item among all items that the person has not met into `out`."""
    for person in prange(len(slot_of)):
        begin, end = indptr[person], indptr[person + 1]
        if begin == end:
            continue
        rivals, own = np.empty(items, np.float32), np.empty(end - begin, np.float32)
        here, away = people.here[person], people.away[person]
        for n in range(begin, end):
            if uses_place(model):
                set_location(people, person, before[n], gap[n])
            if n == begin or uses_place(model):
                score_all(model, opened(tables, slot_of[person]), 0, people, person, rivals)
                for m in range(begin, end):
                    own[m - begin] = rivals[item[m]]
                _forget(rivals, people.indptr, people.item, person)
                _forget(rivals, people.weighting_indptr, people.weighting_item, person)
                _forget(rivals, indptr, item, person)
            out[n] = rank_among(own[n - begin], rivals)
        set_location(people, person, here, away)


@driver
def averages(indptr, ranks, ks, hr, ndcg, mrr):
    """Write the mean HR, NDCG and MRR at `ks[i]` of person p's ranks into `hr[i, p]` and so on.

    NaN for a person with nothing held out.
    """
    for person in prange(len(indptr) - 1):
        begin, end = indptr[person], indptr[person + 1]
        for i in range(len(ks)):
            hits, gains, places = 0.0, 0.0, 0.0
            for n in range(begin, end):
                hits += hit(ranks[n], ks[i])
                gains += gain(ranks[n], ks[i])
                places += reciprocal(ranks[n], ks[i])
            hr[i, person] = hits / (end - begin) if end > begin else np.nan
            ndcg[i, person] = gains / (end - begin) if end > begin else np.nan
            mrr[i, person] = places / (end - begin) if end > begin else np.nan
