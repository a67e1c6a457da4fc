"""Models that learn instance by instance, while the rows stay as they are.

Such a model is registered with `@component("model", name, learns="instances")`. Its training is a sum: each
instance changes a few rows, by an amount that follows from the model as it was received and from the person's
own vector, which moves from instance to instance. The single changes are known until they are added up, so
that steps may withhold some of them (`exchange.steps`), and a client's work grows with its instances, not
with the catalogue.
"""

from typing import Any

from sottovoce.kernels import constant, helper, operation
from sottovoce.state import locate, width
from sottovoce.state.scratch import room_for_changes


@operation
def instances(model, tables, slot, changes, place, people, person, run):
    """Write how each instance of the person's next training changes rows of model `slot`.

    Place `place` of indexed `changes` has no rows yet, and room for `room` of them. An item may have several
    rows in it, one after the other in the order of instances. The rows of `tables` are in any storage and
    stay as they are, the person's vector is trained. Returns how many instances there are.
    """


@operation(default=lambda model, items: items)
def room(model, items):
    """How many rows an update of this model has at most, before changes of the same row are added up."""


@constant
def by_instances(model: Any) -> int:
    """Whether a model learns instance by instance, known at compile time."""
    return int(getattr(model, "learns", "") == "instances")


@helper
def add_up(changes, place):
    """Add the changes of the same row, so that each item has one row in place `place`; the first stays."""
    begin = end = changes.offset[place]
    ids, rows, where = changes.ids, changes.rows, changes.where[place]
    for n in range(begin, changes.offset[place + 1]):
        item = ids[n]
        at = where[item]
        if begin <= at < end and ids[at] == item:
            for d in range(width(changes)):
                rows[at, d] += rows[n, d]
        else:
            ids[end], where[item] = item, end
            for d in range(width(changes)):
                rows[end, d] = rows[n, d]
            end += 1
    changes.offset[place + 1] = end


@helper
def train_by_instances(model, tables, slot, people, person, run):
    """`train` of such a model: the rows move by the sum of what each instance changes, and age by one."""
    changes = room_for_changes(tables, model.items, room(model, model.items))
    count = instances(model, tables, slot, changes, 0, people, person, run)
    add_up(changes, 0)
    for n in range(changes.offset[1]):
        j = locate(tables, slot, changes.ids[n])
        for d in range(width(tables)):
            tables.rows[j, d] += changes.rows[n, d]
        tables.age[j] += 1
    return count
