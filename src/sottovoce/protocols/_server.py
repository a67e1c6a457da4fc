"""A server that averages what participants change: what `federated` and its relatives share.

A protocol with a server says by `aggregation` who takes part and what is done beside, and uses the
pieces here: `aggregate` lets participants train and moves the model, `charge` counts what that sent.

A client keeps no table: it holds the rows that it touches, while it trains. Each of a fixed number of
blocks of participants adds up the rows it saw, in the order in which it saw them.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.aggregate import by_row, emphasis, head_weight, row_weight, stride
from sottovoce.disclosure import Disclosure
from sottovoce.exchange import codec
from sottovoce.exchange.compression import rows
from sottovoce.exchange.pack import round_off
from sottovoce.kernels import (
    COMPRESSION,
    ROUNDING,
    STORAGE,
    below,
    driver,
    helper,
    inlined,
    load,
    operation,
    prange,
    store,
    stream,
)
from sottovoce.models import train
from sottovoce.models._study import fetch
from sottovoce.protocols import advance, hosts, nodes, trainings
from sottovoce.protocols._blocks import BLOCKS, divide
from sottovoce.protocols._participants import Groups, terms
from sottovoce.state import Tables, gathered, width
from sottovoce.storage import limited, rounding

CHANGES = Disclosure(
    "how training changed items' rows and the head, and the number of instances it was on",
    "the server",
    "Which rows changed tells what was rated, though sampled negatives are among them. How they changed "
    "tells more: after a single step of plain SGD even the ratings (Chai et al. 2021).",
)
"""What every participant of an aggregation sends."""


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
def _receive(model, server, scratch, slot, people, person, run):
    """Gather the rows that a person is about to touch, with their ages."""
    fetch(model, server, 0, scratch, slot, people, person, run)
    age, ids, known = scratch.age, scratch.ids, server.age
    for n in range(scratch.offset[slot], scratch.offset[slot + 1]):
        age[n] = known[ids[n]]
    for d in range(server.head.shape[1]):
        scratch.head[slot, d] = server.head[0, d]
    scratch.clock[slot] = server.clock[0]


@inlined
def _difference(server, scratch, slot):
    """Turn a trained slot into an Update of the rows that changed; return how many these are."""
    begin, count = scratch.offset[slot], 0
    age, rows, ids, known, before = scratch.age, scratch.rows, scratch.ids, server.rows, server.age
    for n in range(begin, scratch.offset[slot + 1]):
        if age[n] > before[ids[n]]:
            item, at = ids[n], begin + count
            ids[at] = item
            for d in range(width(server)):
                rows[at, d] = rows[n, d] - load(known[item, d])
            count += 1
    for d in range(server.head.shape[1]):
        scratch.head[slot, d] -= server.head[0, d]
    return count


@inlined
def _compress(chain, scratch, slot, count, most, run, who, round):
    """Keep at most `most` random rows of an Update, and round them; return how many are left."""
    begin = scratch.offset[slot]
    if count > most:
        key = stream(run, COMPRESSION, who, round)
        for n in range(most):
            a, b = begin + n, begin + n + below(key, n, count - n)
            scratch.ids[a], scratch.ids[b] = scratch.ids[b], scratch.ids[a]
            for d in range(width(scratch)):
                scratch.rows[a, d], scratch.rows[b, d] = scratch.rows[b, d], scratch.rows[a, d]
        count = most
    if chain.bits < 32 and count > 0:
        key = stream(run, ROUNDING, who, round)
        for d in range(width(scratch)):
            round_off(scratch.rows[begin : begin + count, d], chain.bits, key, d)
        if scratch.head.shape[1]:
            round_off(scratch.head[slot], chain.bits, key, -1)
    return count


@helper
def _length(scratch, slot, count):
    """How far an Update is from none at all."""
    total, begin, rows = 0.0, scratch.offset[slot], scratch.rows
    for n in range(begin, begin + count):
        for d in range(width(scratch)):
            total += rows[n, d] * rows[n, d]
    for d in range(scratch.head.shape[1]):
        total += scratch.head[slot, d] * scratch.head[slot, d]
    return math.sqrt(total) if total < np.inf else 0.0


@inlined
def _client(rule, model, chain, most, server, scratch, people, person, heard, run, round, block, sums):
    """One participant: receive, train, send what changed; if heard, the server adds it to a block's sums."""
    slot = 2 * block
    _receive(model, server, scratch, slot, people, person, run)
    instances = train(model, scratch, slot, people, person, run)
    people.steps[person] += 1
    count = _difference(server, scratch, slot)
    count = _compress(chain, scratch, slot, count, most, run, people.key[person], round)
    if len(sums.length) and heard:
        sums.length[person] = _length(scratch, slot, count)
    weight, heads = np.float32(row_weight(rule, instances)), np.float32(head_weight(rule, instances))
    if not heard:
        weight = heads = np.float32(0)
    begin = scratch.offset[slot]
    end = begin + (count if weight > 0 else 0)
    ids, rows, where = scratch.ids, scratch.rows, sums.where[block]
    items, totals, last = sums.ids, sums.rows, block * len(where) + int(sums.total[block, 3])
    for n in range(begin, end):
        item = ids[n]
        at = where[item]
        part = weight * np.float32(emphasis(rule, rows, n))
        if at < 0:
            where[item], items[last] = last, item
            for d in range(width(server)):
                totals[last, d] = part * rows[n, d]
            totals[last, width(server)] = part
            last += 1
        else:
            for d in range(width(server)):
                totals[at, d] += part * rows[n, d]
            totals[at, width(server)] += part
    sums.total[block, 3] = last - block * len(where)
    if heard:
        for d in range(server.head.shape[1]):
            sums.head[block, d] += heads * scratch.head[slot, d]
    sums.total[block, 0] += weight
    sums.total[block, 1] += heads
    sums.total[block, 2] += count


