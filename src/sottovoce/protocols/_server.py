"""A server that averages what participants change: what `federated` and its relatives share.

A protocol with a server says by `aggregation` who takes part and what is done beside, and uses the
pieces here: `aggregate` lets participants train and moves the model, `charge` counts what that sent.

A client keeps no table: it holds the rows that it touches, while it trains. Each of a fixed number of
blocks of participants adds up the rows it saw, in the order in which it saw them.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.aggregate.interface import divisor, emphasis, head_weight, row_weight, stride
from sottovoce.disclosure import Disclosure
from sottovoce.exchange import codec
from sottovoce.exchange.message import UPDATE
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.update import local_update, squared_length
from sottovoce.kernels import (
    STORAGE,
    driver,
    from_float32,
    helper,
    inlined,
    operation,
    prange,
    stream,
    to_float32,
)
from sottovoce.protocols._blocks import BLOCKS, divide
from sottovoce.protocols._participants import Groups, terms
from sottovoce.protocols.interface import advance, hosts, nodes, trainings
from sottovoce.state import Tables, gathered, limited, rounding, width

CHANGES = Disclosure(
    "how training changed items' rows and the head, and the number of instances it was on",
    "the server",
    "Which rows changed tells what was rated, though sampled negatives are among them. How they changed "
    "tells more: after a single step of plain SGD even the ratings (Chai et al. 2021).",
)
"""What every participant of an aggregation sends."""

SERVER = 0
"""The slot of the model that a server holds."""


@operation
def aggregation(protocol, network, terms, begin):
    """One aggregation that begins then, or without time a round of them. Python only.

    `terms` is what it asks of participants. `aggregate` and `charge` carry out and count what this chooses.
    """


class Sums(NamedTuple):
    """What blocks of participants add up: their rows in the order in which a block first saw them."""

    rows: Any  # [blocks · items, w + 1], with the weights of those who changed a row at its end
    ids: Any  # [blocks · items], the item of each row
    where: Any  # [blocks, items], where a block has an item's row; -1: nowhere
    head: Any  # [blocks, h]
    total: Any  # [blocks, 4], weights of all participants, for rows and head; rows that were sent; rows here
    length: Any  # [people], how far each person's change is, if anybody asks


class Links(NamedTuple):
    """Where the rows of one item are in all blocks. Apart from sums, which every participant touches."""

    first: Any  # [items], an item's row of the first block that has one; -1: none
    next: Any  # [blocks · items], the same item's row of a later block; -1: none
    changed: Any  # [items], the items that have one


@inlined
def accumulate(rule, updates, place, person, heard, sums, block):
    """Add an update to what a block of participants sums up; one that is not heard counts as sent only."""
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


@helper
def _block(rule, model, steps, server, slot, updates, people, group, place, run, round, block, sums):
    """Let the participants of one block train, one after the other, and add up what they send."""
    persons, heard = group
    where, ids = sums.where[block], sums.ids
    begin = block * len(where)
    for n in range(begin, begin + int(sums.total[block, 3])):
        where[ids[n]] = -1
    sums.head[block] = 0
    sums.total[block] = 0
    parcels, at = min(len(persons), len(place)), 2 * block
    for p in range(parcels):
        if place[p] == block:
            for n in range(p * len(persons) // parcels, (p + 1) * len(persons) // parcels):
                person = persons[n]
                local_update(model, server, slot, updates, at, people, person, run)
                protect(steps, updates, at, people, person, run, round)
                accumulate(rule, updates, at, person, heard[n], sums, block)


@helper
def _link(sums, links):
    """Chain up what blocks have of each item, the first block's first; return how many items there are."""
    ids, following, first, changed = sums.ids, links.next, links.first, links.changed
    found = 0
    for block in range(len(sums.total) - 1, -1, -1):
        begin = block * len(first)
        for n in range(begin, begin + int(sums.total[block, 3])):
            item = ids[n]
            if first[item] < 0:
                changed[found] = item
                found += 1
            following[n], first[item] = first[item], n
    return found


@helper
def _apply_row(rule, server, slot, item, everybody, rows, links, key):
    """Move a row of the server by what was sent about it; `everybody` is the weight of all participants."""
    following, own, at = links.next, server.rows, server.offset[slot] + item
    first = links.first[item]
    n = following[first]
    while n >= 0:
        for d in range(width(server) + 1):
            rows[first, d] += rows[n, d]
        n = following[n]
    weight = np.float32(divisor(rule, rows[first, width(server)], everybody))
    share = np.float32(stride(rule)) / weight if weight > 0 else np.float32(0)
    for d in range(width(server)):
        moved = to_float32(own[at, d]) + rows[first, d] * share
        own[at, d] = from_float32(own, moved, rounding(server, key, item, d))
    server.age[at] = limited(server, server.age[at] + np.int32(1))
    links.first[item] = -1


