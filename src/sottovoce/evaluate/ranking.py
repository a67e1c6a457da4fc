"""Rank each person's held-out items with the person's own model.

An item is ranked among sampled candidates, or among all items that the person has in no part of the data.
Items are scored one by one; if scoring the whole table is faster, they are looked up there. Scores are
compared in single precision. For a model that depends on the person's place, the person is moved to the
place before each held-out item, and back at the end.
"""

import numpy as np

from sottovoce.evaluate.scoring import forget, forget_known
from sottovoce.kernels import driver, helper, prange
from sottovoce.metrics.hr import hit
from sottovoce.metrics.mrr import reciprocal
from sottovoce.metrics.ndcg import gain
from sottovoce.metrics.rank import lot, rank_by_lot
from sottovoce.models.interface import SCATTERED, score, score_all, score_some, uses_place
from sottovoce.state import opened, set_location


@helper
def _score_those(model, tables, people, person, drawn, scores):
    """Write the scores of the items `drawn` to `scores`, without negative entries; NaN fills the end."""
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
    """Write the rank of each held-out item among its candidates to `out`, as `metrics.rank` defines it.

    The held-out items of person p are `item[n]` for n from `indptr[p]` to `indptr[p + 1] − 1`, with the
    candidates `candidates[n]`; negative numbers are no candidates. `items` is the size of the catalogue.
    For models that depend on the place, `before[n]` is the person's place before, `gap[n]` seconds earlier.
    """
    for index in prange(len(slot_of)):
        person = np.int64(index)
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
                out[n] = rank_by_lot(scores[item[n]], rivals, lot(person, item[n]))
        else:
            for n in range(begin, end):
                if uses_place(model):
                    set_location(people, person, before[n], gap[n])
                _score_those(model, own, people, person, candidates[n], rivals)
                mine = np.float32(score(model, own, 0, people, person, item[n]))
                out[n] = rank_by_lot(mine, rivals, lot(person, item[n]))
        set_location(people, person, here, away)


@driver
def ranks_in_catalogue(model, tables, people, slot_of, items, indptr, item, before, gap, out):
    """Write the rank of each held-out item among all items that the person does not have to `out`."""
    for index in prange(len(slot_of)):
        person = np.int64(index)
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
                forget_known(rivals, people, person)
                forget(rivals, indptr, item, person)
            out[n] = rank_by_lot(own[n - begin], rivals, lot(person, item[n]))
        set_location(people, person, here, away)


@driver
def averages(indptr, ranks, ks, hr, ndcg, mrr):
    """Write the mean HR, NDCG and MRR of person p at `ks[i]` to `hr[i, p]` and so on.

    They are NaN for a person without held-out items.
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
