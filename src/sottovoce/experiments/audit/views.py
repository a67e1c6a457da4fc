"""What each kind of observer knows of people's trainings.

| view         | who                                     | what it knows                                 |
|--------------|-----------------------------------------|-----------------------------------------------|
| `server`     | the server of a federation              | every update that reaches it                  |
| `masked`     | the same, of masked sums                | masked vectors, read as if there were no mask |
| `neighbour`  | one peer who got two models of a sender | the difference of these models                |
| `colluders`  | all observing peers together            | differences of models that any of them got    |
| `both sides` | the peers around one person             | what the person added to models that came in  |

Where peers sum (`consensus`), `neighbour` and `colluders` know pushes, which count as updates of senders.

`both sides` is the sandwich. Its targets are observers themselves: what they received in a round is what the
peers around them sent, and what another observer received from them in the next round is what came out. In
rounds without time, a node sends what it had when the round began, so nothing is missing between the two. In
virtual time a node may send before it has received everything, and the view is less exact.

Participants of a federation, who see the server's model alone, are in participants.py.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.changes import Changes
from sottovoce.experiments.audit.records import Records
from sottovoce.state import Bools, Floats, Longs

SERVER = -1
CELLS = 2**23
"""Numbers in a matrix of people and items; if there are more, some people are attacked, evenly chosen."""
PEOPLE = 2000
"""People who are attacked at most: more would hardly narrow the intervals."""


class View(NamedTuple):
    """What an observer saw of P targets."""

    name: str
    person: Longs
    """[P]: the number of each target."""
    size: Longs
    """[P]: what messages say about how much data is behind them."""
    changes: Changes
    updates: bool
    """Whether these are updates, and not differences of models."""
    rounds: int
    """How many rounds were observed."""
    before: Floats | None = None
    """[R, w]: the rows before they changed; None if the records do not tell."""
    head: Floats | None = None
    """[P, h]: by how much the head changed in all; None if the records do not tell."""
    vector: Floats | None = None
    """[P, p]: the last vector that each target sent; None if nobody does."""


def views(records: Records, items: int) -> list[View]:
    """All views that the records give, each with at least one target."""
    to_server = records.update & (records.observer < 0)
    from_peers = ~records.update & (records.sender >= 0) & (records.observer >= 0)
    found = []
    if to_server.any():
        found.append(of_updates("server", records.among(to_server), items))
    if from_peers.any():
        peers = records.among(from_peers)
        pairs = peers.observer * (peers.sender.max() + 1) + peers.sender
        found.append(_of_models("neighbour", peers, pairs, items))
        if len(np.unique(peers.observer)) > 1:
            found += [_of_models("colluders", peers, peers.sender, items), _both_sides(peers, items)]
    pushed = records.update & (records.sender >= 0) & (records.observer >= 0)
    if pushed.any():
        found += _of_pushes(records.among(pushed), items)
    return [view for view in found if len(view.person)]


def _of_pushes(records: Records, items: int) -> list[View]:
    """What peers know who sum: a sender's first push of a sweep holds its own part, or that of its group.

    Later ones hold what came from others too. They are looked at only if nobody got a first one.
    """
    first = records.number == 0
    some = records.among(first) if first.any() else records
    pairs = some.observer * (some.sender.max() + 1) + some.sender
    found = [of_updates("neighbour", some, items, pairs)]
    if len(np.unique(some.observer)) > 1:
        found.append(of_updates("colluders", some, items))
    return found


def _limit(items: int) -> int:
    return int(min(PEOPLE, max(1, CELLS // items)))


def _ordinal(records: Records) -> tuple[Longs, int]:
    """[n]: the place of each message's round among the observed rounds, and how many there are."""
    rounds, place = np.unique(records.round, return_inverse=True)
    return place.astype(np.int64), len(rounds)


def _targets(key: Longs, items: int) -> tuple[Longs, Longs]:
    """The keys that are attacked, in order, and for each message [n] which of them it has, or −1."""
    every = np.unique(key)
    if len(every) > _limit(items):
        every = every[np.linspace(0, len(every) - 1, _limit(items)).astype(np.int64)]
    place = np.searchsorted(every, key).clip(0, max(0, len(every) - 1))
    return every, np.where(every[place] == key, place, -1) if len(every) else np.full(len(key), -1)


def of_updates(name: str, records: Records, items: int, key: Longs | None = None) -> View:
    """What somebody knows who reads these updates, all of the same `key` [n] together: by default, of the
    same sender."""
    every, target = _targets(records.sender if key is None else key, items)
    person = np.empty(len(every), np.int64)
    person[target[target >= 0]] = records.sender[target >= 0]
    time, rounds = _ordinal(records)
    size = _per_target(target, records.size, len(person))
    of = target[records.message]
    kept = (of >= 0) & records.rows.any(axis=1)
    message = records.message[kept]
    ids, rows = records.ids[kept], records.rows[kept]
    changes = Changes(of[kept], time[message], message, ids, rows, np.ones(len(ids), np.int64))
    head = np.zeros((len(person), records.head.shape[1]), np.float32)
    np.add.at(head, target[target >= 0], records.head[target >= 0])
    vector = None
    if records.user.shape[1]:
        vector = np.zeros((len(person), records.user.shape[1]), np.float32)
        vector[target[target >= 0]] = records.user[target >= 0]  # of equal places, the last one stays
    return View(name, person, size, changes, True, rounds, head=head, vector=vector)