@helper
def _apply_head(rule, server, slot, sums):
    """Move the head by everybody's; return the weight of everybody's rows, and how many rows were sent."""
    rows = heads = sent = 0.0
    for block in range(len(sums.total)):
        rows += sums.total[block, 0]
        heads += sums.total[block, 1]
        sent += sums.total[block, 2]
    for d in range(server.head.shape[1]):
        total = np.float32(0)
        for block in range(len(sums.total)):
            total += sums.head[block, d]
        weight = np.float32(divisor(rule, heads, heads))
        if heads > 0:
            server.head[slot, d] += np.float32(stride(rule)) * total / weight
    server.clock[slot] += 1
    return np.float32(rows), int(sent)


@driver
def _aggregate(rule, model, steps, server, slot, updates, people, groups, place, run, sums, links):
    """One aggregation after the other, each with some of these persons; return how many rows were sent."""
    sent, first = 0, groups.first
    for g in range(len(first) - 1):
        begin, end, blocks, round = first[g], first[g + 1], place[g], server.clock[slot]
        group = groups.persons[begin:end], groups.heard[begin:end]
        for b in prange(len(sums.total)):
            _block(rule, model, steps, server, slot, updates, people, group, blocks, run, round, b, sums)
        changed = _link(sums, links)
        everybody, count = _apply_head(rule, server, slot, sums)
        sent += count
        key = stream(run, STORAGE, -1, round)
        for c in prange(changed):
            _apply_row(rule, server, slot, links.changed[c], everybody, sums.rows, links, key)
    return sent


def _workspace(network: Any) -> tuple[Tables, Sums, Links]:
    """What participants are worked on in: made once, because it is large; none of it outlives an aggregation.

    Memory is only committed where it is written: as many rows as a block's participants touch.
    """
    if network.workspace is None:
        items, (row, head, _) = network.items, network.shape
        sums = Sums(
            rows=np.empty((BLOCKS * items, row + 1), np.float32),
            ids=np.empty(BLOCKS * items, np.int32),
            where=np.full((BLOCKS, items), -1, np.int32),
            head=np.empty((BLOCKS, head), np.float32),
            total=np.zeros((BLOCKS, 4)),
            length=network.kept.get("useful", np.empty(0, np.float32)),
        )
        links = Links(
            first=np.full(items, -1, np.int32),
            next=np.empty(BLOCKS * items, np.int32),
            changed=np.empty(items, np.int32),
        )
        network.workspace = gathered([items, 0] * BLOCKS, row, head, items), sums, links
    made: tuple[Tables, Sums, Links] = network.workspace
    return made


def _carry_out(network: Any, groups: Groups, run: Any) -> Any:
    updates, sums, links = _workspace(network)
    parts = network.merge, network.model, network.steps, network.tables, SERVER, updates, network.people
    # The same form of the driver for a group of whatever size, because just that one was prepared.
    each = network.protocol.participants or len(network.people.steps)
    place = divide(network.people.indptr, groups.first, groups.persons)
    return run(*parts, groups, place, network.seed, sums, links, batch=each)


def ready(network: Any, groups: Groups) -> None:
    """Compile what `aggregate` needs."""
    _carry_out(network, groups, _aggregate.compile)


def aggregate(network: Any, groups: Groups) -> int:
    """Let these people train, and move the model by what of it arrives; how many rows they sent."""
    return int(_carry_out(network, groups, _aggregate))


def charge(network: Any, groups: Groups, sent: int, vector: int = 0) -> None:
    """Count the messages of an aggregation and their bytes: whole models down, `sent` rows up.

    Those that do not arrive count like others, as in gossip. With them a person's vector of so many
    numbers goes both ways, as a part of the head that is never rounded.
    """
    row, head, bits = network.shape.row, network.shape.head, network.chain.bits
    empty, one = (codec.size(count, row, head, True, bits, UPDATE) for count in (0, 1))
    uploads = len(groups.persons)
    network.messages += groups.asked + uploads
    network.arrived += uploads + groups.dropped + int(np.count_nonzero(groups.heard))
    network.bytes += groups.asked * codec.size(network.items, row, head + vector, False)
    network.bytes += uploads * (empty + 4 * vector) + sent * (one - empty)


def _hosts(protocol, people):
    return np.zeros(people, np.int32), 1


def _nodes(protocol, people):
    return people


def _trainings(protocol, timed, size):
    return 1 / (1 + size) if timed else 1


def _advance(protocol: Any, network: Any, rounds: int) -> None:
    timing, clock = network.timing, network.tables.clock
    asked = terms(timing, network.size, protocol.dropout)
    for _ in range(rounds):
        begin, network.round = network.now, network.round + 1
        if not timing.timed:
            aggregation(protocol, network, asked, begin)
        while timing.timed and (clock[0] + 1) * asked.length <= network.now * (1 + 1e-9):
            aggregation(protocol, network, asked, clock[0] * asked.length)


def served(protocol: type) -> type:
    """Make a protocol one with a server: it needs only an `aggregation` and what that has to `prepare`."""
    for shared, rule in ((hosts, _hosts), (nodes, _nodes), (trainings, _trainings), (advance, _advance)):
        shared.rule(protocol)(rule)
    return protocol
