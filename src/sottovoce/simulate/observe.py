"""What chosen observers see: the messages that reach a server, or some nodes, in some rounds.

A record has the layout of tables, with a line for every message:

| array      | shape    | what it holds                                                                   |
|------------|----------|---------------------------------------------------------------------------------|
| `observer` | [n]      | the person (of a slot, the first one) who received the message, or a server      |
| `sender`   | [n]      | the person who sent it, or a server: SERVER, SERVER − 1, …                      |
| `time`     | [n]      | when it arrived; with a server, when the aggregation began                      |
| `number`   | [n]      | which of its sender's messages it is; with a server, the aggregation's number   |
| `relayed`  | [n]      | whether the receiver passes it on as it is, neither merged nor trained          |
| `update`   | [n]      | whether it is an update (what a training changed) or a model                    |
| `clock`    | [n]      | how often the model was trained; of an update, the version that it is based on |
| `size`     | [n]      | interactions behind a model, or instances behind an update                      |
| `offset`   | [n + 1]  | where the rows of each message begin                                            |
| `ids`      | [R]      | the item of each row                                                            |
| `rows`     | [R, w]   | the rows, as the receiver reads them after decompression                        |
| `age`      | [R]      | how often each row of a model was updated; 0 in an update                       |
| `head`     | [n, h]   | the head, or how it changed                                                     |
| `user`     | [n, p]   | the sender's vector where the protocol sends it to the server; else [n, 0]      |
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.update import trained_update
from sottovoce.kernels import OBSERVERS, below, driver, helper, stream
from sottovoce.models.instances import room
from sottovoce.protocols._participants import Aggregation
from sottovoce.protocols.aggregate import Federation
from sottovoce.protocols.interface import Messages, Plan
from sottovoce.simulate.world import Arrays, World
from sottovoce.state import Bools, Ints, Longs, People, Tables, gathered, slots_of, width

SERVER = -1
"""How records name the first server; the next ones are SERVER − 1, …"""
CHUNK = 2**26
"""Numbers of rows that are recorded at a time."""


class Observation(NamedTuple):
    """Who observes, in which rounds, and what is done with a round's records."""

    server: bool  # whether the server observes
    nodes: Ints  # people by number
    first: int  # the first round, from 1
    last: int
    record: Callable[[int, list[Arrays]], None]  # the round, and its records

    def covers(self, round: int) -> bool:
        """Whether something of this round is recorded."""
        return self.first <= round <= self.last

    def among(self, people: People) -> Bools:
        """Which slots observe, [T]: those that host an observer."""
        found = np.zeros(len(people.first) - 1, np.bool_)
        found[slots_of(people)[self.nodes]] = True
        return found


def random_people(count: int, people: int, run: int) -> Ints:
    """The numbers of `count` random people out of `people`, ascending."""
    key, order = stream(run, OBSERVERS, 0, 0), np.arange(people, dtype=np.int32)
    for n in range(min(count, people)):
        other = n + int(below(key, n, people - n))
        order[n], order[other] = order[other], order[n]
    return np.sort(order[:count])


NAMES = {
    *("observer", "sender", "time", "number", "relayed", "update", "clock", "size"),
    *("offset", "ids", "rows", "age", "head", "user"),
}


def joined(records: list[Arrays]) -> list[Arrays]:
    """The same messages in fewer records, because a round may have many thousands of aggregations.

    Messages of the same kind, updates or models, stay in their order. Records of sums stay as they are.
    """
    others = [record for record in records if set(record) != NAMES]
    kinds: dict[tuple[bool, int], list[Arrays]] = {}
    for record in records:
        if set(record) == NAMES and len(record["update"]):
            kinds.setdefault((bool(record["update"][0]), record["user"].shape[1]), []).append(record)
    found = []
    for several in kinds.values():
        ends = np.cumsum([record["rows"].size for record in several])
        number = np.maximum(0, ends - 1) // CHUNK
        for n in np.unique(number).tolist():
            found.append(_as_one([one for one, m in zip(several, number.tolist(), strict=True) if m == n]))
    return [*found, *others]


def _as_one(records: list[Arrays]) -> Arrays:
    """Records of the same kind as one."""
    lengths = np.concatenate([np.diff(record["offset"]) for record in records])
    offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rest = sorted(NAMES - {"offset"})
    return {name: np.concatenate([record[name] for record in records]) for name in rest} | {"offset": offset}


