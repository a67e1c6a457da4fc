"""One list for each person with held-out items, and metrics of these lists.

A list holds the best items of the catalogue without the person's training and weighting items; or the best
among the person's test items and the candidates of the first test item (as PEPPER ranks them for F1). Items
with equal scores are sorted by number, but test items come after all others, so that constant scores never
look good. All distinct test items of a person are relevant. A test item that is also a training or weighting
item counts as relevant, although no list over the catalogue can contain it.

For a model that depends on the person's place, the list is made at the place before the first test entry.
Among candidates, hits are then counted with one list per test item, made at the place before the item's
first entry: the item is a hit among the first k if it is there in its own list, and at most k hits count in
all. For other models all these lists are the same.
"""

import numpy as np

from sottovoce.data.sampling import search
from sottovoce.evaluate.recommend import select
from sottovoce.evaluate.scoring import forget_known
from sottovoce.kernels import driver, helper, prange
from sottovoce.metrics.f1 import harmonic
from sottovoce.metrics.gini import inequality
from sottovoce.metrics.item_coverage import covered
from sottovoce.metrics.popularity_bias import mean_popularity
from sottovoce.metrics.precision import share_of_list
from sottovoce.metrics.rank import rank_among
from sottovoce.metrics.recall import share_of_relevant
from sottovoce.metrics.top_pop_overlap import share_of_popular, threshold
from sottovoce.metrics.user_coverage import served
from sottovoce.models.interface import score, score_all, uses_place
from sottovoce.state import opened, set_location


@helper
def _best(scores, others, tests, item, hit):
    """Write the best items to `item` [n], and whether each is a test item to `hit` [n].

    `scores` [others + len(tests)] holds the scores of the items 0 to others − 1, then those of `tests`.
    """
    chosen = np.empty(len(item), np.float32)
    select(scores, item, chosen)
    for n in range(len(item)):
        hit[n] = item[n] >= others
        if hit[n]:
            item[n] = tests[item[n] - others]


@driver
def in_catalogue(
    model, tables, people, slot_of, items, indptr, tests, count, relevant, before, gap, item, hit
):
    """Write all lists over a catalogue of `items` items to `item` [people, n], and hits to `hit`.

    The distinct test items of person p are `tests[indptr[p] : indptr[p] + count[p]]`; `relevant[p]` counts
    those outside of the catalogue too, and people with none get no list. Before the first entry, p was at
    `before[indptr[p]]`, `gap[indptr[p]]` seconds earlier. −1 fills up short lists.
    """
    for index in prange(len(slot_of)):
        person = np.int64(index)
        item[person] = -1
        hit[person] = False
        if relevant[person] == 0:
            continue
        own = tests[indptr[person] : indptr[person] + count[person]]
        scores = np.empty(items + len(own), np.float32)
        here, away = people.here[person], people.away[person]
        if uses_place(model) and len(own) > 0:
            set_location(people, person, before[indptr[person]], gap[indptr[person]])
        score_all(model, opened(tables, slot_of[person]), 0, people, person, scores[:items])
        forget_known(scores, people, person)
        for n in range(len(own)):
            scores[items + n] = scores[own[n]]
            scores[own[n]] = np.nan
        _best(scores, items, own, item[person], hit[person])
        set_location(people, person, here, away)


@helper
def _rivals(drawn, own):
    """The candidates, sorted, with −1 for those among the test items `own`."""
    rivals = np.sort(drawn)
    for n in range(len(rivals)):
        at = search(own, 0, len(own), rivals[n])
        if at < len(own) and own[at] == rivals[n]:
            rivals[n] = -1
    return rivals


@helper
def _score_those(model, mine, people, person, items, scores):
    for n in range(len(items)):
        scores[n] = score(model, mine, 0, people, person, items[n]) if items[n] >= 0 else np.nan


@helper
def _found(scores, own, rivals, hit):
    """Add 1 to `hit` at the rank of test item number `own`.

    `scores` holds the scores of `rivals` other items, then those of the test items.
    """
    mine = scores[rivals + own]
    place = rank_among(mine, scores[:rivals])
    for n in range(len(scores) - rivals):
        other = scores[rivals + n]
        place += other > mine or (other == mine and n < own)
    if place < len(hit):
        hit[place] += 1


