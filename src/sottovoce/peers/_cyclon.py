"""Cyclon: views that are shuffled from node to node (Voulgaris, Gavidia and van Steen 2005).

Each node has a cache of addresses with ages. Once in a cycle, a node takes the oldest address out of its
cache and sends that peer some random others, and its own address with age 0. The peer answers with as many
random addresses of its cache. Both write what they receive into free places first, then over what they sent.
So every node stands in about as many caches as any other, nodes that left disappear, and nobody needs a list
of everybody.

One node does `approach`, `question`, `answer` and `learn`, which see only its own cache and what it received.
`shuffle` does this for all nodes of a network in memory.
"""

import numpy as np

from sottovoce.kernels import SHUFFLE, below, driver, helper, stream
from sottovoce.timing import stays

LENGTH = 8
"""Addresses in a message: the node itself and seven from its cache."""


@helper
def _oldest(cache, age):
    """The place of the oldest address in `cache` [c]; -1 if it is empty."""
    found = -1
    for n in range(len(cache)):
        if cache[n] >= 0 and (found < 0 or age[n] > age[found]):
            found = n
    return found


@helper
def _pick(key, cache, most, except_for, picked):
    """Write at most `most` random places of a cache that hold others than `except_for`; return how many."""
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
def learn(cache, age, me, given, given_age, count, sent, sent_count):
    """Write `count` received addresses into free places of a cache, then over the places in `sent`."""
    used = 0
    for n in range(count):
        known = given[n] == me or given[n] < 0
        for m in range(len(cache)):
            known = known or cache[m] == given[n]
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
            cache[at], age[at] = given[n], given_age[n]


@helper
def _read(cache, age, places, count, given, given_age):
    for n in range(count):
        given[n], given_age[n] = cache[places[n]], age[places[n]]


@helper
def approach(cache, age):
    """Begin a cycle: take the oldest address out of the cache and return it; -1 if the cache is empty.

    If that peer does not answer, it stays forgotten.
    """
    for n in range(len(age)):
        age[n] += 1
    oldest = _oldest(cache, age)
    if oldest < 0:
        return np.int32(-1)
    peer = cache[oldest]
    cache[oldest] = -1
    return peer


@helper
def question(cache, age, me, peer, key, sent, given, given_age):
    """Write the addresses to send to `peer`, the node `me` last; return how many come from the cache.

    Their places in the cache are written into `sent`.
    """
    count = _pick(key, cache, LENGTH - 1, peer, sent)
    _read(cache, age, sent, count, given, given_age)
    given[count], given_age[count] = me, 0
    return count


@helper
def answer(cache, age, me, asker, key, given, given_age, count, reply, reply_age):
    """Write the reply to `asker`, then learn the addresses it sent; return how many the reply has."""
    sent = np.empty(len(cache), np.int64)
    replied = _pick(key, cache, LENGTH, asker, sent)
    _read(cache, age, sent, replied, reply, reply_age)
    learn(cache, age, me, given, given_age, count, sent, replied)
    return replied


@driver
def shuffle(cache, age, timing, time, run, cycle):
    """One cycle of every node that is online at `time` (seconds), one after the other in random order.

    `cache` and `age` are [nodes, c]. A peer that does not answer is forgotten.
    """
    nodes, size = cache.shape
    key = stream(run, SHUFFLE, -1, cycle)
    order = np.arange(nodes)
    sent = np.empty(size, np.int64)
    given, given_age = np.empty(LENGTH, np.int32), np.empty(LENGTH, np.int32)
    reply, reply_age = np.empty(LENGTH, np.int32), np.empty(LENGTH, np.int32)
    for n in range(nodes):
        other = n + below(key, n, nodes - n)
        order[n], order[other] = order[other], order[n]
        node = order[n]
        if not stays(timing, node, time, time):
            continue
        peer = approach(cache[node], age[node])
        if peer < 0 or not stays(timing, peer, time, time):
            continue
        mine = stream(run, SHUFFLE, node, cycle)
        count = question(cache[node], age[node], node, peer, mine, sent, given, given_age)
        theirs = stream(run, SHUFFLE, nodes + node, cycle)
        got = given, given_age, count + 1, reply, reply_age
        replied = answer(cache[peer], age[peer], peer, node, theirs, *got)
        learn(cache[node], age[node], node, reply, reply_age, replied, sent, count)
