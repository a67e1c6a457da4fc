"""Gossip learning (Algorithm 3, Hegedűs et al. 2019).

Everybody has a model. In each of its cycles, a node that is online sends its model to some peers that are
online. The receiver merges it into its own model and then trains the result on its own data. A cycle takes as
long as the node's upload of these messages, so that bandwidth is fully used.
"""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.kernels import driver, inlined, prange
from sottovoce.peers.interface import Views, select
from sottovoce.protocols.interface import NOBODY, Messages, exchanges, hosts, relays, trainings
from sottovoce.registry import component
from sottovoce.state import Bools, Hosts, each_alone
from sottovoce.timing import Timing, arrival, arrives, cycle_load, first_tick, phase, stays


@component("protocol", "gossip", topology="peers")
class Gossip(NamedTuple):
    """Peers exchange models; there is no server."""

    pushes: Annotated[int, Ge(1)] = 1
    """Messages a node sends in a cycle, each to another peer."""
    start: Literal["common", "independent"] = "common"
    """Whether all nodes begin with the same model and vector, or each with its own."""
    relay: Annotated[int, Ge(0)] = 0
    """Receivers pass on the models of nodes with fewer links than this as they are, neither merged nor
    trained, so that they spread as fast as other models (Giaretta and Girdzijauskas 2019)."""


@hosts.rule(Gossip)
def _hosts(protocol: Gossip, train: Interactions, seed: int) -> Hosts:
    return each_alone(train.people)


@trainings.rule(Gossip)
def _trainings(protocol: Gossip, timed: bool, size: float) -> float:
    return 1 / size if timed else protocol.pushes


@relays.rule(Gossip)
def _relays(protocol: Gossip, views: Views) -> Bools:
    if protocol.relay == 0 or len(views.neighbours) == 0:
        return np.empty(0, np.bool_)
    return np.asarray(np.count_nonzero(views.neighbours >= 0, axis=1) < protocol.relay)


@discloses.rule(Gossip)
def _discloses(component: Any) -> tuple[Disclosure, ...]:
    return (
        Disclosure(
            "the whole model: every item's row and how often it was updated, the head, how often the model "
            "was trained, and the number of one's own interactions",
            "peers",
            "Models become mixtures of everybody's. But a peer that sees two of a node's models one after "
            "the other sees which rows changed between them, and that tells what was rated.",
        ),
    )


@driver
def _count(timing, cycle_load, run, begin, end, cycles):
    """Write how many cycles of each node begin between `begin` and `end`."""
    for index in prange(len(cycles)):
        node = np.int64(index)
        cycle = cycle_load / timing.upload[node]
        offset = phase(timing, node, cycle, run)
        cycles[node] = first_tick(end, offset, cycle) - first_tick(begin, offset, cycle)


@inlined
def _cycle(peers, views, timing, cycle_load, run, begin, node, at, count, chosen, sent):
    """Write the messages of one node's cycles, from `at`; receiver -1 where none is sent or none arrives."""
    cycle = cycle_load / timing.upload[node]
    offset = phase(timing, node, cycle, run)
    tick = first_tick(begin, offset, cycle)
    # Arrays of their own: a tuple of arrays that is passed on for every message costs more than all else.
    senders, receivers, starts, ends, numbers, _ = sent
    download, latency = timing.download, timing.latency
    always = len(timing.first) == 0
    sure = always and timing.loss == 0
    for n in range(count):
        start = offset + (tick + n) * cycle
        found = 0
        if always or stays(timing, node, start, start):
            found = select(peers, views, timing, start, node, run, tick + n, chosen)
        for m in range(len(chosen)):
            place = at + n * len(chosen) + m
            number = (tick + n) * len(chosen) + m
            senders[place] = node if m < found else NOBODY
            receivers[place] = -1
            if m < found:
                # All of a cycle's messages share the upload, and each has a download to itself.
                end = start + max(cycle, cycle_load / len(chosen) / download[chosen[m]]) + latency
                starts[place] = start
                ends[place] = arrival(timing, node, start, end, run, number)
                numbers[place] = number
                if sure or arrives(timing, node, chosen[m], start, end, run, number):
                    receivers[place] = chosen[m]


@driver
def _send(peers, views, timing, cycle_load, run, begin, first, pushes, sent):
    for index in prange(len(first) - 1):
        node = np.int64(index)
        chosen = np.empty(pushes, np.int32)
        at, count = first[node] * pushes, first[node + 1] - first[node]
        _cycle(peers, views, timing, cycle_load, run, begin, node, at, count, chosen, sent)


def sent_messages(
    pushes: int, peers: Any, views: Views, timing: Timing, size: float, run: int, round: int
) -> Messages:
    """All messages of the cycles that begin in a round; the receiver is -1 where one does not get through."""
    nodes = len(timing.upload)
    begin, end = round * timing.round, (round + 1) * timing.round
    models = cycle_load(timing, size * pushes)
    cycles = np.empty(nodes, np.int64)
    _count(timing, models, run, begin, end, cycles, batch=nodes)
    first = np.concatenate([[0], np.cumsum(cycles)])
    total = int(first[-1]) * pushes
    sent = Messages(
        sender=np.empty(total, np.int32),
        receiver=np.empty(total, np.int32),
        start=np.empty(total),
        end=np.empty(total),
        number=np.empty(total, np.int64),
        place=np.full(total, -1, np.int32),
    )
    _send(peers, views, timing, models, run, begin, first, pushes, sent, batch=nodes)
    return sent.only(sent.sender >= 0)


@exchanges.rule(Gossip)
def send(
    protocol: Any, peers: Any, views: Views, timing: Timing, size: float, run: int, round: int
) -> tuple[Messages, int]:
    """The messages of a round that get through: see `exchanges`. It needs the setting `pushes`."""
    sent = sent_messages(protocol.pushes, peers, views, timing, size, run, round)
    return sent.only(sent.receiver >= 0), len(sent.sender)
