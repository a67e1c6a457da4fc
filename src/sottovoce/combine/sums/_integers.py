"""Sums of integers in compiled code: what masked and encrypted sums give, without masks or ciphertexts.

A number v counts as rint(w v 2^f), with w the weight of its sender and f the binary places. Masks cancel and
decryption is exact, so the real protocols give the sums of these integers, and so does this, bit by bit. An
integer beyond the limit, at which the sum of a group could overflow, ends the run with a sentence.

`Integers` is what `secure` and `homomorphic` become for compiled code. Of n participants h are heard. Fewer
than the threshold give no sum at all: the model then stays as it is.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.combine.sums._chains import chain_up, forget
from sottovoce.combine.sums.interface import (
    accumulate,
    changed_item,
    check_sums,
    clear,
    collect,
    head_total,
    look_at_model,
    new_sums,
    open_sums,
    row_total,
    weights_and_rows,
)
from sottovoce.errors import RecipeError
from sottovoce.kernels import helper, to_float32
from sottovoce.state import Doubles, Floats, Longs, width

PEOPLE, HEARD, THRESHOLD, NEEDED, ROW_LIMIT, HEAD_LIMIT, WEIGHT_LIMIT, SENT = range(8)
"""Places in `Sums.now`, what is known of the aggregation under way: participants, those heard, the threshold,
contributors that a row needs, the largest integers, and rows that were sent."""
AGGREGATIONS, FAILED, ROWS, WITHHELD, FEWEST = range(5)
"""Places in `Sums.tally`: aggregations, those without a sum, rows that were summed, rows that were changed by
too few people to be summed, and the fewest contributors of a row that was summed."""
FINE, NOT_FINITE, TOO_LARGE, NOT_WHOLE, TOO_HEAVY = range(5)
"""What can be wrong with a number."""


class Integers(NamedTuple):
    """How numbers become integers, and which sums are made."""

    row_scale: float  # 2^f of rows
    head_scale: float  # 2^f of the head
    row_most: int  # the largest integers, of either sign
    head_most: int
    weight_most: int
    model_most: int  # of the model's own numbers, as integers of rows; 0: any
    shared: bool  # whether participants share these bounds, each having 1 / n of them
    share: float  # a sum needs more than this share of the participants; 0: `least` of them
    least: int  # the smallest threshold
    k: int  # a row needs k + h - t contributors of h people with threshold t; 0: it needs one


class Sums(NamedTuple):
    """What blocks of participants add up; `_chains` explains how rows are found."""

    rows: Any  # [items, w + 1], finished sums as numbers, with the number of contributors at the end
    integers: Any  # [blocks · items, w + 1], what a block has of each row, and how many people
    ids: Any  # [blocks · items]
    where: Any  # [blocks, items]
    head: Any  # [blocks, h], integers
    total: Any  # [blocks, 4], weights of those heard, for rows and head; unused; rows here
    first: Any  # [items]
    next: Any  # [blocks · items]
    changed: Any  # [items]
    fault: Any  # [blocks, 3], what is wrong with a number, the number, and the largest possible one
    now: Any  # [8]
    tally: Any  # [5]


class Given(NamedTuple):
    """Sums that real messages gave."""

    items: Longs  # [m]
    contributors: Longs  # [m], people who changed each of these rows
    rows: Doubles  # [m, w]
    head: Doubles  # [h]
    weights: tuple[float, float]  # of all participants, for rows and for the head


@new_sums.rule(Integers)
def _new_sums(sum: Integers, blocks: int, items: int, row: int, head: int, lengths: Floats) -> Sums:
    # Memory is only committed where it is written: as many rows as a block's participants touch.
    return Sums(
        rows=np.empty((items, row + 1), np.float32),
        integers=np.empty((blocks * items, row + 1), np.int64),
        ids=np.empty(blocks * items, np.int32),
        where=np.full((blocks, items), -1, np.int32),
        head=np.empty((blocks, head), np.int64),
        total=np.zeros((blocks, 4)),
        first=np.full(items, -1, np.int32),
        next=np.empty(blocks * items, np.int32),
        changed=np.empty(items, np.int32),
        fault=np.zeros((blocks, 3)),
        now=np.zeros(8, np.int64),
        tally=np.zeros(5, np.int64),
    )


@helper
def threshold(sum, people):
    """How many of so many participants must be heard."""
    return min(people, int(sum.share * people) + 1) if sum.share > 0 else sum.least


@open_sums.rule(Integers)
def _open_sums(sum, sums, participants, heard, run, slot, round):
    now = sums.now
    part = max(participants, 1) if sum.shared else 1
    now[PEOPLE], now[HEARD], now[THRESHOLD] = participants, heard, threshold(sum, participants)
    now[NEEDED] = sum.k + heard - now[THRESHOLD] if sum.k > 0 else 1
    now[ROW_LIMIT], now[HEAD_LIMIT] = sum.row_most // part, sum.head_most // part
    now[WEIGHT_LIMIT], now[SENT] = sum.weight_most // part, 0


@helper
def happens(sum, sums):
    """Whether there is a sum: enough people are there, and all numbers are as they should be."""
    now = sums.now
    enough = now[HEARD] >= now[THRESHOLD] and now[THRESHOLD] >= sum.least
    return enough and sums.fault[:, 0].max() == FINE


@clear.rule(Integers)
def _clear(sum, sums, block):
    forget(sums, block)


@helper
def integer(value, scale, limit, fault):
    """The integer of a number; `fault` [3] notes one that cannot be summed."""
    scaled = np.rint(value * scale)
    # 2^63 as a float is exact, while most limits are not: compare integers, once they are some.
    if abs(scaled) < 9223372036854775808.0:
        found = np.int64(scaled)
        if abs(found) > limit and fault[0] == FINE:
            fault[0], fault[1], fault[2] = TOO_LARGE, abs(value), limit / scale
        return found
    if fault[0] == FINE:
        fault[0] = TOO_LARGE if abs(value) < np.inf else NOT_FINITE
        fault[1], fault[2] = abs(value), limit / scale
    return np.int64(0)


@helper
def furthest(numbers):
    """The largest absolute value in an array [n, d]; NaN if one is NaN."""
    found = 0.0
    for n in range(len(numbers)):
        for d in range(numbers.shape[1]):
            value = abs(float(to_float32(numbers[n, d])))
            if not value <= found:
                found = value
                if value != value:
                    return found
    return found


@look_at_model.rule(Integers)
def _look_at_model(sum, sums, server, slot):
    """Participants encrypt the model anew, and refuse one with a weight above the limit."""
    if sum.model_most > 0:
        fault, heads = sums.fault[0], server.head[slot : slot + 1]
        rows = server.rows[server.offset[slot] : server.offset[slot + 1]]
        for value in (furthest(rows), furthest(heads)):
            if fault[0] == FINE:
                integer(value, sum.row_scale, sum.model_most, fault)
                if fault[0] == TOO_LARGE:
                    fault[0] = TOO_HEAVY


@helper
def weigh(sums, block, weight, column, fault):
    """Add a participant's weight to the totals, which are sums of whole numbers."""
    whole = integer(weight, 1.0, sums.now[WEIGHT_LIMIT], fault)
    if whole != weight and fault[0] == FINE:
        fault[0], fault[1] = NOT_WHOLE, weight
    sums.total[block, column] += whole


