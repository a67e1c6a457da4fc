"""Federated learning (Algorithms 1 and 2, Hegedűs et al. 2019).

A server holds the model. In each round it sends it to everybody who is online; they train it on their
own data and send back what they changed, compressed; the server moves by the average. People's
vectors stay with them. A client keeps no table: it holds the rows that it touches, while it trains.

A round takes a download and an upload. Who goes offline in it, or is too slow for it, is left out.
"""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.combine.aggregate import by_row, head_weight, row_weight
from sottovoce.exchange import codec
from sottovoce.exchange.compression import rows
from sottovoce.exchange.pack import round_off
from sottovoce.kernels import (
    COMPRESSION,
    LOSS,
    PARTICIPANTS,
    ROUNDING,
    STORAGE,
    below,
    driver,
    helper,
    inlined,
    load,
    prange,
    store,
    stream,
    uniform,
)
from sottovoce.models import train
from sottovoce.models._study import fetch
from sottovoce.protocols import advance, hosts, nodes, prepare, trainings
from sottovoce.registry import component
from sottovoce.state import Tables, gathered, limited, rounding, width
from sottovoce.timing import Timing, stays

BLOCKS = 16
"""Participants are summed up in so many blocks, whatever the number of threads."""


@component("protocol", "federated")
class Federated(NamedTuple):
    """A server averages what participants change."""

    participants: Annotated[int, Ge(0)] = 0
    """C, how many of those online take part in a round, at random; 0: all of them."""
    start: Literal["common", "independent"] = "independent"
    """Whether people begin with the same vector, or each with an own one."""


class Sums(NamedTuple):
    """What blocks of participants add up."""

    rows: Any  # [blocks, items, w]
    weight: Any  # [blocks, items], the weights of those who changed a row
    head: Any  # [blocks, h]
    total: Any  # [blocks, 3], weights of all participants for rows and head; rows that were sent


@hosts.rule(Federated)
def _hosts(protocol, people):
    return np.zeros(people, np.int32), 1


@nodes.rule(Federated)
def _nodes(protocol, people):
    return people


@trainings.rule(Federated)
def _trainings(protocol, timed, size):
    return 1 / (1 + size) if timed else 1


@inlined
def _receive(model, server, scratch, slot, people, person, run):
    """Gather the rows that a person is about to touch; their ages count from zero."""
    fetch(model, server, 0, scratch, slot, people, person, run)
    scratch.age[scratch.offset[slot] : scratch.offset[slot + 1]] = 0
    for d in range(server.head.shape[1]):
        scratch.head[slot, d] = server.head[0, d]
    scratch.clock[slot] = server.clock[0]


@inlined
def _difference(server, scratch, slot):
    """Turn a trained slot into an Update of the rows that changed; return how many these are."""
    begin, count = scratch.offset[slot], 0
    age, rows, ids, known = scratch.age, scratch.rows, scratch.ids, server.rows
    for n in range(begin, scratch.offset[slot + 1]):
        if age[n] > 0:
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


@inlined
def _client(rule, model, chain, most, server, scratch, people, person, run, round, block, sums):
    """One participant: receive, train, send what changed; the server adds it to a block's sums."""
    slot = 2 * block
    _receive(model, server, scratch, slot, people, person, run)
    instances = train(model, scratch, slot, people, person, run)
    people.steps[person] += 1
    count = _difference(server, scratch, slot)
    count = _compress(chain, scratch, slot, count, most, run, people.key[person], round)
    weight, heads = np.float32(row_weight(rule, instances)), np.float32(head_weight(rule, instances))
    begin = scratch.offset[slot]
    weights, totals, ids, rows = sums.weight[block], sums.rows[block], scratch.ids, scratch.rows
    for n in range(begin, begin + count):
        item = ids[n]
        weights[item] += weight
        for d in range(width(server)):
            totals[item, d] += weight * rows[n, d]
    for d in range(server.head.shape[1]):
        sums.head[block, d] += heads * scratch.head[slot, d]
    sums.total[block, 0] += weight
    sums.total[block, 1] += heads
    sums.total[block, 2] += count


