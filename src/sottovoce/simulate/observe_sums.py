"""What chosen people see of sums among peers: the pushes that reach them, and the sums of their groups.

Pushes are records as `simulate.observe` describes them. They count as updates; their rows and head are
numerators, whose last numbers are counts and the weight. `number` is the number of the push in its sweep,
`clock` the sweep, `size` how many rows there are.

The sum of a masked group has no messages, because single ones look like noise. Its record has these arrays
beside empty ones:

| array          | shape   | what it holds                                       |
|----------------|---------|-----------------------------------------------------|
| `sum_observer` | [1]     | a member who observes; every member knows the sum   |
| `sum_clock`    | [1]     | the sweep                                           |
| `sum_senders`  | [n]     | the members of the group                            |
| `sum_counts`   | [items] | how many of them contributed to each row            |
| `sum_items`    | [m]     | the items whose rows are summed                     |
| `sum_rows`     | [m, w]  | the sums of their numbers, without counts           |
| `sum_head`     | [h]     | the sum of the heads                                |
"""

import numpy as np

from sottovoce.protocols.group_sums import Groups
from sottovoce.protocols.interface import Messages
from sottovoce.protocols.push_sum import Numerators, numerators, push, pushes
from sottovoce.simulate.world import Arrays
from sottovoce.state import Bools, Floats, Longs


def of_pushes(
    sums: Numerators, counts: int, messages: Messages, bits: int, observed: Bools, sweep: int, number: int
) -> list[Arrays]:
    """What observing nodes get of messages that are about to be sent; `observed` [N] says who observes.

    The pushes are carried out once more among copies of their senders, and nobody else.
    """
    seen = np.flatnonzero((messages.receiver >= 0) & observed[messages.receiver])
    if not len(seen):
        return []
    sender, receiver, count = messages.sender[seen], messages.receiver[seen], len(seen)
    items, _, row = sums.rows.shape
    copies = numerators(2 * count, items, row, sums.head.shape[1])
    copies.rows[:, :count], copies.head[:count] = sums.rows[:, sender], sums.head[sender]
    each = np.arange(count, dtype=np.int32)
    push(copies, counts, pushes(2 * count, each, each + np.int32(count)), bits)
    got = copies.rows[:, count:].transpose(1, 0, 2)
    which, ids = (place.astype(np.int64) for place in np.nonzero(got[:, :, -1]))
    lengths = np.bincount(which, minlength=count)
    about = {
        "observer": receiver.astype(np.int64),
        "sender": sender.astype(np.int64),
        "time": messages.end[seen],
        "number": np.full(count, number, np.int64),
        "clock": np.full(count, sweep, np.int32),
        "size": lengths.astype(np.int32),
    }
    return [about | lines(count, lengths.cumsum(), ids, got[which, ids], copies.head[count:])]


def of_groups(groups: Groups, sums: Numerators, observed: Bools, sweep: int) -> list[Arrays]:
    """The sums of masked groups that have an observing member, before anything is pushed."""
    found, head = [], sums.head.shape[1]
    for g in range(len(groups.first) - 1):
        members = groups.member[groups.first[g] : groups.first[g + 1]]
        places = groups.place[groups.begins[g] : groups.begins[g + 1]]
        watching = members[observed[members]]
        if not len(watching) or not len(places):
            continue
        total = sums.rows[:, places[0]] * np.float32(len(places))
        people = np.rint(total[:, -1]).astype(np.int64)
        items = np.flatnonzero(total[:, -2])
        none = np.empty(0, np.int64)
        empty = dict.fromkeys(("observer", "sender", "number", "clock", "size"), none)
        found.append(
            empty
            | {"time": np.empty(0)}
            | lines(0, none, none, total[:0], np.empty((0, head), np.float32))
            | {
                "sum_observer": watching[:1].astype(np.int64),
                "sum_clock": np.array([sweep]),
                "sum_senders": members.astype(np.int64),
                "sum_counts": people,
                "sum_items": items,
                "sum_rows": total[items, :-2],
                "sum_head": sums.head[places[0]] * np.float32(len(places)),
            }
        )
    return found


def lines(count: int, ends: Longs, ids: Longs, rows: Floats, head: Floats) -> Arrays:
    """The arrays that all messages have alike, and those of their rows."""
    return {
        "relayed": np.zeros(count, np.bool_),
        "update": np.ones(count, np.bool_),
        "offset": np.concatenate([[0], ends]).astype(np.int64),
        "ids": ids.astype(np.int32),
        "rows": rows,
        "age": np.zeros(len(ids), np.int32),
        "head": head,
        "user": np.empty((count, 0), np.float32),
    }
