"""Compiled code of one node: entry points into the kernels of a simulation, for the one person here."""

import numpy as np

from sottovoce.evaluate.recommend import select
from sottovoce.evaluate.scoring import forget_known
from sottovoce.exchange.pack import to_codes
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.update import trained_update
from sottovoce.kernels import driver, helper
from sottovoce.models.interface import score, score_all
from sottovoce.protocols.contribution import move, own_update, write_head, write_row
from sottovoce.protocols.execute import absorb
from sottovoce.protocols.push_sum import give, take

SOME = 16
"""How many scores, about, tell whether a training overshot."""


@helper
def _farthest(model, tables, people):
    """The largest score of some of the person's items, of either sign; infinity if one is not a number.

    A few are enough: a training that overshoots moves the person's vector, which is in all scores.
    """
    found, count = 0.0, people.indptr[1]
    for n in range(0, count, 1 + count // SOME):
        one = abs(np.float64(score(model, tables, 0, people, 0, people.item[n])))
        found = max(found, one) if one < np.inf else np.inf
    return found


@driver
def meet(rule, model, steps, hosted, tables, private, incoming, origin, people, receivers, run):
    before = _farthest(model, tables, people)
    absorb(rule, model, steps, hosted, tables, private, incoming, 0, origin, 0, people, receivers, run)
    return before, _farthest(model, tables, people)


@driver
def change(model, tables, steps, updates, people, run, round):
    trained_update(model, steps, tables, 0, updates, 0, people, 0, run, round)
    protect(steps, updates, 0, people, 0, run, round)


@driver
def contribute(model, rule, tables, steps, updates, people, run, rows, head):
    own_update(model, steps, tables, 0, updates, people, 0, run)
    write_head(model, rule, updates, 0, head)
    for n in range(updates.offset[1]):
        write_row(model, rule, updates, 0, n, rows[n])


@driver
def move_by(model, rule, tables, rows, head, run):
    if head[0, head.shape[1] - 1] > 0:
        move(model, rule, tables, 0, rows, head, 0, run)
        tables.clock[0] += 1


@driver
def push(rows, head, counts, levels, codes, given, scales, half):
    give(rows, head, counts, levels, codes, given, scales, half)


@driver
def add_push(rows, head, counts, levels, codes, given, scales, half):
    take(rows, head, counts, levels, codes, given, scales, half)


@driver
def encode(updates, bits, key, scale):
    begin, end = updates.offset[0], updates.offset[1]
    to_codes(updates.rows[begin:end], updates.head[0], bits, key, scale)


@driver
def find_best(model, tables, people, scores, items, best):
    score_all(model, tables, 0, people, 0, scores)
    forget_known(scores, people, 0)
    select(scores, items, best)
