"""Cyclon: views that are shuffled from node to node (Voulgaris, Gavidia and van Steen 2005).

Each node has a cache of addresses with ages. In a cycle of its own it takes the oldest out and sends
that node some random others with itself as new; the answer are as many random ones of the other's.
Both put what they are told into free places first, and then over what they sent. So every node is in
about as many caches as any other, who has left ages out, and nobody needs a list of everybody.
"""

import numpy as np

from sottovoce.kernels import SHUFFLE, below, driver, helper, stream
from sottovoce.timing import stays

LENGTH = 8
"""Addresses in a message: the node itself and seven of its cache."""


@helper
def _oldest(cache, age):
    """The place of the address that was heard of longest ago; -1 if there is none."""
    found = -1
    for n in range(len(cache)):
        if cache[n] >= 0 and (found < 0 or age[n] > age[found]):
            found = n
    return found


@helper
def _pick(key, cache, most, except_for, picked):
    """Choose at most so many random places of a cache that hold somebody else; return how many."""
    count = 0
    for n in range(len(cache)):
        if cache[n] >= 0 and cache[n] != except_for:
            picked[count] = n
            count += 1
    most = min(most, count)
    for n in range(most):
        other = n + below(key, n, count - n)
        picked[n], picked[other] = picked[other], picked[n]
    return most


@helper
def _learn(cache, age, me, told, told_age, count, sent, sent_count):
    """Put what a node was told of into free places, then over the places in `sent`."""
    used = 0
    for n in range(count):
        known = told[n] == me or told[n] < 0
        for m in range(len(cache)):
            known = known or cache[m] == told[n]
        if known:
            continue
        at = -1
        for m in range(len(cache)):
            if cache[m] < 0:
                at = m
                break
        if at < 0 and used < sent_count:
            at = sent[used]
            used += 1
        if at >= 0:
            cache[at], age[at] = told[n], told_age[n]


@helper
def _told(cache, age, places, count, told, told_age):
    for n in range(count):
        told[n], told_age[n] = cache[places[n]], age[places[n]]


@driver
def shuffle(cache, age, timing, time, run, cycle):
    """One cycle of every node that is online, one after the other in a random order.

    An address that does not answer is forgotten.
    """
    nodes, size = cache.shape
    key = stream(run, SHUFFLE, -1, cycle)
    order = np.arange(nodes)
    mine, theirs = np.empty(size, np.int64), np.empty(size, np.int64)
    told, told_age = np.empty(LENGTH, np.int32), np.empty(LENGTH, np.int32)
    answer, answer_age = np.empty(LENGTH, np.int32), np.empty(LENGTH, np.int32)
    for n in range(nodes):
        other = n + below(key, n, nodes - n)
        order[n], order[other] = order[other], order[n]
        node = order[n]
        if not stays(timing, node, time, time):
            continue
        age[node] += 1
        oldest = _oldest(cache[node], age[node])
        if oldest < 0:
            continue
        peer = cache[node, oldest]
        cache[node, oldest] = -1
        if not stays(timing, peer, time, time):
            continue
        draw = stream(run, SHUFFLE, node, cycle)
        sent = _pick(draw, cache[node], LENGTH - 1, peer, mine)
        _told(cache[node], age[node], mine, sent, told, told_age)
        told[sent], told_age[sent] = node, 0
        answered = _pick(stream(run, SHUFFLE, nodes + node, cycle), cache[peer], LENGTH, node, theirs)
        _told(cache[peer], age[peer], theirs, answered, answer, answer_age)
        _learn(cache[peer], age[peer], peer, told, told_age, sent + 1, theirs, answered)
        _learn(cache[node], age[node], node, answer, answer_age, answered, mine, sent)