@accumulate.rule(Integers)
def _accumulate(sum, rule, updates, place, person, heard, sums, block):
    if not heard:
        return
    begin, end, instances = updates.offset[place], updates.offset[place + 1], updates.size[place]
    weight, heads = float(row_weight(rule, instances)), float(head_weight(rule, instances))
    fault, wide = sums.fault[block], width(updates)
    weigh(sums, block, weight, 0, fault)
    weigh(sums, block, heads, 1, fault)
    ids, rows, where, limit = updates.ids, updates.rows, sums.where[block], sums.now[ROW_LIMIT]
    items, totals, last = sums.ids, sums.integers, block * len(where) + int(sums.total[block, 3])
    for n in range(begin, end if weight > 0 else begin):
        item = ids[n]
        at = where[item]
        if at < 0:
            at = last
            where[item], items[at] = at, item
            for d in range(wide + 1):
                totals[at, d] = 0
            last += 1
        for d in range(wide):
            totals[at, d] += integer(weight * float(rows[n, d]), sum.row_scale, limit, fault)
        totals[at, wide] += 1
    sums.total[block, 3] = last - block * len(where)
    for d in range(updates.head.shape[1]):
        value = heads * float(updates.head[place, d])
        sums.head[block, d] += integer(value, sum.head_scale, sums.now[HEAD_LIMIT], fault)


