"""What a person adds to sums among peers, and how a model moves by such sums.

Models that learn from statistics add these. Any other model is trained, and people add what changed, as to a
server: each row times the person's weight, then this weight; the head times the weight of heads, then the
weights of rows and of heads, and 1. The rules of aggregation of a server (`combine.aggregate`) apply. The
last number of a row tells whether anybody added anything; the last number of the head counts people.
"""

from typing import Any

import numpy as np

from sottovoce.combine.aggregate.interface import divisor, head_weight, row_weight, stride
from sottovoce.errors import RecipeError
from sottovoce.exchange.steps.interface import adds_noise, protect
from sottovoce.exchange.update import trained_update
from sottovoce.kernels import STORAGE, from_float32, helper, operation, stream, to_float32
from sottovoce.models.interface import Shape
from sottovoce.models.statistics import (
    balance,
    fade_row,
    finish,
    hold_row,
    prepare,
    solve_row,
    solved_from_sums,
)
from sottovoce.state import limited, rounding, width


def check_rule(model: Any, rule: Any) -> None:
    """Refuse to add what people change: sums among peers are known up to a factor, so they need a divisor."""
    if getattr(rule, "over", "") == "nobody" and not solved_from_sums(model):
        raise RecipeError(
            "Peers know sums only up to a factor, and this aggregation divides by nobody.",
            'Set protocol.aggregate = "simple" or "mf-fedavg".',
        )


@helper
def own_update(model, steps, tables, slot, updates, people, person, run):
    """Write what leaves a person's device of a training on model `slot`, before masks, into update 0.

    Where noise is added, it has the same size in all numbers, so these are balanced meanwhile.
    """
    number = people.steps[person]
    trained_update(model, steps, tables, slot, updates, 0, people, person, run, number)
    if adds_noise(steps):
        balance(model, updates.head[0], -1)
    protect(steps, updates, 0, people, person, run, number)
    if adds_noise(steps):
        balance(model, updates.head[0], 1)


def _with_weights(model: Any, shape: Shape) -> tuple[int, int]:
    return shape.row + 1, shape.head + 3


@operation(default=_with_weights, by="learns")
def sum_shape(model: Any, shape: Shape) -> tuple[int, int]:
    """How many numbers the row of an item and the head have in a sum. Python only."""


@sum_shape.rule("statistics")
def _statistics_alone(model: Any, shape: Shape) -> tuple[int, int]:
    return shape.row, shape.head


def _weighed_row(model, rule, updates, place, n, out):
    weight, last = np.float32(row_weight(rule, updates.size[place])), width(updates)
    for d in range(last):
        out[d] = weight * updates.rows[n, d]
    out[last] = weight


@operation(default=_weighed_row, by="learns")
def write_row(model, rule, updates, place, n, out):
    """Write what row n of an update adds to the sum of its item into `out` [w]."""


@write_row.rule("statistics")
def _row_as_it_is(model, rule, updates, place, n, out):
    for d in range(len(out)):
        out[d] = updates.rows[n, d]


def _weighed_head(model, rule, updates, place, out):
    weight, last = np.float32(head_weight(rule, updates.size[place])), updates.head.shape[1]
    for d in range(last):
        out[d] = weight * updates.head[place, d]
    out[last] = np.float32(row_weight(rule, updates.size[place]))
    out[last + 1], out[last + 2] = weight, 1


@operation(default=_weighed_head, by="learns")
def write_head(model, rule, updates, place, out):
    """Write what an update adds to the sum of heads into `out` [h]."""


@write_head.rule("statistics")
def _head_as_it_is(model, rule, updates, place, out):
    for d in range(len(out)):
        out[d] = updates.head[place, d]


def _by_changes(model, rule, tables, slot, rows, head, node, run):
    own, begin, last = tables.rows, tables.offset[slot], tables.head.shape[1]
    key, stretch = stream(run, STORAGE, slot, tables.clock[slot]), np.float32(stride(rule))
    everybody, heads = head[node, last], head[node, last + 1]
    for item in range(len(rows)):
        count = rows[item, node, width(tables)]
        if count > 0:
            at, share = begin + item, stretch / np.float32(divisor(rule, count, everybody))
            for d in range(width(tables)):
                moved = to_float32(own[at, d]) + share * rows[item, node, d]
                own[at, d] = from_float32(own, moved, rounding(tables, key, item, d))
            tables.age[at] = limited(tables, tables.age[at] + np.int32(1))
    for d in range(last if heads > 0 else 0):
        tables.head[slot, d] += stretch * head[node, d] / np.float32(divisor(rule, heads, heads))


@operation(default=_by_changes, by="learns")
def move(model, rule, tables, slot, rows, head, node, run):
    """Move model `slot` by a node's sums, in `rows` [items, N, w] and `head` [N, h]; its weight is not 0."""


@move.rule("statistics")
def _by_solving(model, rule, tables, slot, rows, head, node, run):
    weight = float(head[node, head.shape[1] - 1])
    solver = prepare(model, tables, slot, head[node], weight)
    key, begin, wide = stream(run, STORAGE, slot, tables.clock[slot]), tables.offset[slot], width(tables)
    for item in range(len(rows)):
        count = rows[item, node, wide - 1]
        if count < 0:
            hold_row(model, tables, slot, item, -count, weight, key)
            continue
        fade_row(model, tables, slot, item, key)
        if count > 0:
            solve_row(model, solver, tables, slot, item, rows[item, node], weight, key)
            tables.age[begin + item] = limited(tables, tables.age[begin + item] + np.int32(1))
    finish(model, tables, slot)
