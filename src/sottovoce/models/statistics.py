"""Models that learn from sums of statistics: what they implement beside the operations of every model.

Such a model is registered with `@component("model", name, learns="statistics")`. People do not change a
copy of the model; they contribute statistics (`statistics`), which are summed like updates, and the model is
solved from the sums. Its `train` solves the person's own vector alone.
"""

from typing import Any

from sottovoce.kernels import driver, helper, operation, prange
from sottovoce.models.training import train_stored
from sottovoce.state import Ints, People, Tables


@operation
def statistics(model, tables, slot, updates, place, people, person, run):
    """Write what `person` contributes to the next model, given model `slot` of whole tables.

    It goes into place `place` of indexed `updates`, which has no rows yet: rows of some items, and the head.
    Returns how many instances it stands for. The sum over people is all that `prepare` and `solve_row` see.
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


@operation
def hold_row(model, tables, slot, item, count, weight, key):
    """Change the row of an item of which nothing but the `count` of people is known, in place of solving it."""


@operation
def finish(model, tables, slot):
    """What remains to do when all rows of model `slot` are solved."""


@helper
def _solve_vector(model, tables, slot, people, person, run):
    train_stored(tables, slot, model, people, person, run)


@driver
def _solve_vectors(model, tables, people, slot_of, run):
    for person in prange(len(slot_of)):
        _solve_vector(model, tables, slot_of[person], people, person, run)


def solve_vectors(model: Any, tables: Tables, people: People, slot_of: Ints, run: int) -> None:
    """Let everybody solve their vector against the newest model, if the model learns from statistics.

    The vectors with which people contributed belong to the model before.
    """
    if getattr(model, "learns", "") == "statistics":
        _solve_vectors(model, tables, people, slot_of, run, batch=len(slot_of))
