"""Plain sums: the server sees each update and adds it.

An update is one message, and the server gets each by itself, with the name of its sender.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.aggregate.interface import emphasis, head_weight, row_weight
from sottovoce.combine.sums._chains import chain_up, forget
from sottovoce.combine.sums.interface import (
    accumulate,
    changed_item,
    clear,
    collect,
    head_total,
    new_sums,
    row_total,
    weights_and_rows,
)
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.exchange.update import squared_length
from sottovoce.registry import component
from sottovoce.state import Floats, width


@component("sum", "plain")
class Plain(NamedTuple):
    """The server sees every update and adds them."""


class Sums(NamedTuple):
    """What blocks of participants add up, and where the rows of one item are in all blocks."""

    rows: Any  # [blocks · items, w + 1], with the weights of those who changed a row at its end
    ids: Any  # [blocks · items], the item of each row
    where: Any  # [blocks, items], where a block has an item's row; -1: nowhere
    head: Any  # [blocks, h]
    total: Any  # [blocks, 4], weights of all participants, for rows and head; rows that were sent; rows here
    length: Any  # [people], the length of each person's update, if anybody asks
    first: Any  # [items], an item's row of the first block that has one; -1: none
    next: Any  # [blocks · items], the same item's row of a later block; -1: none
    changed: Any  # [items], the items that have one


@new_sums.rule(Plain)
def _new_sums(sum: Plain, blocks: int, items: int, row: int, head: int, lengths: Floats) -> Sums:
    # Memory is only committed where it is written: as many rows as a block's participants touch.
    return Sums(
        rows=np.empty((blocks * items, row + 1), np.float32),
        ids=np.empty(blocks * items, np.int32),
        where=np.full((blocks, items), -1, np.int32),
        head=np.empty((blocks, head), np.float32),
        total=np.zeros((blocks, 4)),
        length=lengths,
        first=np.full(items, -1, np.int32),
        next=np.empty(blocks * items, np.int32),
        changed=np.empty(items, np.int32),
    )


@clear.rule(Plain)
def _clear(sum, sums, block):
    forget(sums, block)


@accumulate.rule(Plain)
def _accumulate(sum, rule, updates, place, person, heard, sums, block):
    begin, end, instances = updates.offset[place], updates.offset[place + 1], updates.size[place]
    sums.total[block, 2] += end - begin
    if not heard:
        return
    if len(sums.length):
        total = squared_length(updates, place)
        sums.length[person] = math.sqrt(total) if total < np.inf else 0.0
    weight, heads = np.float32(row_weight(rule, instances)), np.float32(head_weight(rule, instances))
    ids, rows, where = updates.ids, updates.rows, sums.where[block]
    items, totals, last = sums.ids, sums.rows, block * len(where) + int(sums.total[block, 3])
    for n in range(begin, end if weight > 0 else begin):
        item = ids[n]
        at = where[item]
        part = weight * np.float32(emphasis(rule, rows, n))
        if at < 0:
            where[item], items[last] = last, item
            for d in range(width(updates)):
                totals[last, d] = part * rows[n, d]
            totals[last, width(updates)] = part
            last += 1
        else:
            for d in range(width(updates)):
                totals[at, d] += part * rows[n, d]
            totals[at, width(updates)] += part
    sums.total[block, 3] = last - block * len(where)
    for d in range(updates.head.shape[1]):
        sums.head[block, d] += heads * updates.head[place, d]
    sums.total[block, 0] += weight
    sums.total[block, 1] += heads


@collect.rule(Plain)
def _collect(sum, sums):
    return chain_up(sums)


@changed_item.rule(Plain)
def _changed_item(sum, sums, n):
    return sums.changed[n]


@row_total.rule(Plain)
def _row_total(sum, sums, item):
    following, rows = sums.next, sums.rows
    first = sums.first[item]
    n = following[first]
    while n >= 0:
        for d in range(rows.shape[1]):
            rows[first, d] += rows[n, d]
        n = following[n]
    sums.first[item] = -1
    return first


@head_total.rule(Plain)
def _head_total(sum, sums, d):
    total = np.float32(0)
    for block in range(len(sums.total)):
        total += sums.head[block, d]
    return total


@weights_and_rows.rule(Plain)
def _weights_and_rows(sum, sums):
    rows = heads = sent = 0.0
    for block in range(len(sums.total)):
        rows += sums.total[block, 0]
        heads += sums.total[block, 1]
        sent += sums.total[block, 2]
    return rows, heads, int(sent)


@discloses.rule(Plain)
def _discloses(component: Plain) -> tuple[Disclosure, ...]:
    return (
        Disclosure(
            "how training changed items' rows and the head, and the number of instances it was on",
            "the server",
            "Which rows changed tells what was rated, though sampled negatives are among them. How they "
            "changed tells more: after a single step of plain SGD even the ratings (Chai et al. 2021).",
        ),
    )
