"""Who sends what to whom, and when, in plain Python from the definitions: cycle by cycle, node by node.

It shares with the engine only the random draws (`stream`, `uniform` and `below`, by purpose), and what
nodes know of each other where that is learnt (`Views` of shuffled and personalized peers).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sottovoce.kernels import ARRIVAL, GRAPH, LOSS, PEERS, PHASE, below, stream, uniform
from sottovoce.peers.complete import Complete
from sottovoce.peers.k_out import KOut
from sottovoce.peers.uniform import Uniform
from sottovoce.simulate.engine import Simulation
from sottovoce.timing import Timing

TRIES = 50


class Message(NamedTuple):
    """One that was sent."""

    sender: int
    receiver: int
    start: float
    end: float
    number: int
    arrives: bool


def online(timing: Timing, node: int, begin: float, end: float) -> bool:
    """Whether one session of a node has begun by `begin` and ends after `end`."""
    if len(timing.first) == 0:
        return True
    own = range(timing.first[node], timing.first[node + 1])
    return any(timing.since[n] <= begin and end < timing.until[n] for n in own)


def different(key: int, count: int, wanted: int) -> list[int]:
    """Different random numbers below `count`, in the order in which they are first drawn."""
    found: list[int] = []
    draw = 0
    while len(found) < wanted:
        number = int(below(key, draw, count))
        found += [] if number in found else [number]
        draw += 1
    return found


def graph(nodes: int, k: int, run: int, node: int) -> list[int]:
    """The neighbours of a node in a fixed random k-out graph."""
    others = [other for other in range(nodes) if other != node]
    return [others[n] for n in different(stream(run, GRAPH, node, 0), nodes - 1, min(k, nodes - 1))]


def chosen(s: Simulation, node: int, time: float, cycle: int, pushes: int) -> list[int]:
    """Whom a node sends to in one of its cycles: only those online, different ones except if `complete`."""
    peers: Any = s.peers
    nodes = len(s.timing.upload)
    if isinstance(peers, Uniform | Complete):
        others = [other for other in range(nodes) if other != node]
        again = isinstance(peers, Complete)
        key = stream(s.seed, PEERS, node, cycle if again else cycle // peers.refresh)
        wanted = pushes if again else min(pushes, len(others))
        found: list[int] = []
        for draw in range(TRIES * wanted):
            other = others[below(key, draw, len(others))]
            if len(found) < wanted and online(s.timing, other, time, time) and (again or other not in found):
                found.append(other)
        return found
    if isinstance(peers, KOut):
        known = graph(nodes, peers.k, s.seed, node)
    else:
        known = [int(other) for other in s.views.neighbours[node] if other >= 0]
    known = [other for other in known if online(s.timing, other, time, time)]
    key = stream(s.seed, PEERS, node, cycle)
    return [known[n] for n in different(key, len(known), min(pushes, len(known)))]


def sent(s: Simulation, begin: float, end: float, pushes: int, share: float) -> Iterator[Message]:
    """All messages whose transfer begins from `begin` on and before `end`, node by node.

    A message is that `share` of a full model. Those of one cycle go at the same time, so that each gets
    its part of the bandwidth. Without time everybody sends when a round begins, and messages arrive in random
    order in its second half.
    """
    timing, run = s.timing, s.seed
    for node in range(len(timing.upload)):
        models = pushes * share if timing.timed else 1.0
        length = models / timing.upload[node]
        phase = uniform(stream(run, PHASE, node, 0), 0) * length if timing.timed else 0.0
        cycle = 0
        while (start := phase + cycle * length) < end:
            there = start >= begin and online(timing, node, start, start)
            for m, peer in enumerate(chosen(s, node, start, cycle, pushes) if there else []):
                number = cycle * pushes + m
                over = start + max(length, models / pushes / timing.download[peer]) + timing.latency
                lost = uniform(stream(run, LOSS, node, number), 0) < timing.loss
                intact = online(timing, node, start, over) and online(timing, peer, start, over)
                if not timing.timed:
                    over -= uniform(stream(run, ARRIVAL, node, number), 0) / 2 * (over - start)
                yield Message(node, peer, float(start), float(over), number, intact and not lost)
            cycle += 1
