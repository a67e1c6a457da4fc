"""Participants of many aggregations in a row, drawn in compiled code: the rounds of an epoch.

Every aggregation has participants of its own, distinct people drawn uniformly, whoever took part before. The
draw is keyed by the number of the aggregation, so it does not depend on how aggregations are grouped.
"""

import math

import numpy as np

from sottovoce.kernels import below, driver
from sottovoce.protocols._participants import (
    DONE,
    DROPPED,
    OFFLINE,
    UNHEARD,
    Aggregation,
    Groups,
    _chances,
    _outcome,
)

_EXACT = 1e-9  # of a quotient that would be whole without rounding


def due(each: float, number: int) -> int:
    """How many aggregations the next round has, if rounds have `each` on average and there were `number`.

    After r rounds there were ⌊r · each⌋, so that a fraction is not lost.
    """
    rounds = math.ceil(number / each - _EXACT)
    return math.floor((rounds + 1) * each + _EXACT) - number


@driver
def _draw(asked, count, order, groups):
    """Write the participants of consecutive aggregations."""
    people, timing, terms, begin, run, server, number = asked
    first, persons, heard, downloads, dropped_first, dropped = groups
    found = gone = 0
    for a in range(len(first) - 1):
        key = _chances(run, 3, server, number + a)
        for n in range(count):
            other = n + below(key, n, len(order) - n)
            order[n], order[other] = order[other], order[n]
            node = people[order[n]]
            outcome = _outcome(timing, terms, node, begin, run, number + a)
            downloads[0] += outcome != OFFLINE
            if outcome >= UNHEARD:
                persons[found], heard[found] = node, outcome == DONE
                found += 1
            elif outcome == DROPPED:
                dropped[gone] = node
                gone += 1
        for n in range(count - 1, -1, -1):  # the order as it was: no draw depends on those before
            other = n + below(key, n, len(order) - n)
            order[n], order[other] = order[other], order[n]
        first[a + 1], dropped_first[a + 1] = found, gone


def drawn(asked: Aggregation, participants: int, each: float) -> Groups:
    """The people of all aggregations of a round, `each` of them on average; 0 participants: everybody."""
    count = min(participants or len(asked.people), len(asked.people))
    made = due(each, asked.number)
    first, dropped_first, downloads = (np.zeros(size, np.int64) for size in (made + 1, made + 1, 1))
    persons, dropped = np.empty(made * count, np.int64), np.empty(made * count, np.int64)
    heard, order = np.empty(made * count, np.bool_), np.arange(len(asked.people))
    _draw(asked, count, order, (first, persons, heard, downloads, dropped_first, dropped))
    found, gone = int(first[-1]), int(dropped_first[-1])
    return Groups(first, persons[:found], heard[:found], int(downloads[0]), dropped_first, dropped[:gone])
