"""Destroy: attackers want recommendations to be of no use to anybody.

For each item they agree on a random direction. Where people sum, each adds to every row what `claims` people
would whose numbers are `size` times a random vector of length 1, and takes `size` times the mean of the first
sweep from the sum of heads. Where people send models, all rows are such vectors, and `claims` times as old as
the oldest row of the sender.
"""

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import ATTACK, STORAGE, from_float32, helper, normal, stream
from sottovoce.registry import component
from sottovoce.simulate.attacks.interface import lie_in_head, lie_in_model, lie_in_row
from sottovoce.state import limited, rounding, width


@component("attack", "destroy")
class Destroy(NamedTuple):
    """Attackers send random numbers about all items."""

    share: Annotated[float, Ge(0), Le(0.5)] = 0.01
    """The share of people who attack; 0: nobody."""
    size: Annotated[float, Gt(0)] = 100.0
    """The length of an attacker's vectors; those of honest people are about 1."""
    claims: Annotated[int, Ge(1)] = 5
    """How many people each attacker pretends to be; 1: as an honest person."""
    through: Literal["contributions", "pushes"] = "contributions"
    """Where people sum: whether attackers lie in what they contribute, or a part each time they push."""


@helper
def _direction(run, item, out, numbers):
    """A random vector of about length 1."""
    key = stream(run, ATTACK, item, 0)
    for d in range(numbers):
        out[d] = np.float32(normal(key, d) / math.sqrt(numbers))


@lie_in_row.rule(Destroy)
def _lie_in_row(attack, known, counts, item, run, out):
    numbers = len(out) - counts
    _direction(run, item, out, numbers)
    for d in range(numbers):
        out[d] *= np.float32(attack.claims * attack.size)
    for d in range(numbers, len(out)):
        out[d] = attack.claims


@lie_in_head.rule(Destroy)
def _lie_in_head(attack, known, run, out):
    for d in range(len(out) - 1):
        out[d] = -attack.size * known.head[d]


@lie_in_model.rule(Destroy)
def _lie_in_model(attack, known, tables, slot, run):
    begin, end, oldest = tables.offset[slot], tables.offset[slot + 1], np.int32(1)
    key, row = stream(run, STORAGE, -2 - slot, tables.clock[slot]), np.empty(width(tables), np.float32)
    for n in range(begin, end):
        oldest = max(oldest, np.int32(tables.age[n]))
    for n in range(begin, end):
        _direction(run, n - begin, row, len(row))
        for d in range(len(row)):
            value = np.float32(attack.size) * row[d]
            tables.rows[n, d] = from_float32(tables.rows, value, rounding(tables, key, n - begin, d))
        tables.age[n] = limited(tables, attack.claims * oldest)
