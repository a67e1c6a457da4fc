"""How much people's histories are alike: the cosine of what they trained on, item by item.

    |A ∩ B| / √(|A| |B|)

with A and B the sets of items that two people had. It tells whether nodes that choose their peers by
the quality of models find people like themselves. No node can compute it: it looks at everybody's data.
"""

import numpy as np

from sottovoce.kernels import LIKENESS, below, driver, helper, prange, stream
from sottovoce.state import Doubles, Ints, People


@helper
def _mark(people, person, mark):
    """Mark a person's items; return how many different ones there are."""
    count = 0
    for item in people.item[people.indptr[person] : people.indptr[person + 1]]:
        count += not mark[item]
        mark[item] = True
    return count


@helper
def _cosine(people, other, mark, own):
    """The likeness of somebody with `own` marked items and another person, whose repeats are passed over."""
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
    for person in prange(len(found)):
        mark = np.zeros(items, np.bool_)
        own = _mark(people, person, mark)
        others, key = np.empty_like(neighbours[person]), stream(run, LIKENESS, person, 0)
        for n in range(len(others)):
            drawn = below(key, n, len(found) - 1)
            others[n] = drawn + (drawn >= person)
        found[person] = _mean(people, person, neighbours[person], mark, own)
        chance[person] = _mean(people, person, others, mark, own)


def likeness(people: People, items: int, neighbours: Ints, run: int) -> tuple[Doubles, Doubles]:
    """For each person the mean likeness with the person's neighbours, and with as many random others."""
    count = len(people.steps)
    found, chance = np.empty(count), np.empty(count)
    _compare(people, items, neighbours, run, found, chance, batch=count)
    return found, chance
