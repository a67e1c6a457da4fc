"""The planner: from who sends to whom, to operations in an order that needs few copies.

All messages of a round carry models as they were at its beginning and arrive at its end. A slot
may therefore change only after everybody who receives its model has read it: it waits for its
readers. Where slots wait for each other in a circle, one of them is copied first. With one message
per node the waiting graph is a function from node to node, which has few circles (about ½ ln 2n),
so hardly any model is copied.
"""

import numpy as np

from sottovoce.kernels import driver, helper, threads
from sottovoce.protocols import Plan
from sottovoce.state import Ints

# Between levels threads wait for each other, so chains of waiting slots are cut where they get long;
# one slot in SPARE may be copied for that. It changes the order of work, not its result.
DEEPEST, SPARE = 20, 20


@helper
def _group(keys, groups):
    """Indices of `keys` grouped by value, in order within a group, and where each group begins."""
    first = np.zeros(groups + 1, np.int64)
    for key in keys:
        if key >= 0:
            first[key + 1] += 1
    first = np.cumsum(first)
    filled = first[:-1].copy()
    index = np.empty(first[-1], np.int64)
    for n, key in enumerate(keys):
        if key >= 0:
            index[filled[key]] = n
            filled[key] += 1
    return first, index


@helper
def _closing(slot, level, sent_first, sent, receiver, passed, walk):
    """Follow slots that wait for each other from `slot` until a circle closes, and return where.

    `passed` holds the number of the last walk that came by each slot; this one is number `walk`.
    """
    while passed[slot] != walk:
        passed[slot] = walk
        for n in range(sent_first[slot], sent_first[slot + 1]):
            if level[receiver[sent[n]]] < 0:
                slot = receiver[sent[n]]
                break
    return slot


@driver
def _schedule(slots, sender, receiver, deepest, spare):
    """Sort the receivers by level (Kahn 1962), copying a slot wherever all that are left wait.

    A slot's level is one more than the highest of its readers', or 0 when it was copied. Up to
    `spare` slots are copied only because their level would be `deepest` or more.
    """
    taken_first, taken = _group(receiver, slots)
    sent_first, sent = _group(sender, slots)
    least = np.zeros(slots, np.int32)
    level = np.full(slots, -1, np.int32)
    snapshot = np.full(slots, -1, np.int32)
    passed = np.full(slots, -1, np.int32)
    waiting = np.zeros(slots, np.int64)
    order = np.empty(slots, np.int32)
    ready, left, copies, place = 0, 0, 0, 0
    for s in range(slots):
        if taken_first[s] < taken_first[s + 1]:
            left += 1
            waiting[s] = sent_first[s + 1] - sent_first[s]
            if waiting[s] == 0:
                order[ready] = s
                ready += 1
    done = 0
    while done < left:
        if done == ready:
            while waiting[place] == 0 or level[place] >= 0:
                place += 1
            s = _closing(place, level, sent_first, sent, receiver, passed, copies)
            snapshot[s] = copies
            copies += 1
            waiting[s] = 0
            least[s] = 0
            order[ready] = s
            ready += 1
        r = order[done]
        done += 1
        level[r] = least[r]
        for n in range(taken_first[r], taken_first[r + 1]):
            s = sender[taken[n]]
            if s >= 0 and waiting[s] > 0:
                waiting[s] -= 1
                least[s] = max(least[s], level[r] + 1)
                if waiting[s] == 0:
                    order[ready] = s
                    ready += 1
                    if least[s] >= deepest and spare > 0:
                        snapshot[s] = copies
                        copies += 1
                        spare -= 1
                        least[s] = 0
    level_first, receivers = _group(level, level.max() + 1)
    first = np.zeros(left + 1, np.int64)
    source = np.empty(len(taken), np.int32)
    m = 0
    for n in range(left):
        r = receivers[n]
        for t in range(taken_first[r], taken_first[r + 1]):
            s = sender[taken[t]]
            source[m] = slots + snapshot[s] if s >= 0 and snapshot[s] >= 0 else s
            m += 1
        first[n + 1] = m
    copied = np.empty(copies, np.int32)
    for s in range(slots):
        if snapshot[s] >= 0:
            copied[snapshot[s]] = s
    return level_first, receivers.astype(np.int32), first, source, copied


def synchronous(slots: int, sender: Ints, receiver: Ints) -> Plan:
    """The plan of one round in which every message takes one cycle; `sender` may be NOBODY."""
    spare = slots // SPARE if threads() > 1 else 0
    level, receivers, first, source, copied = _schedule(slots, sender, receiver, DEEPEST, spare)
    copies = np.full(len(level), len(copied), np.int64)
    copies[0] = 0
    return Plan(level, receivers, first, source, copies, copied, np.arange(len(copied), dtype=np.int32))