@helper
def contributors(sums, item):
    """How many people changed an item's row."""
    count, at, last = 0, sums.first[item], sums.integers.shape[1] - 1
    while at >= 0:
        count += sums.integers[at, last]
        at = sums.next[at]
    return count


@collect.rule(Integers)
def _collect(sum, sums):
    """Keep the items that have enough contributors."""
    found, kept, there = chain_up(sums), 0, happens(sum, sums)
    changed, tally = sums.changed, sums.tally
    for n in range(found):
        item = changed[n]
        count = contributors(sums, item)
        if there and count >= sums.now[NEEDED]:
            changed[kept] = item
            kept += 1
            tally[FEWEST] = count if tally[FEWEST] == 0 else min(count, tally[FEWEST])
        else:
            sums.first[item] = -1
            tally[WITHHELD] += there
    tally[AGGREGATIONS] += 1
    tally[FAILED] += not there
    tally[ROWS] += kept
    sums.now[SENT] = kept
    return kept


@changed_item.rule(Integers)
def _changed_item(sum, sums, n):
    return sums.changed[n]


@row_total.rule(Integers)
def _row_total(sum, sums, item):
    following, integers, rows = sums.next, sums.integers, sums.rows
    first, wide = sums.first[item], sums.integers.shape[1] - 1
    n = following[first]
    while n >= 0:
        for d in range(wide + 1):
            integers[first, d] += integers[n, d]
        n = following[n]
    for d in range(wide):
        rows[item, d] = np.float32(integers[first, d] / sum.row_scale)
    rows[item, wide] = integers[first, wide]
    sums.first[item] = -1
    return item


@head_total.rule(Integers)
def _head_total(sum, sums, d):
    total = 0
    for block in range(len(sums.total)):
        total += sums.head[block, d]
    return np.float32(total / sum.head_scale)


@weights_and_rows.rule(Integers)
def _weights_and_rows(sum, sums):
    rows = heads = 0.0
    if happens(sum, sums):
        for block in range(len(sums.total)):
            rows += sums.total[block, 0]
            heads += sums.total[block, 1]
    return rows, heads, sums.now[SENT]


def fill(sum: Integers, sums: Sums, given: Given) -> None:
    """Put sums that others computed into block 0, as if their updates had been accumulated here."""
    clear(sum, sums, 0)
    count = len(given.items)
    rows, head = np.rint(given.rows * sum.row_scale), np.rint(given.head * sum.head_scale)
    sums.integers[:count, :-1], sums.integers[:count, -1] = rows, given.contributors
    sums.ids[:count], sums.where[0, given.items] = given.items, np.arange(count)
    sums.head[0], sums.total[0] = head, (*given.weights, 0, count)


def counted(sum: Any, sums: Sums) -> Longs:
    """What checkpoints hold of all aggregations, whatever became `Integers`."""
    found: Longs = sums.tally
    return found


@check_sums.rule(Integers)
def _check_sums(sum: Integers, sums: Sums) -> None:
    wrong = np.flatnonzero(sums.fault[:, 0])
    if not len(wrong):
        return
    kind, value, largest = sums.fault[wrong[0]].tolist()
    if kind == NOT_FINITE or math.isnan(value):
        raise RecipeError(
            "An update is not finite, and cannot be summed as integers: the model has diverged.",
            "Lower its learning rate (model.step).",
        )
    if kind == NOT_WHOLE:
        raise RecipeError(
            f"A participant has the weight {value:g}, and sums of integers need whole weights.",
            'Choose another rule, such as protocol.aggregate = "mf-fedavg".',
        )
    if kind == TOO_HEAVY:
        raise RecipeError(
            f"A weight of the model is {value:g}, and {largest:g} is the largest that can be encrypted.",
            "Set a larger protocol.sum.weight, or lower the learning rate (model.step).",
        )
    room = "protocol.sum.bits = 64, or fewer binary places" if sum.shared else "a larger protocol.sum.change"
    raise RecipeError(
        f"A number to be summed is {value:g}, and with {sums.now[PEOPLE]} participants {largest:g} is the "
        "largest that cannot overflow the sum.",
        f"Give sums more room ({room}), or bound updates (privacy.steps = ['clip']).",
    )
