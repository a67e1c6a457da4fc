"""When nodes are online, and how long a message takes: all that a network's clock depends on.

Time is in seconds. A synchronous round is the special case in which everybody is always online and
sends at the same moment. Its messages arrive in random order before the round ends, after one second.
"""

import hashlib
from typing import NamedTuple

import numpy as np

from sottovoce.kernels import ARRIVAL, LOSS, PHASE, driver, helper, inlined, prange, stream, uniform
from sottovoce.state import Bools, Doubles, Longs


class Timing(NamedTuple):
    """The clock of a network of N nodes."""

    first: Longs  # [N + 1], where each node's sessions begin; empty: all are always online
    since: Doubles  # when each session begins, ascending for a node
    until: Doubles  # when it ends, not after the next one begins
    upload: Doubles  # [N], full models a second
    download: Doubles  # [N]
    latency: float  # seconds that a message takes beside its transfer
    loss: float  # the share of messages that get lost
    round: float  # seconds: how long a full model takes on an ordinary link
    timed: bool  # whether a transfer takes as long as its size says; False: synchronous rounds


def synchronous(nodes: int) -> Timing:
    """Rounds without time: everybody sends at once, and all messages have arrived before the next."""
    none, ones = np.empty(0), np.ones(nodes)
    return Timing(np.empty(0, np.int64), none, none, ones, ones, 0.0, 0.0, 1.0, timed=False)


def hashed(timing: Timing) -> str:
    """A hash of when nodes are online; empty where all always are."""
    if len(timing.first) == 0:
        return ""
    digest = hashlib.sha256()
    for array in (timing.first, timing.since, timing.until):
        digest.update(array.tobytes())
    return digest.hexdigest()


@helper
def _within(first, since, until, node, begin, end):
    low, high = first[node], first[node + 1]
    while low < high:  # the first session that ends after `begin`
        middle = (low + high) >> 1
        if until[middle] <= begin:
            low = middle + 1
        else:
            high = middle
    return low < first[node + 1] and since[low] <= begin and until[low] > end


@inlined
def stays(timing, node, begin, end):
    """Whether a node is online from `begin` to `end`, both included."""
    return len(timing.first) == 0 or _within(timing.first, timing.since, timing.until, node, begin, end)


@driver
def _remain(timing, begin, end, there):
    for node in prange(len(there)):
        there[node] = stays(timing, node, begin[node], end[node])


def remaining(timing: Timing, begin: Doubles, end: Doubles) -> Bools:
    """Which nodes are online from `begin` [N] to `end` [N], both included."""
    there = np.empty(len(timing.upload), np.bool_)
    _remain(timing, begin, end, there, batch=len(there))
    return there


def present(timing: Timing, time: float) -> Bools:
    """Which nodes are online at a moment."""
    moment = np.full(len(timing.upload), time, np.float64)
    return remaining(timing, moment, moment)


@inlined
def cycle_load(timing, models):
    """What a node uploads in one cycle, in full models."""
    return models if timing.timed else 1.0


@inlined
def phase(timing, node, cycle, run):
    """When the first cycle of a node begins."""
    return uniform(stream(run, PHASE, node, 0), 0) * cycle if timing.timed else 0.0


@inlined
def arrival(timing, node, start, end, run, number):
    """When message `number` of a node arrives, whose transfer lasts from `start` to `end`.

    In a synchronous round it arrives at a random time before the end. If messages came in the order of
    their senders, the last would count the most with everybody: each merge takes from those before it.
    """
    if timing.timed:
        return end
    return end - uniform(stream(run, ARRIVAL, node, number), 0) / 2 * (end - start)


@inlined
def first_tick(begin, phase, cycle):
    """The number of a node's first cycle that begins at `begin` or later."""
    tick = max(0, int((begin - phase) / cycle) - 1)
    while phase + tick * cycle < begin:
        tick += 1
    return tick


@inlined
def arrives(timing, sender, receiver, start, end, run, number):
    """Whether a message gets through: both ends stay online, and it is not lost."""
    if timing.loss > 0 and uniform(stream(run, LOSS, sender, number), 0) < timing.loss:
        return False
    return stays(timing, sender, start, end) and stays(timing, receiver, start, end)
