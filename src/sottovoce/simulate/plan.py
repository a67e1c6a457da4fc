"""The planner: from messages with times, to operations in an order that needs few copies.

A message carries its sender's model as it was when the transfer began, and is absorbed when it
ends. So a slot may change only after everybody who receives its earlier state has read it: its
next change waits for its readers, unless a copy is taken. Time decides which operations really
depend on each other (a receiver's on its previous one, a message on what its sender absorbed before). All
other order is free, and the planner uses that to copy little.

Operations are visits: a slot absorbs some messages one after the other, because nobody reads its state in
between. Visits are sorted by level. Where all remaining visits wait for each other in a circle, the slot
of one of them is copied. In synchronous rounds with one message per node, each node waits for one other:
such a graph has few circles (about ½ ln 2n), so hardly any model is copied.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.kernels import driver, helper, inlined, threads
from sottovoce.protocols.interface import Messages, Plan
from sottovoce.state import Bools, Ints, Longs

# Between levels threads wait for each other, so chains of waiting slots are cut where they get long;
# one slot in SPARE may be copied for that. It changes the order of work, not its result.
DEEPEST, SPARE = 20, 20

NEVER = np.int32(2**31 - 1)


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


@inlined
def _absorbed(taken, ends, first, last, start):
    """How many of a slot's messages, `taken[first:last]` by time, had arrived when another began."""
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if ends[taken[middle]] <= start:
            low = middle + 1
        else:
            high = middle
    return low


class _Visits(NamedTuple):
    """V visits, sorted by slot and then by time; -1 stands for none."""

    first: Longs  # [slots + 1], where each slot's visits begin
    slot: Ints  # [V]
    begin: Longs  # [V + 1], where each visit's messages begin in `taken`
    taken: Longs  # messages, by the visit that takes them
    host: Longs  # the visit that takes each message
    producer: Longs  # the visit that made what a message carries
    changer: Longs  # the first visit that changes it at its sender
    made_first: Longs  # [V + 1], where the messages begin that carry what a visit made,
    made: Longs  # those of them that are taken
    reads_first: Longs  # [V + 1], and where those begin that carry what a visit changes
    reads: Longs


@helper
def _of_taken(host, visit):
    """What `visit` says of messages that are taken, and -1 of others: `np.where` is slow to compile."""
    found = np.full(len(host), -1, np.int64)
    for m in range(len(host)):
        if host[m] >= 0:
            found[m] = visit[m]
    return found


@helper
def _visits(slots, messages, until):
    """Cut what each slot takes until then into visits, wherever its state in between is sent to somebody."""
    sender, receiver, end, place = messages.sender, messages.receiver, messages.end, messages.place
    count = len(sender)
    order = np.argsort(end, kind="mergesort")
    key = np.full(count, -1, np.int32)
    for n in range(count):
        if end[order[n]] <= until:
            key[n] = receiver[order[n]]
    first_taken, taken = _group(key, slots)
    for n in range(len(taken)):
        taken[n] = order[taken[n]]
    at = np.full(count, -1, np.int64)  # where among its sender's messages each one left
    cut = np.zeros(len(taken) + 1, np.bool_)
    for m in range(count):
        s = sender[m]
        if s >= 0 and place[m] < 0:
            at[m] = _absorbed(taken, end, first_taken[s], first_taken[s + 1], messages.start[m])
            cut[at[m]] = True
    for s in range(slots):
        cut[first_taken[s]] = True
    visit_of = np.empty(len(taken) + 1, np.int64)
    visits = 0
    for n in range(len(taken)):
        visits += cut[n]
        visit_of[n] = visits - 1
    visit_of[len(taken)] = visits
    begin = np.full(visits + 1, len(taken), np.int64)
    slot = np.empty(visits, np.int32)
    host = np.full(count, -1, np.int64)
    for n in range(len(taken) - 1, -1, -1):
        begin[visit_of[n]] = n
        slot[visit_of[n]] = receiver[taken[n]]
        host[taken[n]] = visit_of[n]
    first = visit_of[first_taken]
    producer = np.full(count, -1, np.int64)
    changer = np.full(count, -1, np.int64)
    for m in range(count):
        if at[m] >= 0:
            if at[m] > first_taken[sender[m]]:
                producer[m] = visit_of[at[m] - 1]
            if at[m] < first_taken[sender[m] + 1]:
                changer[m] = visit_of[at[m]]
    made_first, made = _group(_of_taken(host, producer), visits)
    reads_first, reads = _group(_of_taken(host, changer), visits)
    return _Visits(first, slot, begin, taken, host, producer, changer, made_first, made, reads_first, reads)


