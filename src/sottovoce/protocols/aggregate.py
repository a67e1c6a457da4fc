"""Aggregations: participants train a server's model, and it moves by what they changed.

A client keeps no table: it holds the rows that it touches while it trains. Participants are divided into a
fixed number of blocks of about equal work, which run in parallel; `combine.sums` adds up what they send.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.aggregate.interface import divisor, stride
from sottovoce.combine.sums.interface import (
    Task,
    accumulate,
    changed_item,
    check_sums,
    clear,
    collect,
    compiled,
    head_total,
    look_at_model,
    new_sums,
    open_sums,
    row_total,
    weights_and_rows,
)
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.update import trained_update
from sottovoce.kernels import STORAGE, driver, from_float32, helper, operation, prange, stream, to_float32
from sottovoce.models.instances import room
from sottovoce.models.statistics import fade_row, finish, prepare, solve_row
from sottovoce.protocols._blocks import BLOCKS, divide
from sottovoce.protocols._participants import Groups
from sottovoce.state import Floats, Longs, People, Tables, gathered, limited, rounding, width


class Federation(NamedTuple):
    """How a federation learns: components, as compiled code takes them."""

    rule: Any  # how updates are averaged
    model: Any
    steps: Any  # what is done to an update before it is sent
    sum: Any  # where updates are summed


@helper
def _block(rule, model, steps, sum, server, slot, updates, people, group, place, run, round, block, sums):
    """Let the participants of one block train, one after the other, and add up what they send."""
    persons, heard = group
    clear(sum, sums, block)
    chunks, at = min(len(persons), len(place)), 2 * block
    for p in range(chunks):
        if place[p] == block:
            for n in range(p * len(persons) // chunks, (p + 1) * len(persons) // chunks):
                person = persons[n]
                trained_update(model, steps, server, slot, updates, at, people, person, run, round)
                protect(steps, updates, at, people, person, run, round)
                accumulate(sum, rule, updates, at, person, heard[n], sums, block)


@helper
def _to_visit(place, chunks, used, visits):
    """Write the blocks that have participants now, or had some in the last aggregation and must forget them.

    Returns how many there are. `used` tells which had some, and is brought up to date.
    """
    count, before = 0, used.copy()
    used[:] = False
    for p in range(chunks):
        used[place[p]] = True
    for block in range(BLOCKS):
        if used[block] or before[block]:
            visits[count] = block
            count += 1
    return count


def _move_row(model, rule, sum, solver, server, slot, item, everybody, sums, key):
    own, at, totals = server.rows, server.offset[slot] + item, sums.rows
    n = row_total(sum, sums, item)
    weight = np.float32(divisor(rule, totals[n, width(server)], everybody))
    share = np.float32(stride(rule)) / weight if weight > 0 else np.float32(0)
    for d in range(width(server)):
        moved = to_float32(own[at, d]) + totals[n, d] * share
        own[at, d] = from_float32(own, moved, rounding(server, key, item, d))
    server.age[at] = limited(server, server.age[at] + np.int32(1))


@operation(default=_move_row, by="learns")
def apply_row(model, rule, sum, solver, server, slot, item, everybody, sums, key):
    """Move a row of the server by its sum; `everybody` is the weight of all participants."""


@apply_row.rule("statistics")
def _solve_row(model, rule, sum, solver, server, slot, item, everybody, sums, key):
    at = server.offset[slot] + item
    if everybody > 0:
        total = sums.rows[row_total(sum, sums, item)]
        solve_row(model, solver, server, slot, item, total, everybody, key)
    server.age[at] = limited(server, server.age[at] + np.int32(1))


def _move_head(model, rule, sum, server, slot, sums):
    rows, heads, sent = weights_and_rows(sum, sums)
    for d in range(server.head.shape[1]):
        weight = np.float32(divisor(rule, heads, heads))
        if heads > 0:
            total = head_total(sum, sums, d)
            server.head[slot, d] += np.float32(stride(rule)) * total / weight
    server.clock[slot] += 1
    return np.float32(rows), sent, np.empty((0, 0), np.float32)


@operation(default=_move_head, by="learns")
def apply_head(model, rule, sum, server, slot, sums):
    """Move the head by its sum. Returns the weight of everybody's rows, how many rows were sent, and an array
    that `apply_row` needs."""


@apply_head.rule("statistics")
def _prepare(model, rule, sum, server, slot, sums):
    rows, heads, sent = weights_and_rows(sum, sums)
    solver = np.empty((0, 0), np.float32)
    if heads > 0:
        total = np.empty(server.head.shape[1])
        for d in range(len(total)):
            total[d] = head_total(sum, sums, d)
        solver = prepare(model, server, slot, total, heads)
    server.clock[slot] += 1
    return np.float32(rows), sent, solver


@operation(default=lambda model, solver, server, slot: 0, by="learns")
def faded(model, solver, server, slot):
    """How many rows `fade` changes before any is moved: none, or all. None if there is no sum."""


@faded.rule("statistics")
def _every_row(model, solver, server, slot):
    return server.offset[slot + 1] - server.offset[slot] if len(solver) else 0


@operation(default=lambda model, server, slot, item, key: None, by="learns")
def fade(model, server, slot, item, key):
    """Change a row before it is moved, or if nobody changed it."""


@fade.rule("statistics")
def _fade(model, server, slot, item, key):
    fade_row(model, server, slot, item, key)


@operation(default=lambda model, solver, server, slot: None, by="learns")
def finished(model, solver, server, slot):
    """What remains to do when all rows have moved."""


@finished.rule("statistics")
def _finished(model, solver, server, slot):
    if len(solver):
        finish(model, server, slot)


@driver
def _aggregate(rule, model, steps, sum, server, slot, updates, people, groups, place, run, sums, sent):
    """One aggregation after the other, each with some of these persons; write how many rows were sent."""
    first, visits, used = groups.first, np.empty(BLOCKS, np.int64), np.ones(BLOCKS, np.bool_)
    for g in range(len(first) - 1):
        start, end, blocks, round = first[g], first[g + 1], place[g], server.clock[slot]
        group = groups.persons[start:end], groups.heard[start:end]
        open_sums(sum, sums, end - start, np.count_nonzero(groups.heard[start:end]), run, slot, round)
        look_at_model(sum, sums, server, slot)
        for b in prange(_to_visit(blocks, min(end - start, len(blocks)), used, visits)):
            at = visits[b]
            _block(
                rule, model, steps, sum, server, slot, updates, people, group, blocks, run, round, at, sums
            )
        changed = collect(sum, sums)
        everybody, sent[g], solver = apply_head(model, rule, sum, server, slot, sums)
        key = stream(run, STORAGE, -1 - slot, round)
        for item in prange(faded(model, solver, server, slot)):
            fade(model, server, slot, item, key)
        for c in prange(changed):
            item = changed_item(sum, sums, c)
            apply_row(model, rule, sum, solver, server, slot, item, everybody, sums, key)
        finished(model, solver, server, slot)


@driver
def apply_sums(rule, model, sum, server, slot, sums, run):
    """Move model `slot` by sums that are there already: what `_aggregate` does after its participants."""
    changed, key = collect(sum, sums), stream(run, STORAGE, -1 - slot, server.clock[slot])
    everybody, _, solver = apply_head(model, rule, sum, server, slot, sums)
    for item in range(faded(model, solver, server, slot)):
        fade(model, server, slot, item, key)
    for c in range(changed):
        item = changed_item(sum, sums, c)
        apply_row(model, rule, sum, solver, server, slot, item, everybody, sums, key)
    finished(model, solver, server, slot)


class Aggregator:
    """Carries out aggregations. Its room to work in is made once, because it is large.

    Nothing of it outlives an aggregation, except the lengths of updates where somebody asks for them.
    """

    def __init__(self, parts: Federation, task: Task, lengths: Floats) -> None:
        items, row, head = task.items, task.row, task.head
        self.parts = parts._replace(sum=compiled(parts.sum, task))
        self.updates = gathered([room(parts.model, items), 0] * BLOCKS, row, head, items)
        self.sums = new_sums(self.parts.sum, BLOCKS, items, row, head, lengths)

    def _arguments(
        self, server: Tables, slot: int, people: People, groups: Groups, run: int
    ) -> tuple[Any, ...]:
        place, sent = (
            divide(people.indptr, groups.first, groups.persons),
            np.zeros(len(groups.first) - 1, np.int64),
        )
        return *self.parts, server, slot, self.updates, people, groups, place, run, self.sums, sent

    def compile(self, *given: Any, batch: int) -> None:
        """Compile what `aggregate` needs, with the same arguments."""
        _aggregate.compile(*self._arguments(*given), batch=batch)

    def aggregate(
        self, server: Tables, slot: int, people: People, groups: Groups, run: int, *, batch: int
    ) -> Longs:
        """Let these people train, and move model `slot` by what arrives; return how many rows each
        aggregation sent.

        `batch` decides between the parallel and the serial form, which must be the one that was compiled.
        """
        arguments = self._arguments(server, slot, people, groups, run)
        _aggregate(*arguments, batch=batch)
        check_sums(self.parts.sum, self.sums)
        sent: Longs = arguments[-1]
        return sent
