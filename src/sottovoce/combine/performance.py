"""Weigh models by how well they serve the receiver (Algorithm 2, Belal et al. 2022).

    M ← (P M + P̃ M̃) / (P + P̃)

with P and P̃ the quality of the receiver's model M and of the incoming M̃ on the receiver's weighting set (a
validation set, which `local-holdout` sets aside). Both are used with the receiver's private vector. Every
weighting item is ranked among its candidates, which are random items that the person has not met. A model
that needs to know where a person is ranks each item from where the person was before it. If both qualities
are 0, the receiver keeps its model. A person with fewer than two weighting items takes the plain mean, as
the authors' code does.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.combine.interface import merge_statistic, weight
from sottovoce.disclosure import NOTHING, Disclosure, discloses
from sottovoce.kernels import helper
from sottovoce.metrics.f1 import harmonic
from sottovoce.metrics.hr import hit
from sottovoce.metrics.ndcg import gain
from sottovoce.metrics.rank import rank_among
from sottovoce.models.interface import SCATTERED, score, score_all, score_some, uses_place
from sottovoce.registry import component
from sottovoce.state import opened, set_location

FEWEST = 2
"""The fewest weighting items with which models are judged."""


@component("merge", "performance", needs="quality")
class Performance(NamedTuple):
    """Weigh each model by its quality for the receiver."""

    metric: Literal["hr", "ndcg", "hr*ndcg", "f1"] = "hr"
    """How quality is measured. HR@k and NDCG@k rank each weighting item among its own candidates; F1@k ranks
    all of them, with the candidates of the first, in one list. The authors' code multiplies HR and NDCG."""
    k: Annotated[int, Ge(1)] = 20
    """The length of a list."""


@discloses.rule(Performance)
def _discloses(component: Performance) -> tuple[Disclosure, ...]:
    reveals = "Models are judged on the receiver's own device, and no judgement leaves it."
    return (Disclosure(NOTHING, "nobody", reveals),)


@helper
def _go_back(people, person, n):
    """Put a person where the person was before weighting item `n`."""
    set_location(people, person, people.weighting_before[n], people.weighting_gap[n])


@helper
def _count(candidates, n):
    """How many candidates weighting item `n` has; in a small catalogue its row [C] is filled up with -1."""
    count = candidates.shape[1]
    while count > 0 and candidates[n, count - 1] < 0:
        count -= 1
    return count


@helper
def _looked_up(rule, everything, weighting, candidates, begin, end):
    """The sums of HR and NDCG over weighting items `begin` to `end`, given `everything`, all scores [items].

    It takes single arrays, not people: counting references to all arrays of people, for every item, would
    take as long as all the rest.
    """
    rivals, hits, gains = np.empty(candidates.shape[1], np.float32), 0.0, 0.0
    for n in range(begin, end):
        count = _count(candidates, n)
        for c in range(count):
            rivals[c] = everything[np.uint32(candidates[n, c])]
        place = rank_among(everything[weighting[n]], rivals[:count])
        hits += hit(place, rule.k)
        gains += gain(place, rule.k)
    return hits, gains


@helper
def _rivals(model, own, people, person, n):
    """The scores of the candidates that weighting item `n` is ranked among."""
    scores = np.empty(_count(people.weighting_candidates, n), np.float32)
    score_some(model, own, 0, people, person, people.weighting_candidates[n, : len(scores)], scores)
    return scores


@helper
def _scored(rule, model, own, people, person, begin, end):
    """The same sums, where only weighting items and candidates are scored.

    A model that needs places scores each item from where the person was before it.
    """
    items, scores, hits, gains = people.weighting_item[begin:end], np.empty(end - begin, np.float32), 0.0, 0.0
    if not uses_place(model):
        score_some(model, own, 0, people, person, items, scores)
    for n in range(len(items)):
        if uses_place(model):
            _go_back(people, person, begin + n)
            scores[n] = score(model, own, 0, people, person, items[n])
        place = rank_among(scores[n], _rivals(model, own, people, person, begin + n))
        hits += hit(place, rule.k)
        gains += gain(place, rule.k)
    return hits, gains


@helper
def _ranked(rule, model, own, people, person, begin, end):
    """The mean HR and NDCG over weighting items `begin` to `end`, each ranked among its own candidates."""
    items, weighting, candidates = len(own.age), people.weighting_item, people.weighting_candidates
    if not uses_place(model) and (end - begin) * candidates.shape[1] * SCATTERED > items:
        everything = np.empty(items, np.float32)
        score_all(model, own, 0, people, person, everything)
        hits, gains = _looked_up(rule, everything, weighting, candidates, begin, end)
    else:
        hits, gains = _scored(rule, model, own, people, person, begin, end)
    return hits / (end - begin), gains / (end - begin)


@helper
def _firsts(items):
    """The places at which each distinct item comes up first."""
    found, count = np.empty(len(items), np.int64), 0
    for n in range(len(items)):
        m = 0
        while m < count and items[found[m]] != items[n]:
            m += 1
        if m == count:
            found[count] = n
            count += 1
    return found[:count]


@helper
def _listed(rule, model, own, people, person, begin, end):
    """F1 of one list of all weighting items and the first one's candidates; see `evaluate.lists`."""
    every = people.weighting_item[begin:end]
    firsts = _firsts(every)
    items, scores = every[firsts], np.empty(len(firsts), np.float32)
    rivals, hits = np.empty(0, np.float32), 0.0
    for n in range(len(items)):
        if uses_place(model):
            _go_back(people, person, begin + firsts[n])
        if n == 0 or uses_place(model):
            score_some(model, own, 0, people, person, items, scores)
            rivals = _rivals(model, own, people, person, begin)
        place = rank_among(scores[n], rivals)
        for m in range(len(scores)):
            place += scores[m] > scores[n] or (scores[m] == scores[n] and m < n)
        hits += hit(place, rule.k)
    hits = min(hits, float(rule.k))
    return harmonic(hits / rule.k, hits / len(items))


@merge_statistic.rule("quality")
def quality(rule, model, tables, slot, people, person, run):
    """The quality of model `slot` for a person, 0 to 1; 1 if the person has too few weighting items."""
    begin, end = people.weighting_indptr[person], people.weighting_indptr[person + 1]
    if end - begin < FEWEST:
        return np.float32(1)
    own, here, away = opened(tables, slot), people.here[person], people.away[person]
    if rule.metric == "f1":
        found = _listed(rule, model, own, people, person, begin, end)
    else:
        hits, gains = _ranked(rule, model, own, people, person, begin, end)
        found = gains if rule.metric == "ndcg" else hits * gains if rule.metric == "hr*ndcg" else hits
    if uses_place(model):
        set_location(people, person, here, away)
    return np.float32(found)


@weight.rule(Performance)
def _weight(rule, mine, theirs):
    return theirs / (mine + theirs) if theirs > 0 else 0.0