def _of_models(name: str, records: Records, key: Longs, items: int) -> View:
    """Differences of consecutive models of the same `key` [n]."""
    time, rounds = _ordinal(records)
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    records, key, time = _chosen(records, key, time, count[place] > 1)
    every, target = _targets(key, items)
    earlier, later = _consecutive(records, target)
    change = records.rows[later] - records.rows[earlier]
    growth = records.age[later] - records.age[earlier]
    message = records.message[later]
    moved = change.any(axis=1) | (growth != 0)
    columns = target[message], time[message], message, records.ids[later], change, growth
    person = np.empty(len(every), np.int64)
    person[target[target >= 0]] = records.sender[target >= 0]
    size = _per_target(target, records.size, len(every))
    found = Changes._make(column[moved] for column in columns)
    head = _heads(records, target, len(every))
    return View(name, person, size, found, False, rounds, records.rows[earlier][moved], head)


def _heads(records: Records, target: Longs, count: int) -> Floats:
    """[count, h]: the last head of each target less the first one."""
    first, last = np.full(count, len(target)), np.full(count, -1)
    place = np.arange(len(target))
    np.minimum.at(first, target[target >= 0], place[target >= 0])
    np.maximum.at(last, target[target >= 0], place[target >= 0])
    return np.asarray(records.head[last] - records.head[first.clip(0, len(target) - 1)])


def _chosen(records: Records, key: Longs, time: Longs, chosen: Bools) -> tuple[Records, Longs, Longs]:
    return records.among(chosen), key[chosen], time[chosen]


def _consecutive(records: Records, target: Longs) -> tuple[Longs, Longs]:
    """Pairs of rows of the same target and item, one message after the other."""
    of = target[records.message]
    order = np.lexsort((records.message, records.ids, of))
    one, other = order[:-1], order[1:]
    same = (of[one] == of[other]) & (records.ids[one] == records.ids[other]) & (of[one] >= 0)
    return one[same], other[same]


def _both_sides(records: Records, items: int) -> View:
    """What was added by people whose incoming and outgoing models are both recorded.

    A row that was only merged is between the row before and those that came in, and is as old as the oldest
    of them. `change` is how far it lies outside, and `growth` how much older it is.
    """
    time, rounds = _ordinal(records)
    every, _ = _targets(np.intersect1d(records.sender, records.observer), items)
    sent = np.isin(records.sender, every)
    outgoing, when = records.among(sent), records.round[sent]
    place = np.searchsorted(every, outgoing.sender) if len(every) else np.empty(0, np.int64)
    earlier, later = _consecutive(outgoing, place)
    next_round = when[outgoing.message[later]] == when[outgoing.message[earlier]] + 1
    earlier, later = earlier[next_round], later[next_round]
    incoming = records.among(np.isin(records.observer, every))
    change, growth, known = _beyond(outgoing, earlier, later, incoming, items)
    message = outgoing.message[later]
    moved = known & (change.any(axis=1) | (growth > 0))
    columns = place[message], time[sent][message], message, outgoing.ids[later], change, growth
    seen = np.unique(place[message[known]])
    number = np.full(len(every), -1)
    number[seen] = np.arange(len(seen))
    changes = Changes._make(column[moved] for column in columns)
    size = _per_target(number[place], outgoing.size, len(seen))
    changes, before = changes._replace(target=number[changes.target]), outgoing.rows[later] - change
    return View("both sides", every[seen], size, changes, False, rounds, before[moved])


def _beyond(
    outgoing: Records, earlier: Longs, later: Longs, incoming: Records, items: int
) -> tuple[Floats, Longs, Bools]:
    """How far each later row is outside of what came in, how much older it is, and whether that is known."""
    receivers, place = np.unique(incoming.observer, return_inverse=True)
    width, rows = outgoing.rows.shape[1], outgoing.rows
    change, growth = np.zeros((len(later), width), np.float32), np.zeros(len(later), np.int64)
    known = np.zeros(len(later), np.bool_)
    before = outgoing.round[outgoing.message[earlier]]
    for round in np.unique(before).tolist():
        low = np.full((len(receivers) * items, width), np.inf, np.float32)
        high, oldest = -low, np.full(len(low), -1)
        some = incoming.among(incoming.round == round)
        at = place[incoming.round == round][some.message] * items + some.ids
        np.minimum.at(low, at, some.rows)
        np.maximum.at(high, at, some.rows)
        np.maximum.at(oldest, at, some.age)
        now = np.flatnonzero(before == round)
        who = outgoing.sender[outgoing.message[later[now]]]
        at = np.searchsorted(receivers, who) * items + outgoing.ids[later[now]]
        mine, ours = rows[earlier[now]], rows[later[now]]
        change[now] = ours - np.clip(ours, np.minimum(low[at], mine), np.maximum(high[at], mine))
        growth[now] = outgoing.age[later[now]] - np.maximum(oldest[at], outgoing.age[earlier[now]])
        known[now] = oldest[at] >= 0
    return change, growth, known


def _per_target(target: Longs, size: Longs, count: int) -> Longs:
    """[count]: the largest size in the messages of each target."""
    found = np.zeros(count, np.int64)
    np.maximum.at(found, target[target >= 0], size[target >= 0])
    return found