def of_plan(plan: Plan, messages: Messages, snapshots: Tables, observed: Bools, world: World) -> Arrays:
    """The models that observed slots received in a plan of `messages`, out of the snapshots they were read
    from."""
    visit = np.repeat(np.arange(len(plan.receiver)), np.diff(plan.first))
    receiver = plan.receiver[visit]
    seen = np.flatnonzero(observed[receiver] & (plan.source >= 0))
    place = plan.source[seen] - world.tables.slots
    first = world.people.member[world.people.first[:-1]]  # a slot goes by the number of its first person
    sender, relayed = plan.sender[seen], world.receivers.relayed
    known = {
        "observer": first[receiver[seen]].astype(np.int64),
        "sender": first[sender].astype(np.int64),
        "time": messages.end[plan.message[seen]],
        "number": messages.number[plan.message[seen]],
        "relayed": relayed[sender] if len(relayed) else np.zeros(len(seen), np.bool_),
    }
    return known | _models(snapshots, place)


def _between(begin: Aggregation, observer: Longs, sender: Longs) -> Arrays:
    """Who sends what to whom in an aggregation."""
    count = len(observer)
    return {
        "observer": observer,
        "sender": sender,
        "time": np.full(count, begin.begin),
        "number": np.full(count, begin.number, np.int64),
        "relayed": np.zeros(count, np.bool_),
    }


def of_server(world: World, begin: Aggregation, observers: Longs) -> Arrays:
    """The server's model, as these participants receive it."""
    sender = np.full(len(observers), SERVER - begin.server, np.int64)
    place = np.full(len(observers), begin.server)
    return _between(begin, observers.astype(np.int64), sender) | _models(world.tables, place)


def _models(tables: Tables, place: Longs | Ints) -> Arrays:
    """Models out of some places of tables, all of equally many rows."""
    count = int(tables.offset[1]) if tables.slots else 0
    index = (tables.offset[place][:, None] + np.arange(count)).ravel()
    every = np.tile(np.arange(count, dtype=np.int32), len(place))
    rows = tables.rows[index]
    if rows.dtype == np.uint16:  # bfloat16: the upper half of a float32
        rows = (rows.astype(np.uint32) << 16).view(np.float32)
    return {
        "update": np.zeros(len(place), np.bool_),
        "clock": tables.clock[place],
        "size": tables.size[place],
        "offset": np.arange(len(place) + 1, dtype=np.int64) * count,
        "ids": tables.ids[index] if len(tables.ids) else every,
        "rows": rows,
        "age": tables.age[index].astype(np.int32),
        "head": tables.head[place],
        "user": np.empty((len(place), 0), np.float32),
    }


@helper
def _note(updates, found, n):
    """Copy the update in slot 0 into place n of `found`, behind those before it."""
    begin, count = found.offset[n], updates.offset[1]
    for m in range(count):
        found.ids[begin + m] = updates.ids[m]
        for d in range(width(updates)):
            found.rows[begin + m, d] = updates.rows[m, d]
    found.offset[n + 1] = begin + count
    for d in range(updates.head.shape[1]):
        found.head[n, d] = updates.head[0, d]
    found.clock[n], found.size[n] = updates.clock[0], updates.size[0]


@driver
def _updates(model, steps, server, slot, updates, people, persons, run, round, found):
    """Write what each of these persons sends."""
    for n in range(len(persons)):
        trained_update(model, steps, server, slot, updates, 0, people, persons[n], run, round)
        protect(steps, updates, 0, people, persons[n], run, round)
        _note(updates, found, n)


def of_participants(
    world: World, parts: Federation, begin: Aggregation, persons: Longs, vectors: bool
) -> list[Arrays]:
    """The updates that these persons will send in the next aggregation. It changes nothing.

    They are computed beforehand and once more in the aggregation itself, so that a federation that nobody
    observes costs nothing. With `vectors`, the server sees people's vectors too.
    """
    items, (row, head, _) = world.items, world.shape
    each = max(1, CHUNK // max(1, items * row))
    updates, people = gathered([room(world.model, items), 0], row, head, items), _copied(world.people)
    records = []
    for at in range(0, len(persons), each):
        some = persons[at : at + each]
        found = gathered([items] * len(some), row, head)
        found.offset[0] = 0
        given = parts.model, parts.steps, world.tables, begin.server, updates, people, some, world.seed
        _updates(*given, begin.number, found)
        end = int(found.offset[-1])
        server = np.full(len(some), SERVER - begin.server, np.int64)
        records.append(
            _between(begin, server, some.astype(np.int64))
            | {
                "update": np.ones(len(some), np.bool_),
                "clock": found.clock,
                "size": found.size,
                "offset": found.offset,
                "ids": found.ids[:end].copy(),
                "rows": found.rows[:end].copy(),
                "age": np.zeros(end, np.int32),
                "head": found.head,
                "user": people.user[some] if vectors else np.empty((len(some), 0), np.float32),
            }
        )
    return records


def _copied(people: People) -> People:
    """People whose training changes nobody else."""
    own = "user", "steps", "optimizer", "disclosed"
    return people._replace(**{name: getattr(people, name).copy() for name in own})
