"""Similarity of people: the cosine of their sets of training items A and B.

    |A ∩ B| / √(|A| |B|)

It shows whether nodes that choose peers by the quality of their models find similar people. No node could
compute it, because it needs the data of all people.
"""

import numpy as np

from sottovoce.kernels import LIKENESS, below, driver, helper, prange, stream
from sottovoce.state import Doubles, Ints, People


@helper
def _mark(people, person, mark):
    """Set `mark` [items] for a person's items; return the number of distinct items."""
    count = 0
    for item in people.item[people.indptr[person] : people.indptr[person + 1]]:
        count += not mark[item]
        mark[item] = True
    return count


@helper
def _cosine(people, other, mark, own):
    """The similarity of the person with the `own` marked items and the person `other`."""
    theirs, shared = 0, 0
    items = np.sort(people.item[people.indptr[other] : people.indptr[other + 1]])
    for n in range(len(items)):
        if n == 0 or items[n] != items[n - 1]:
            theirs += 1
            shared += mark[items[n]]
    return shared / np.sqrt(own * theirs) if own * theirs > 0 else 0.0


@helper
def _mean(people, person, others, mark, own):
    total, count = 0.0, 0
    for other in others:
        if other >= 0:
            total += _cosine(people, other, mark, own)
            count += 1
    return total / count if count else np.nan


@driver
def _compare(people, items, neighbours, run, found, chance):
    for index in prange(len(found)):
        person = np.int64(index)
        mark = np.zeros(items, np.bool_)
        own = _mark(people, person, mark)
        others, key = np.empty_like(neighbours[person]), stream(run, LIKENESS, person, 0)
        for n in range(len(others)):
            drawn = below(key, n, len(found) - 1)
            others[n] = drawn + (drawn >= person)
        found[person] = _mean(people, person, neighbours[person], mark, own)
        chance[person] = _mean(people, person, others, mark, own)


def likeness(people: People, items: int, neighbours: Ints, run: int) -> tuple[Doubles, Doubles]:
    """[people], twice: the mean similarity to a person's neighbours, and to as many random people.

    `neighbours` is [people, n], with −1 for no neighbour.
    """
    count = len(people.steps)
    found, chance = np.empty(count), np.empty(count)
    _compare(people, items, neighbours, run, found, chance, batch=count)
    return found, chance
