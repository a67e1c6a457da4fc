"""Two models and what a merge rule makes of them, compiled and as plain Python."""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.merge import merge
from sottovoce.kernels import driver
from sottovoce.models.mf import MF
from sottovoce.state import Tables, each_alone, gathered, new_people, whole
from tests.networks import copy_of

NOBODY = new_people(1, np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), each_alone(1))


@driver
def _merge(rule, model, tables, slot, source, origin, people):
    merge(rule, model, tables, slot, source, origin, people, 0, 1, False)


def tables_of(rows: Any, ages: Any, ids: Any = None) -> Tables:
    """One model with these rows; with `ids`, a message of just these rows."""
    rows = np.array(rows, np.float32)
    if ids is None:
        made = whole(1, len(rows), rows.shape[1], 1)
    else:
        made = gathered([len(ids)], rows.shape[1], 1)
        made.ids[:] = ids
    made.rows[:] = rows
    made.age[:] = ages
    made.head[:] = rows.sum()
    made.clock[:] = max(ages)
    return made


def merged(rule: Any, mine: Tables, theirs: Tables) -> Tables:
    """A copy of `mine`, merged with `theirs`; compiled code and plain Python must agree."""
    result = copy_of(mine)
    _merge(rule, MF(), result, 0, theirs, 0, NOBODY)
    plain = copy_of(mine)
    merge(rule, MF(), plain, 0, theirs, 0, NOBODY, 0, 1, False)
    for fast, slow in zip(result, plain, strict=True):
        np.testing.assert_array_equal(fast, slow)
    return result


class Shares(NamedTuple):
    """What became of two models that differ in all that a rule can compare."""

    rows: list[float]  # the share of each incoming row
    head: float  # and of the incoming head
    age: list[int]  # of the rows afterwards
    clock: int


def shares(rule: Any) -> Shares:
    """Merge a model with ages 1 and 3, clock 3 and 8 interactions with one of ages 3 and 1, clock 9 and 2."""
    mine, theirs = tables_of([[0, 8], [0, 8]], [1, 3]), tables_of([[4, 0], [4, 0]], [3, 1])
    mine.head[:], mine.clock[:], mine.size[:] = 0, 3, 8
    theirs.head[:], theirs.clock[:], theirs.size[:] = 1, 9, 2
    result = merged(rule, mine, theirs)
    np.testing.assert_allclose(result.rows[:, 1], 8 - 2 * result.rows[:, 0], rtol=1e-6)
    rows = (result.rows[:, 0] / 4).tolist()
    return Shares(rows, float(result.head[0, 0]), result.age.tolist(), int(result.clock[0]))