@helper
def _wedged(visit, walk, passed, level, copied, visits):
    """A visit in a circle of visits that wait for each other, one that waits for a reader.

    Follows what `visit` waits for, readers before anything else. `passed` holds the number of the
    last walk that came by each visit; this one is number `walk`, and `walk + 1` once in a circle.
    """
    first, slot, begin, taken, host, producer, _, _, _, reads_first, reads = visits
    while True:
        again = passed[visit] >= walk
        passed[visit] = walk + again
        waits = -1
        if not copied[visit]:
            for n in range(reads_first[visit], reads_first[visit + 1]):
                if level[host[reads[n]]] < 0:
                    waits = host[reads[n]]
                    break
        if waits >= 0 and again:
            return visit
        if waits < 0 and visit > first[slot[visit]] and level[visit - 1] < 0:
            waits = visit - 1
        if waits < 0:
            for n in range(begin[visit], begin[visit + 1]):
                if producer[taken[n]] >= 0 and level[producer[taken[n]]] < 0:
                    waits = producer[taken[n]]
                    break
        visit = waits


@helper
def _levels(visits, copied, deepest, spare):
    """The level of each visit (Kahn 1962). Slots that have to be are marked in `copied`.

    A visit comes after the slot's previous one, after those that made what its messages carry, and
    after those that read what it changes, unless that is copied.
    """
    first, slot, begin, taken, host, producer, changer, made_first, made, reads_first, reads = visits
    needs = np.zeros(len(slot), np.int32)  # the least level by what truly comes before
    least = np.zeros(len(slot), np.int32)  # and by readers
    level = np.full(len(slot), -1, np.int32)
    passed = np.full(len(slot), -1, np.int64)
    waiting = np.zeros(len(slot), np.int64)
    queue = np.empty(len(slot), np.int64)
    ready, done, oldest, walk = 0, 0, 0, 0
    for v in range(len(slot)):
        waiting[v] = (v > first[slot[v]]) + (0 if copied[v] else reads_first[v + 1] - reads_first[v])
        for n in range(begin[v], begin[v + 1]):
            waiting[v] += producer[taken[n]] >= 0
        if waiting[v] == 0:
            queue[ready] = v
            ready += 1
    while done < len(slot):
        if done == ready:
            while level[oldest] >= 0:
                oldest += 1
            v = _wedged(oldest, walk, passed, level, copied, visits)
            walk += 2
            copied[v] = True
            least[v] = 0
            for n in range(reads_first[v], reads_first[v + 1]):
                waiting[v] -= level[host[reads[n]]] < 0
            if waiting[v] == 0:
                queue[ready] = v
                ready += 1
            continue
        v = queue[done]
        done += 1
        if least[v] >= max(deepest, needs[v] + 1) and spare > 0:
            copied[v] = True
            spare -= 1
            least[v] = 0
        level[v] = max(needs[v], least[v])
        if v + 1 < first[slot[v] + 1]:
            needs[v + 1] = max(needs[v + 1], level[v] + 1)
            waiting[v + 1] -= 1
            if waiting[v + 1] == 0:
                queue[ready] = v + 1
                ready += 1
        for n in range(made_first[v], made_first[v + 1]):
            w = host[made[n]]
            needs[w] = max(needs[w], level[v] + 1)
            waiting[w] -= 1
            if waiting[w] == 0:
                queue[ready] = w
                ready += 1
        for n in range(begin[v], begin[v + 1]):
            w = changer[taken[n]]
            if w >= 0 and not copied[w]:
                least[w] = max(least[w], level[v] + 1)
                waiting[w] -= 1
                if waiting[w] == 0:
                    queue[ready] = w
                    ready += 1
    return level


@helper
def _watched(messages, observed, host, m):
    """Whether somebody observes the receiver of message m, which arrives in this plan."""
    return len(observed) > 0 and host[m] >= 0 and observed[messages.receiver[m]]


@helper
def _copies(messages, each, observed, visits, level):
    """For each message the copy it is read from. For each copy, the level before which it is made, and
    the last level that reads it.

    Copy v < V belongs to visit v, which changes its slot; copy V + m belongs to message m, with `each` or if
    its receiver is observed. NEVER: it is still needed when the plan has been carried out.
    """
    copies = len(level) + len(messages.sender)
    since = np.full(copies, -1, np.int32)
    last = np.full(copies, -1, np.int32)
    copy_of = np.full(len(messages.sender), -1, np.int64)
    for m in range(len(copy_of)):
        if messages.sender[m] >= 0 and messages.place[m] < 0:
            host, maker, w = visits.host[m], visits.producer[m], visits.changer[m]
            watched = _watched(messages, observed, visits.host, m)
            read = level[host] if host >= 0 and not watched else NEVER
            if each or watched:
                copy_of[m] = len(level) + m
                since[copy_of[m]] = level[maker] + 1 if maker >= 0 else 0
            elif w >= 0 and read >= level[w]:
                copy_of[m] = w
                since[w] = level[w]
            if copy_of[m] >= 0:
                last[copy_of[m]] = max(last[copy_of[m]], read)
    return copy_of, since, last


