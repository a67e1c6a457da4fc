"""What one person's training changed of a model: an update.

An update is a slot of indexed tables, so that kernels need no second form for it:

| field of the tables   | what it holds in an update                                  |
|-----------------------|-------------------------------------------------------------|
| `ids`                 | the items whose rows changed, in any order                  |
| `rows`                | by how much, float32                                        |
| `head`                | by how much the head changed                                |
| `size`                | how many instances the training was on                      |
| `clock`               | the clock of the model that was trained: its version        |
| `offset`              | where the slot's rows begin, and where those that count end |

Rows beyond that end, `age` and `where` have no meaning: an update is summed or sent, not trained.

A model that learns instance by instance first writes what each instance changes, so that an item may have
several rows. Steps see them in this form (`disclose_instances`) before they are added up.
"""

from sottovoce.exchange.steps.interface import disclose_instances
from sottovoce.kernels import helper, inlined, operation, to_float32
from sottovoce.models.instances import add_up, by_instances, instances
from sottovoce.models.interface import train
from sottovoce.models.statistics import statistics
from sottovoce.models.training import gather_touched
from sottovoce.state import width


@inlined
def _receive(model, tables, slot, updates, place, people, person, run):
    """Gather the rows that a person is about to touch, with their ages, the head and the clock."""
    gather_touched(model, tables, slot, updates, place, people, person, run)
    age, ids, known, first = updates.age, updates.ids, tables.age, tables.offset[slot]
    for n in range(updates.offset[place], updates.offset[place + 1]):
        age[n] = known[first + ids[n]]
    for d in range(tables.head.shape[1]):
        updates.head[place, d] = tables.head[slot, d]
    updates.clock[place] = tables.clock[slot]


@inlined
def _difference(tables, slot, updates, place):
    """Turn a trained model into the update of what changed in it."""
    begin, count, first = updates.offset[place], 0, tables.offset[slot]
    age, rows, ids, known, before = updates.age, updates.rows, updates.ids, tables.rows, tables.age
    for n in range(begin, updates.offset[place + 1]):
        j = first + ids[n]
        if age[n] > before[j]:
            at = begin + count
            ids[at] = ids[n]
            for d in range(width(tables)):
                rows[at, d] = rows[n, d] - to_float32(known[j, d])
            count += 1
    updates.offset[place + 1] = begin + count
    for d in range(tables.head.shape[1]):
        updates.head[place, d] -= tables.head[slot, d]


def _by_training(model, tables, slot, updates, place, people, person, run):
    _receive(model, tables, slot, updates, place, people, person, run)
    updates.size[place] = train(model, updates, place, people, person, run)
    people.steps[person] += 1
    _difference(tables, slot, updates, place)


@operation(default=_by_training, by="learns")
def local_update(model, tables, slot, updates, place, people, person, run):
    """Let a person train on model `slot`, which stays as it is; write the change into update `place`.

    `tables` are whole, `updates` indexed. The training of the person's private vector stays. With a
    model that learns from sums of statistics, the update holds the person's statistics. With one that learns
    instance by instance, it holds what each of them changes, not yet added up.
    """


@local_update.rule("statistics")
def _by_statistics(model, tables, slot, updates, place, people, person, run):
    updates.offset[place + 1] = updates.offset[place]
    updates.clock[place] = tables.clock[slot]
    updates.size[place] = statistics(model, tables, slot, updates, place, people, person, run)
    people.steps[person] += 1


@local_update.rule("instances")
def _by_instances(model, tables, slot, updates, place, people, person, run):
    updates.offset[place + 1] = updates.offset[place]
    updates.clock[place] = tables.clock[slot]
    for d in range(tables.head.shape[1]):
        updates.head[place, d] = 0
    updates.size[place] = instances(model, tables, slot, updates, place, people, person, run)
    people.steps[person] += 1


@helper
def disclosed_sum(model, steps, updates, place, people, person, run, round):
    """Let steps withhold single instances of an update, and add up the others."""
    if by_instances(model):
        disclose_instances(steps, updates, place, people, person, run, round)
        add_up(updates, place)


@helper
def trained_update(model, steps, tables, slot, updates, place, people, person, run, round):
    """`local_update`, as far as `steps` let single instances through, with one row for each item."""
    local_update(model, tables, slot, updates, place, people, person, run)
    disclosed_sum(model, steps, updates, place, people, person, run, round)


@helper
def squared_length(updates, place):
    """The sum of squares of all that an update changes: rows [n, w] and head [h]."""
    total, rows = 0.0, updates.rows
    for n in range(updates.offset[place], updates.offset[place + 1]):
        for d in range(width(updates)):
            total += rows[n, d] * rows[n, d]
    for d in range(updates.head.shape[1]):
        total += updates.head[place, d] * updates.head[place, d]
    return total