@helper
def _at_most_all(hit):
    """Move hits back so that at most k of them are among the first k."""
    total, found = 0, 0
    for n in range(len(hit)):
        total += hit[n]
        hit[n] = min(total, n + 1) - found
        found += hit[n]


@driver
def among_candidates(
    model, tables, people, slot_of, indptr, tests, count, held, before, gap, candidates, item, hit
):
    """The same as `in_catalogue`, for lists of a person's test items and the first one's candidates.

    The test entries of person p are `held[indptr[p] : indptr[p + 1]]`. Before entry n, p was at
    `before[n]`, `gap[n]` seconds earlier.
    """
    for index in prange(len(slot_of)):
        person = np.int64(index)
        item[person] = -1
        hit[person] = 0
        if count[person] == 0:
            continue
        begin = indptr[person]
        own = tests[begin : begin + count[person]]
        mine = opened(tables, slot_of[person])
        rivals = _rivals(candidates[begin], own)
        listed = np.concatenate((rivals, own))
        scores = np.empty(len(listed), np.float32)
        here, away = people.here[person], people.away[person]
        if uses_place(model):
            set_location(people, person, before[begin], gap[begin])
        _score_those(model, mine, people, person, listed, scores)
        _best(scores, len(rivals), own, item[person], hit[person])
        for n in range(item.shape[1]):
            if item[person, n] >= 0 and not hit[person, n]:
                item[person, n] = rivals[item[person, n]]
        if uses_place(model):
            hit[person] = 0
            for n in range(len(own)):
                entry = begin
                while held[entry] != own[n]:
                    entry += 1
                set_location(people, person, before[entry], gap[entry])
                _score_those(model, mine, people, person, listed, scores)
                _found(scores, n, len(rivals), hit[person])
            _at_most_all(hit[person])
        set_location(people, person, here, away)


@driver
def averages(item, hit, relevant, popularity, ks, precision, recall, f1, bias, coverage):
    """Write precision, recall, F1 and popularity bias of person p at `ks[i]` to `precision[i, p]` etc.

    `coverage[p]` gets 1 if the person has a list, else 0. All are NaN for a person without test items.
    """
    for person in prange(len(relevant)):
        there = relevant[person] > 0
        coverage[person] = served(item[person, 0] + 1) if there else np.nan
        for i in range(len(ks)):
            found = 0
            for n in range(ks[i]):
                found += hit[person, n]
            p, r = share_of_list(found, ks[i]), share_of_relevant(found, relevant[person])
            precision[i, person] = p if there else np.nan
            recall[i, person] = r
            f1[i, person] = harmonic(p, r) if there else np.nan
            bias[i, person] = mean_popularity(item[person], popularity, ks[i])


@driver
def overlaps(people, relevant, item, popularity, order, ks, overlap):
    """Write the overlap of person p's list with popularity at `ks[i]` to `overlap[i, p]`.

    `order` [items] has the most popular items first. NaN for a person without test items or without a list.
    """
    for person in prange(len(relevant)):
        overlap[:, person] = np.nan
        if relevant[person] == 0 or item[person, 0] < 0:
            continue
        known = np.zeros(len(order), np.bool_)
        for n in range(people.indptr[person], people.indptr[person + 1]):
            known[people.item[n]] = True
        for n in range(people.weighting_indptr[person], people.weighting_indptr[person + 1]):
            known[people.weighting_item[n]] = True
        for i in range(len(ks)):
            least = threshold(popularity, order, known, ks[i])
            overlap[i, person] = share_of_popular(item[person], popularity, least, ks[i])


@driver
def spread(item, ks, counts, coverage, gini):
    """Write how often each item is among the first `ks[i]` to `counts[i]` [items], with coverage and Gini."""
    for i in prange(len(ks)):
        counts[i] = 0
        for person in range(len(item)):
            for n in range(ks[i]):
                if item[person, n] >= 0:
                    counts[i, item[person, n]] += 1
        kept = 0.0
        for j in range(counts.shape[1]):
            kept += covered(counts[i, j])
        coverage[i] = kept / counts.shape[1]
        gini[i] = inequality(np.sort(counts[i]))
