"""Overlap with Top-Pop: how much of a list everybody would have got (Cremonesi, Koren, Turrin, RecSys 2010).

    overlap@K = share of a person's first K items with φ(i) ≥ φ(the K-th most popular item not consumed yet)

φ(i) is the number of people with item i in training. Items that tie with the K-th count, so that the list of
popularity itself has 1. In Table 2 of Anelli et al. 2020, BPR-MF and sFPL recommend 19 and 18 different
venues to all of Italy: such a method may look accurate, and has learnt nothing personal.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def threshold(popularity, order, known, k):
    """φ of the k-th most popular item that a person does not know.

    `order` [items] has the most popular items first, and `known` [items] is true for the person's own.
    """
    least, left = math.inf, k
    for n in range(len(order)):
        if left == 0:
            break
        if not known[order[n]]:
            least = popularity[order[n]]
            left -= 1
    return least


@helper
def share_of_popular(items, popularity, least, k):
    """The share of the first k of `items` with a popularity of at least `least`. A −1 ends the list."""
    found, count = 0, 0
    for n in range(min(k, len(items))):
        if items[n] < 0:
            break
        found += popularity[items[n]] >= least
        count += 1
    return found / count if count else math.nan


def top_pop_overlap(lists: ArrayLike, popularity: ArrayLike, known: ArrayLike, k: int) -> NDArray[np.float64]:
    """overlap@k of each person: [people]; NaN for an empty list.

    `lists` [people, length] holds item numbers, and −1 after the end of a list; `popularity` is [items];
    `known` [people, items] says which items each person has consumed.

    >>> top_pop_overlap([[1, 2], [0, 3]], [9, 8, 7, 6], [[1, 0, 0, 0], [0, 0, 0, 0]], k=2).tolist()
    [1.0, 0.5]
    """
    items, much = np.asarray(lists)[:, :k], np.asarray(popularity, np.float64)
    rest = np.sort(np.where(np.asarray(known, np.bool_), -math.inf, much), axis=1)[:, ::-1]
    least = rest[:, min(k, rest.shape[1]) - 1]
    there = items >= 0
    found = (there & (much[items] >= least[:, None])).sum(axis=1)
    counts = there.sum(axis=1)
    return np.where(counts > 0, found / np.maximum(counts, 1), math.nan)
