"""Canaries sent through the very steps that protect updates.

A canary is an update of a few rows whose numbers are +a or −a, by a hash: larger than any step lets through,
so that what comes out is as long as it can be. Its opposite is the same with all signs changed. These two are
as far apart as two updates of a person can be. The score of a trial is the product of what came out with the
canary, summed over all disclosures of the person.
"""

from typing import Any

import numpy as np

from sottovoce.exchange.steps.interface import protect
from sottovoce.kernels import OBSERVERS, below, driver, helper, stream
from sottovoce.state import Doubles, Longs, People, gathered, width

ITEMS = 16
"""The size of the catalogue that the steps see. Noise is the same on every number, so a small one will do."""
LARGE = 1000.0


@helper
def canary_sign(key, n, d):
    """The sign of number `d` of a canary's row `n`."""
    return 1.0 - 2.0 * below(key, 1000 * n + d, 2)


@driver
def _trials(steps, updates, people, persons, sign, rounds, first, scores):
    """Write the score of each trial to `scores` [n]; trial n is of `persons[n]` with the canary times
    `sign[n]`."""
    for n in range(len(persons)):
        key = stream(first, OBSERVERS, 1, 0)
        scores[n] = 0.0
        for round in range(rounds):
            updates.offset[0], updates.offset[1] = 0, len(updates.ids)
            for m in range(len(updates.ids)):
                updates.ids[m] = m
                for d in range(width(updates)):
                    updates.rows[m, d] = sign[n] * LARGE * canary_sign(key, m, d)
            for d in range(updates.head.shape[1]):
                updates.head[0, d] = 0
            updates.size[0] = 1
            # Every trial is a run of its own, so that noise is drawn anew.
            protect(steps, updates, 0, people, persons[n], first + 1 + n // len(people.key), round)
            for m in range(updates.offset[0], updates.offset[1]):
                for d in range(width(updates)):
                    scores[n] += updates.rows[m, d] * canary_sign(key, updates.ids[m], d)


def scores(steps: Any, people: People, row: int, head: int, sign: Longs, rounds: int, seed: int) -> Doubles:
    """[n]: the score of each trial; `sign` [n] is 1 for the canary and −1 for its opposite.

    A person makes up to `rounds` disclosures in a trial, of rows that are `row` wide beside a head of `head`
    numbers.
    """
    count = len(people.key)
    found = np.zeros(len(sign))
    for begin in range(0, len(sign), count):
        some = slice(begin, min(begin + count, len(sign)))
        own: list[Any] = [np.array(array, copy=True) for array in people]
        fresh = type(people)(*own)
        fresh.disclosed[:] = 0  # each trial begins with the whole budget
        updates = gathered([ITEMS], row, head, ITEMS)
        persons = np.arange(some.stop - begin)
        given = steps, updates, fresh, persons, sign[some].astype(np.float64), rounds, seed + begin
        _trials(*given, found[some])
    return found