@helper
def _block(rule, model, chain, most, server, scratch, people, group, place, run, round, block, sums):
    persons, heard = group
    where, ids = sums.where[block], sums.ids
    begin = block * len(where)
    for n in range(begin, begin + int(sums.total[block, 3])):
        where[ids[n]] = -1
    sums.head[block] = 0
    sums.total[block] = 0
    parcels = min(len(persons), len(place))
    for p in range(parcels):
        if place[p] == block:
            for n in range(p * len(persons) // parcels, (p + 1) * len(persons) // parcels):
                who = persons[n], heard[n]
                _client(rule, model, chain, most, server, scratch, people, *who, run, round, block, sums)


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
def _move(rule, server, item, everybody, rows, links, key):
    """Move a row of the server by the average of what was sent about it."""
    following, own = links.next, server.rows
    first = links.first[item]
    n = following[first]
    while n >= 0:
        for d in range(width(server) + 1):
            rows[first, d] += rows[n, d]
        n = following[n]
    weight = rows[first, width(server)] if by_row(rule) else everybody
    share = np.float32(stride(rule)) / weight if weight > 0 else np.float32(0)
    for d in range(width(server)):
        moved = load(own[item, d]) + rows[first, d] * share
        own[item, d] = store(own, moved, rounding(server, key, item, d))
    server.age[item] = limited(server, server.age[item] + np.int32(1))
    links.first[item] = -1


@helper
def _finish(rule, server, sums):
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
        if heads > 0:
            server.head[0, d] += np.float32(stride(rule)) * total / np.float32(heads)
    server.clock[0] += 1
    return np.float32(rows), int(sent)


@driver
def _aggregate(rule, model, chain, most, server, scratch, people, groups, place, run, sums, links):
    """One aggregation after the other, each with some of these persons; return how many rows were sent."""
    sent, first = 0, groups.first
    for g in range(len(first) - 1):
        begin, end, blocks, round = first[g], first[g + 1], place[g], server.clock[0]
        group = groups.persons[begin:end], groups.heard[begin:end]
        for block in prange(len(sums.total)):
            _block(rule, model, chain, most, server, scratch, people, group, blocks, run, round, block, sums)
        changed = _link(sums, links)
        everybody, count = _finish(rule, server, sums)
        sent += count
        key = stream(run, STORAGE, -1, round)
        for c in prange(changed):
            _move(rule, server, links.changed[c], everybody, sums.rows, links, key)
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
    scratch, sums, links = _workspace(network)
    chain, most = network.chain, rows(network.chain, network.items)
    parts = network.merge, network.model, chain, most, network.tables, scratch, network.people
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
    empty, one = (codec.size(count, row, head, True, bits) for count in (0, 1))
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
