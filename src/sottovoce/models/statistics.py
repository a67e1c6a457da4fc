"""Models that learn from sums of statistics: what they implement beside the operations of every model.

Such a model is registered with `@component("model", name, learns="statistics")`. People do not change a
copy of the model; they contribute statistics (`statistics`), which are summed like updates, and the model is
solved from the sums. Its `train` solves the person's own vector alone.
"""

from typing import Any

import numpy as np

from sottovoce.kernels import STORAGE, driver, from_float32, helper, operation, prange, stream
from sottovoce.models.training import train_stored
from sottovoce.state import Doubles, Ints, People, Tables, rounding, width
from sottovoce.state.scratch import room_for_update


@operation
def statistics(model, tables, slot, updates, place, people, person, run):
    """Write what `person` contributes to the next model, given model `slot` of whole tables.

    It goes into place `place` of indexed `updates`, which has no rows yet: rows of some items, and the head.
    Returns how many instances it stands for. The sum over people is all that `prepare` and `solve_row` see.
    """


def _as_it_is(model, head, sign):
    pass


@operation(default=_as_it_is)
def balance(model, head, sign):
    """Make the numbers of a contribution's `head` [h] about as large as those of a row, for noise.

    They are divided by powers of two (`sign` −1), and multiplied again (1). The powers depend on no data.
    """


@operation
def prepare(model, tables, slot, total, weight):
    """Begin to solve model `slot`, given the `total` [h] of people's heads and their total `weight`.

    Returns an array of float32 [·, ·] for `solve_row`.
    """


@operation
def fade_row(model, tables, slot, item, key):
    """Change the row of an item before it is solved, or if nobody contributed to it; `key` for rounding."""


@operation
def solve_row(model, solver, tables, slot, item, total, weight, key):
    """Solve the row of an item from its `total` [w] over people of total `weight`."""


def _vector_stays(model, tables, slot, item, count, weight, key):
    at, last = tables.offset[slot] + item, width(tables) - 1
    if tables.age[at] == 0:
        fade_row(model, tables, slot, item, key)
    share = np.float32(count / weight)
    tables.rows[at, last] = from_float32(tables.rows, share, rounding(tables, key, item, last))


@operation(default=_vector_stays)
def hold_row(model, tables, slot, item, count, weight, key):
    """Change the row of an item of which the `count` of people alone is known, in place of solving it.

    By default its last number becomes their share, and the others stay, unless they were never solved.
    """


@operation(default=lambda model, heads: None)
def judged(model: Any, heads: Any) -> tuple[Doubles, Doubles] | None:
    """What people measured on their weighting sets, as the heads [T, h] of models tell it. Python only.

    The mean quality [T], 0 where it says nothing yet, and the settings that move by it [T, s], on a scale on
    which 1 is a factor of two. None, which is the default: the model does not measure itself.
    """


@operation
def finish(model, tables, slot):
    """What remains to do when all rows of model `slot` are solved."""


@helper
def sweep(model, tables, slot, people, run):
    """One sweep with the data of all people of model `slot`: `together` for such a model.

    The last number of a row counts the people who contributed to it.
    """
    updates, last, first = room_for_update(tables, slot), width(tables) - 1, tables.offset[slot]
    rows = np.zeros((tables.offset[slot + 1] - first, last + 1))
    head, count = np.zeros(tables.head.shape[1]), 0
    for n in range(people.first[slot], people.first[slot + 1]):
        updates.offset[1] = 0
        count += statistics(model, tables, slot, updates, 0, people, people.member[n], run)
        for r in range(updates.offset[1]):
            for d in range(last + 1):
                rows[updates.ids[r], d] += updates.rows[r, d]
        head += updates.head[0]
    solver = prepare(model, tables, slot, head, float(count))
    key = stream(run, STORAGE, -1 - slot, tables.clock[slot])
    for item in range(len(rows)):
        fade_row(model, tables, slot, item, key)
        if rows[item, last] > 0:
            solve_row(model, solver, tables, slot, item, rows[item], float(count), key)
            tables.age[first + item] += 1
    finish(model, tables, slot)
    return count


@helper
def _solve_vector(model, tables, slot, people, person, run):
    train_stored(tables, slot, model, people, person, run)


@driver
def _solve_vectors(model, tables, people, slot_of, run):
    for index in prange(len(slot_of)):
        person = np.int64(index)
        _solve_vector(model, tables, slot_of[person], people, person, run)


def solved_from_sums(model: Any) -> bool:
    """Whether a model learns from statistics: then its table is solved, not trained, and never merged."""
    return getattr(model, "learns", "") == "statistics"


def solve_vectors(model: Any, tables: Tables, people: People, slot_of: Ints, run: int) -> None:
    """Let everybody solve their vector against the newest model, if the model learns from statistics.

    The vectors with which people contributed belong to the model before.
    """
    if solved_from_sums(model):
        _solve_vectors(model, tables, people, slot_of, run, batch=len(slot_of))