@helper
def _block(rule, model, chain, most, server, scratch, people, persons, run, round, block, sums):
    sums.rows[block] = 0
    sums.weight[block] = 0
    sums.head[block] = 0
    sums.total[block] = 0
    blocks = len(sums.total)
    for n in range(block * len(persons) // blocks, (block + 1) * len(persons) // blocks):
        _client(rule, model, chain, most, server, scratch, people, persons[n], run, round, block, sums)


@helper
def _move(rule, server, item, everybody, sums, key):
    """Move a row of the server by the average of what was sent about it."""
    weight = np.float32(0)
    for block in range(len(sums.total)):
        weight += sums.weight[block, item]
    if weight > 0:
        share = np.float32(1) / (weight if by_row(rule) else everybody)
        for d in range(width(server)):
            total = np.float32(0)
            for block in range(len(sums.total)):
                total += sums.rows[block, item, d]
            moved = load(server.rows[item, d]) + total * share
            server.rows[item, d] = store(server.rows, moved, rounding(server, key, item, d))
        server.age[item] = limited(server, server.age[item] + np.int32(1))


@helper
def _finish(server, sums):
    """Move the head likewise, by everybody's; return the weight of everybody's rows."""
    rows = heads = 0.0
    for block in range(len(sums.total)):
        rows += sums.total[block, 0]
        heads += sums.total[block, 1]
    for d in range(server.head.shape[1]):
        total = np.float32(0)
        for block in range(len(sums.total)):
            total += sums.head[block, d]
        if heads > 0:
            server.head[0, d] += total / np.float32(heads)
    return np.float32(rows)


@driver
def _round(rule, model, chain, most, server, scratch, people, persons, run, round, sums):
    """One round with these participants."""
    for block in prange(len(sums.total)):
        _block(rule, model, chain, most, server, scratch, people, persons, run, round, block, sums)
    everybody = _finish(server, sums)
    key = stream(run, STORAGE, -1, round)
    for item in prange(len(server.age)):
        _move(rule, server, item, everybody, sums, key)


@helper
def _duration(timing, node, down, up):
    """How long a node's download and upload take, in full models."""
    return down / timing.download[node] + up / timing.upload[node] + 2 * timing.latency


@driver
def _attend(timing, down, up, begin, length, run, round, there):
    """Write 0 for who is offline when a round begins, 1 for who fails in it, and 2 for who completes it."""
    for node in prange(len(there)):
        there[node] = 0
        if stays(timing, node, begin, begin):
            takes = length if not timing.timed else _duration(timing, node, down, up)
            lost = stream(run, LOSS, node, round)
            arrives = uniform(lost, 0) >= timing.loss and uniform(lost, 1) >= timing.loss
            in_time = takes <= length * (1 + 1e-9) and stays(timing, node, begin, begin + takes)
            there[node] = 2 if arrives and in_time else 1


@driver
def _draw(there, count, run, round):
    """Leave only `count` random ones of those who are there, offline again the others."""
    online = np.flatnonzero(there)
    key = stream(run, PARTICIPANTS, 0, round)
    for n in range(len(online)):
        if n < count:
            other = n + below(key, n, len(online) - n)
            online[n], online[other] = online[other], online[n]
        else:
            there[online[n]] = 0


def _length(timing: Timing, size: float) -> float:
    """How long a round takes: download and upload on an ordinary link."""
    return (1 + size) * timing.round + 2 * timing.latency if timing.timed else timing.round


def _scratch(network: Any, blocks: int) -> tuple[Tables, Sums]:
    items, (row, head, _) = network.items, network.shape
    scratch = gathered([items, 0] * blocks, row, head, items)
    shape = (blocks, items)
    none = np.empty((*shape, row), np.float32), np.empty(shape, np.float32)
    return scratch, Sums(*none, np.empty((blocks, head), np.float32), np.empty((blocks, 3)))


def _arguments(network: Any, persons: Any, round: int) -> tuple[Any, ...]:
    scratch, sums = _scratch(network, min(BLOCKS, max(1, len(persons) // 4)))
    chain = network.chain
    most = rows(chain, network.items)
    models = network.tables, scratch, network.people, persons
    return network.merge, network.model, chain, most, *models, network.seed, round, sums


@prepare.rule(Federated)
def _prepare(protocol: Federated, network: Any) -> None:
    _round.compile(
        *_arguments(network, np.arange(len(network.people.steps), dtype=np.int64), 0), batch=BLOCKS
    )


@advance.rule(Federated)
def _advance(protocol: Federated, network: Any, rounds: int) -> None:
    timing, seed = network.timing, network.seed
    length = _length(timing, network.size)
    there = np.empty(len(timing.upload), np.int8)
    for _ in range(rounds):
        begin, network.round = network.now, network.round + 1
        number = round_at(begin, length)
        while (number + 1) * length <= network.now:
            _attend(timing, 1.0, network.size, number * length, length, seed, number, there, batch=len(there))
            if protocol.participants:
                _draw(there, protocol.participants, seed, number)
            persons = np.flatnonzero(there == 2)
            if len(persons):
                arguments = _arguments(network, persons, number)
                _round(*arguments, batch=len(persons))
                _count(
                    network, int(np.count_nonzero(there)), len(persons), int(arguments[-1].total[:, 2].sum())
                )
            network.tables.clock[0] += 1
            number += 1


def round_at(time: float, length: float) -> int:
    """The number of the first round that was not over at `time`."""
    number = max(0, int(time / length) - 1)
    while (number + 1) * length <= time:
        number += 1
    return number


def _count(network: Any, downloads: int, uploads: int, sent: int) -> None:
    """Messages and bytes of a round: whole models down, and as many rows as were sent up."""
    row, head = network.shape.row, network.shape.head
    bits = network.chain.bits
    empty, one = (codec.size(count, row, head, True, bits) for count in (0, 1))
    network.messages += downloads + uploads
    network.arrived += 2 * uploads
    network.bytes += downloads * codec.size(network.items, row, head, False)
    network.bytes += uploads * empty + sent * (one - empty)
