"""Canaries in sums: everybody in a group is one, and the observer sees nothing but the noisy sum.

Where people add shares of the noise, a server sees their masked sum. Where a server adds the noise, others
see its model, which moved by the sum divided by a number that everybody knows. Both are protected as sums
alone, so canaries go through the steps and through the very sum of a run.

Each person of a group has a row to itself. With probability 1/2 the person's update is a canary: numbers +a
or −a in this row, by a hash, larger than the bound lets through. Otherwise it is an update of zeros. So all
canaries of a group are told apart in one sum, and neighbours are those of `add or remove`. The score of a
canary is the product of its row in the sum with the canary, over all sums that the person may take part in.
One group after the other is summed, each with people and noise of its own, until there are enough canaries:
all of them together are one run of a mechanism that sees each canary in one group (`canaries.one_run`).
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.sums.interface import (
    Task,
    accumulate,
    changed_item,
    check_sums,
    clear,
    collect,
    compiled,
    new_sums,
    open_sums,
    row_total,
)
from sottovoce.evaluate.audit.protected import LARGE, canary_sign
from sottovoce.exchange.steps.interface import protect
from sottovoce.kernels import OBSERVERS, below, driver, helper, stream
from sottovoce.state import Bools, Doubles, People, gathered, width


class Group(NamedTuple):
    """The people of each sum."""

    participants: int
    heard: int
    """Those of them whose updates arrive: the canaries."""
    sums: int
    """In how many sums they are."""


@helper
def _write(updates, item, there, key):
    """Make update 0 a canary in the row of an item, or an update of zeros."""
    updates.offset[0], updates.offset[1], updates.size[0] = 0, int(there), 1
    updates.ids[0] = item
    for d in range(width(updates)):
        updates.rows[0, d] = LARGE * canary_sign(key, item, d)
    for d in range(updates.head.shape[1]):
        updates.head[0, d] = 0


@driver
def _sums(steps, sum, rule, updates, people, group, present, first, sums, scores):
    """Write the score of each canary; `present` [n] says which are there, a group after the other."""
    key, heard = stream(first, OBSERVERS, 2, 0), group.heard
    for begin in range(0, len(present), heard):
        run = first + 1 + begin // heard
        for n in range(heard):
            people.disclosed[n] = 0  # every group begins with the whole budget
        for round in range(group.sums):
            open_sums(sum, sums, group.participants, heard, run, 0, round)
            clear(sum, sums, 0)
            for n in range(heard):
                _write(updates, n, present[begin + n], key)
                protect(steps, updates, 0, people, n, run, round)
                accumulate(sum, rule, updates, 0, n, True, sums, 0)
            for c in range(collect(sum, sums)):
                item = changed_item(sum, sums, c)
                at = row_total(sum, sums, item)
                for d in range(width(updates)):
                    scores[begin + item] += sums.rows[at, d] * canary_sign(key, item, d)


@driver
def _coins(key, present):
    for n in range(len(present)):
        present[n] = below(key, n, 2) == 1


def coins(count: int, seed: int) -> Bools:
    """[count]: which canaries are there, each with probability 1/2."""
    present = np.empty(count, np.bool_)
    _coins(stream(seed, OBSERVERS, 3, 0), present)
    return present


def scores(
    steps: Any, sum: Any, task: Task, people: People, group: Group, present: Bools, seed: int
) -> Doubles:
    """[n]: the score of each canary; `present` [n], whole groups, says which of them are there."""
    own: list[Any] = [np.array(array, copy=True) for array in people]
    fresh, items = type(people)(*own), group.heard
    part, lengths = compiled(sum, task), np.empty(0, np.float32)
    sums = new_sums(part, 1, items, task.row, task.head, lengths)
    updates, found = gathered([items], task.row, task.head, items), np.zeros(len(present))
    _sums(steps, part, task.rule, updates, fresh, group, present, seed, sums, found)
    check_sums(part, sums)
    return found
