"""Compiled helpers for splits, candidates and the synthetic community: sets, and draws without repetition."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Interactions
from sottovoce.kernels import NEGATIVES, below, driver, helper, prange, stream


@helper
def capacity(count):
    """The length of a hash table for `count` numbers: a power of two, at least twice as many."""
    size = 4
    while size < 2 * count:
        size *= 2
    return size


@helper
def add(table, value):
    """Add a number to a set; False if it was there already.

    The set is a hash table, with -1 in free cells. The low bits serve as the hash, because the numbers
    are random.
    """
    mask = len(table) - 1
    place = value & mask
    while table[place] >= 0:
        if table[place] == value:
            return False
        place = (place + 1) & mask
    table[place] = value
    return True


@helper
def search(ordered, begin, end, value):
    """The first position in ordered[begin:end] whose value is not less than `value`."""
    while begin < end:
        middle = (begin + end) >> 1
        if ordered[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@driver
def distinct(indptr, item, ordered, count):
    """Write each person's distinct items, sorted, to `ordered` from indptr[person] on.

    `count` [people] gets their number. `ordered` has the length of `item`.
    """
    for person in prange(len(count)):
        begin, end = indptr[person], indptr[person + 1]
        met = np.sort(item[begin:end])
        kept = begin
        for n in range(len(met)):
            if n == 0 or met[n] != met[n - 1]:
                ordered[kept] = met[n]
                kept += 1
        count[person] = kept - begin


class Seen(NamedTuple):
    """The distinct items of person p, sorted: `ordered[indptr[p] : indptr[p] + counts[p]]`."""

    indptr: NDArray[np.int64]
    ordered: NDArray[np.int32]
    counts: NDArray[np.int64]


def seen(indptr: NDArray[np.int64], item: NDArray[np.int32]) -> Seen:
    """The distinct items of each person."""
    people = len(indptr) - 1
    found = Seen(indptr, np.empty(len(item), np.int32), np.empty(people, np.int64))
    distinct(indptr, item, found.ordered, found.counts, batch=people)
    return found


@helper
def unseen(items, seen):
    """All items below `items` that are not in `seen`, which is sorted."""
    found = np.empty(items - len(seen), np.int32)
    kept, item = 0, 0
    for n in range(len(seen) + 1):
        stop = seen[n] if n < len(seen) else items
        while item < stop:
            found[kept] = item
            kept += 1
            item += 1
        item += 1
    return found


@driver
def candidates(run, step, items, indptr, ordered, count, test_indptr, keys, out):
    """Draw, for each test entry, distinct items that the person has not seen, with equal probabilities.

    `out` [test entries, wanted] gets them. If fewer items are unseen, it gets all of them and -1 for
    the rest. The draws are the first steps of a shuffle (Fisher & Yates; Durstenfeld, CACM 7(7), 1964),
    which continues from row to row.
    """
    wanted = out.shape[1]
    for person in prange(len(count)):
        if test_indptr[person] == test_indptr[person + 1]:
            continue
        key = stream(run, NEGATIVES, keys[person], step)
        begin = indptr[person]
        pool = unseen(items, ordered[begin : begin + count[person]])
        drawn = min(wanted, len(pool))
        for row in range(test_indptr[person], test_indptr[person + 1]):
            first = (row - test_indptr[person]) * wanted
            for n in range(drawn):
                other = n + below(key, first + n, len(pool) - n)
                out[row, n] = pool[other]
                pool[other] = pool[n]
                pool[n] = out[row, n]
            out[row, drawn:] = -1


def sample(
    met: Seen,
    held: Interactions,
    wanted: int,
    seed: int,
    step: int,
    keys: NDArray[np.int64] | None = None,
) -> NDArray[np.int32]:
    """[len(held), wanted]: candidates for each interaction of `held`. Another `step` gives other ones.

    `keys` [U] are what people's random numbers are keyed with; by default their numbers.
    """
    out = np.empty((len(held), wanted), np.int32)
    keyed = np.arange(held.people) if keys is None else keys
    candidates(seed, step, held.items, *met, held.indptr, keyed, out, batch=held.people)
    return out
