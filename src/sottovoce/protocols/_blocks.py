"""How the participants of an aggregation are shared out among threads: as blocks of about equal work.

Sums depend on the order in which numbers are added, so blocks must not depend on the number of threads.
They are the leaves of a binary tree: chunks of participants, the largest first, go down it, at
every fork to the side that has less to do. However many threads share the blocks, in order and as
many each, they then have about as much to do.
"""

from typing import Any

import numpy as np

from sottovoce.kernels import driver
from sottovoce.state import Longs

BLOCKS = 16
"""A power of two."""

CHUNKS = 256
"""At most; larger groups are cut into this many chunks, where differences between people hardly matter."""


@driver
def _divide(indptr, first, persons, place):
    """Write the block of each group's chunks, taking the interactions of people for their work."""
    for g in range(len(place)):
        group = persons[first[g] : first[g + 1]]
        chunks = min(len(group), place.shape[1])
        work = np.zeros(chunks, np.int64)
        for p in range(chunks):
            for n in range(p * len(group) // chunks, (p + 1) * len(group) // chunks):
                work[p] += 1 + indptr[group[n] + 1] - indptr[group[n]]
        load = np.zeros(2 * BLOCKS, np.int64)
        for p in np.argsort(-work, kind="mergesort"):
            node = 1
            while node < BLOCKS:
                node = 2 * node + (load[2 * node + 1] < load[2 * node])
                load[node] += work[p]
            place[g, p] = node - BLOCKS


def divide(indptr: Longs, first: Longs, persons: Longs) -> Any:
    """The block of each chunk, for every group that begins at `first`; [groups, chunks]."""
    largest = int(np.diff(first).max(initial=0))
    place = np.empty((len(first) - 1, min(largest, CHUNKS)), np.int8)
    _divide(indptr, first, persons, place)
    return place
