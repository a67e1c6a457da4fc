"""The head of `als`: lower triangles of YᵀY and M, s and both of its sums, what is chosen, m̄, sweeps."""

import numpy as np

from sottovoce.kernels import helper, inlined, to_float32
from sottovoce.kernels.symmetric import triangle, unpacked
from sottovoce.models.chosen import CHOSEN


@inlined
def mean_count(head):
    """m̄, the number of items that people have on average; 0 before the first sweep."""
    return float(head[len(head) - 2])


@inlined
def alikeness(head):
    """The part of the head that holds s and both of its sums."""
    return head[len(head) - 5 - CHOSEN : len(head) - 2 - CHOSEN]


@inlined
def choices(head):
    """The part of the head that holds what is chosen."""
    return head[len(head) - 2 - CHOSEN : len(head) - 2]


@inlined
def in_use(head):
    """The octaves by which α and λ have moved."""
    chosen = choices(head)
    return float(chosen[0]), float(chosen[1])


@helper
def products_of(tables, slot, k):
    """YᵀY [k, k] of a table's rows. Loops as in `solve_pencil`."""
    total, y = np.zeros((k, k), np.float32), np.empty(k, np.float32)
    for n in range(tables.offset[slot], tables.offset[slot + 1]):
        for a in range(k):
            y[a] = to_float32(tables.rows[n, a])
        for a in range(k):
            part = y[a]
            for b in range(k):
                total[a, b] += part * y[b]
    return total


@helper
def gram_of(tables, slot, k):
    """YᵀY [k, k] of a table: from its head, or from its rows before there is one."""
    head = tables.head[slot]
    if mean_count(head) > 0:
        return unpacked(head[: triangle(k)], k)
    return products_of(tables, slot, k).astype(np.float64)