@helper
def _places(messages, observed, visits, level, levels, since, last, pool):
    """Copies by level, a place for each, and how many places there are then.

    A place is free for a copy after the last level that reads it; those of earlier plans are taken
    until their last message is read.
    """
    freed = np.full(pool, -1, np.int32)
    for m in range(len(messages.place)):
        p, host = messages.place[m], visits.host[m]
        if p >= 0:
            watched = _watched(messages, observed, visits.host, m)
            freed[p] = max(freed[p], level[host] if host >= 0 and not watched else NEVER)
    by_level, copy = _group(since, levels + 1)
    due = np.full(levels + 2, -1, np.int64)  # linked lists of places by the level they are free at
    after = np.full(pool + len(copy), -1, np.int64)
    for p in range(pool):
        if freed[p] < levels:
            after[p] = due[freed[p] + 1]
            due[freed[p] + 1] = p
    spot = np.full(len(since), -1, np.int32)
    free = np.empty(pool + len(copy), np.int32)
    frees, places = 0, pool
    for at in range(levels + 1):
        p = due[at]
        while p >= 0:
            free[frees] = p
            frees += 1
            p = after[p]
        for n in range(by_level[at], by_level[at + 1]):
            c = copy[n]
            if frees:
                frees -= 1
                spot[c] = free[frees]
            else:
                spot[c] = places
                places += 1
            if last[c] < levels:
                after[spot[c]] = due[last[c] + 1]
                due[last[c] + 1] = spot[c]
    return by_level, copy, spot, places


@driver
def _schedule(slots, messages, until, each, observed, pool, deepest, spare):
    """The plan of all messages that end by `until`, and what stays on the way.

    With `each`, every message is written into a snapshot of its own when it is sent; otherwise
    a slot is copied only where it changes too early. There are `pool` snapshots to begin with. Up to
    `spare` slots are copied only because their level would be `deepest` or more. What arrives at `observed`
    slots [slots] is still in its snapshot when the plan has been carried out.
    """
    visits = _visits(slots, messages, until)
    slot, begin, taken = visits.slot, visits.begin, visits.taken
    copied = np.full(len(slot), each, np.bool_)
    away = np.flatnonzero(visits.host < 0)
    for m in away:
        if visits.changer[m] >= 0:
            copied[visits.changer[m]] = True
    level = _levels(visits, copied, deepest, spare)
    levels = 0
    for v in range(len(slot)):
        levels = max(levels, level[v] + 1)
    copy_of, since, last = _copies(messages, each, observed, visits, level)
    by_level, copy, spot, places = _places(messages, observed, visits, level, levels, since, last, pool)

    level_first, by = _group(level, levels + 1)
    visitor = slot[by]
    message_first = np.zeros(len(slot) + 1, np.int64)
    source, sender = np.empty(len(taken), np.int32), np.empty(len(taken), np.int32)
    message = np.empty(len(taken), np.int64)
    filled = 0
    for n in range(len(slot)):
        for t in range(begin[by[n]], begin[by[n] + 1]):
            m = taken[t]
            sender[filled], message[filled] = messages.sender[m], m
            if messages.place[m] >= 0:
                source[filled] = slots + messages.place[m]
            elif copy_of[m] >= 0:
                source[filled] = slots + spot[copy_of[m]]
            else:
                source[filled] = messages.sender[m]
            filled += 1
        message_first[n + 1] = filled
    origin, number = np.empty(len(copy), np.int32), np.zeros(len(copy), np.int64)
    for n in range(len(copy)):
        m = copy[n] - len(slot)
        origin[n] = messages.sender[m] if m >= 0 else slot[copy[n]]
        if m >= 0:
            number[n] = messages.number[m]
    kept = messages.place[away]
    for n in range(len(away)):
        if copy_of[away[n]] >= 0:
            kept[n] = spot[copy_of[away[n]]]
    into = spot[copy]
    reads, copies = (visitor, message_first, source, sender, message), (by_level, origin, into, number)
    return level_first, reads, copies, away, kept, places


def schedule(
    slots: int,
    sent: Messages,
    until: float,
    *,
    each: bool = False,
    pool: int = 0,
    observed: Bools | None = None,
) -> tuple[Plan, Messages, int]:
    """A plan for the messages that arrive by `until`; those still on the way; how many snapshots there are.

    `sent` holds new messages and those an earlier plan left on the way. `pool` is the number of
    snapshots so far, `each` whether every message has one of its own. Snapshots of what arrives at `observed`
    slots last until the next plan.
    """
    if ((sent.sender >= 0) & (sent.end <= sent.start)).any():
        raise ValueError("A message must arrive after it was sent: `exchanges` gives one with end <= start.")
    watched = np.empty(0, np.bool_) if observed is None else observed
    spare = slots // SPARE if threads() > 1 else 0
    level, reads, copies, away, kept, places = _schedule(
        slots, sent, until, each, watched, pool, DEEPEST, spare
    )
    later = Messages(*(column[away] for column in sent))
    later.start.fill(-np.inf)
    return Plan(level, *reads, *copies), later._replace(place=kept), places
