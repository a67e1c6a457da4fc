"""Rounds in which a server aggregates what participants change."""

from collections.abc import Iterator

import numpy as np

from sottovoce.combine.sums.interface import Done, server_sees, tally, traffic
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.protocols._participants import Aggregation, Groups, terms
from sottovoce.protocols.aggregate import Aggregator, Federation
from sottovoce.protocols.interface import dropout, group_size, lengths, participants, sees_vectors, settle
from sottovoce.simulate.budgets import count_heard, within_budget
from sottovoce.simulate.observe import Observation, joined, of_participants, of_server
from sottovoce.simulate.observe_decrypted import LastSums
from sottovoce.simulate.world import Arrays, Traffic, World
from sottovoce.state import Longs

TALLY = "sum tally"
"""How a checkpoint names what a way of summing counts."""


class Served:
    """Carries out the aggregations of the topology `server`: each slot is a server's model."""

    def __init__(self, world: World) -> None:
        self.world, self.task = world, world.task
        self.terms = terms(world.timing, world.size, dropout(world.protocol))
        steps = sequence([*world.steps, world.chain])
        parts = Federation(world.merge, world.model, steps, world.sum)
        self.aggregator = Aggregator(parts, self.task, lengths(world.protocol, world.kept))
        self.last_sums = LastSums(world, self.aggregator)
        # One form of the driver for groups of any size, because only that one is prepared.
        self.batch = group_size(world.protocol) or len(world.people.steps)

    def _asked(self, server: int, begin: float) -> Aggregation:
        """The next aggregation of a server."""
        world, people = self.world, self.world.people
        served = people.member[people.first[server] : people.first[server + 1]].astype(np.int64)
        number = int(world.tables.clock[server])
        return Aggregation(served, world.timing, self.terms, begin, world.seed, server, number)

    def _choose(self, kept: Arrays, asked: Aggregation) -> Groups:
        world, people = self.world, self.world.people
        chosen: Groups = participants(world.protocol, kept, people.user, asked)
        return within_budget(chosen, people.disclosed, world.promise)

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a round needs."""
        world = self.world
        kept = {name: array.copy() for name, array in world.kept.items()}
        groups = self._choose(kept, self._asked(0, 0.0))
        self.aggregator.compile(world.tables, 0, world.people, groups, world.seed, batch=self.batch)

    def advance(self, rounds: int) -> Traffic:
        """Run this many rounds."""
        traffic = Traffic()
        for server, begin in self._beginnings(rounds):
            traffic = traffic.and_also(self._aggregate(server, begin))
        return traffic

    def _beginnings(self, rounds: int) -> Iterator[tuple[int, float]]:
        """Which server aggregates next, and when. In virtual time each aggregation belongs to the round in
        which it ends."""
        world, length = self.world, self.terms.length
        clock = world.tables.clock
        for _ in range(rounds):
            begin, world.round = world.now, world.round + 1
            if not world.timing.timed:
                yield from ((server, begin) for server in range(len(clock)))
            while world.timing.timed and (clock.min() + 1) * length <= world.now * (1 + 1e-9):
                yield int(clock.argmin()), clock.min() * length

    def _aggregate(self, server: int, begin: float) -> Traffic:
        world, user = self.world, self.world.people.user
        asked = self._asked(server, begin)
        groups = self._choose(world.kept, asked)
        vectors = sees_vectors(world.protocol)
        before = user[groups.persons] if vectors else user[:0]
        # Observers look at every aggregation by itself. The round has begun, so it has its number already.
        watch = world.observation
        seen = watch is not None and watch.covers(world.round)
        records, sent = [], []
        for group in groups.each() if seen else [groups]:
            if seen and watch is not None:
                with world.aside():
                    records += self._seen(watch, group, asked, vectors)
            parts = world.tables, server, world.people, group, world.seed
            sent.append(self.aggregator.aggregate(*parts, batch=self.batch))
            self.last_sums.note(server, int(world.tables.clock[server]) - 1, group)
            count_heard(group, world.people.disclosed, world.promise)
        if seen and watch is not None:
            with world.aside():
                watch.record(world.round, joined(records))
        if vectors:
            done = asked._replace(number=int(world.tables.clock[server]))
            settle(world.protocol, world.kept, user, before, groups, done)
        return self._traffic(groups, asked, np.concatenate(sent))

    def _seen(self, watch: Observation, group: Groups, asked: Aggregation, vectors: bool) -> list[Arrays]:
        """What the server and observing participants see of the aggregation that comes next.

        People who get the model and then drop out have seen it all the same.
        """
        world, records = self.world, []
        begin = asked._replace(number=int(world.tables.clock[asked.server]))
        if watch.server:
            heard = group.persons[group.heard]
            sent = of_participants(world, self.aggregator.parts, begin, heard, vectors)
            records += server_sees(world.sum, self.task, sent, len(group.persons), world.seed)
        reached = np.concatenate([group.persons, group.dropped])
        if len(observers := np.intersect1d(reached, watch.nodes)):
            records.append(of_server(world, begin, observers))
            records += self.last_sums.seen(asked.server, observers)
        return records

    def _traffic(self, groups: Groups, asked: Aggregation, rows: Longs) -> Traffic:
        """What the aggregations that began with `asked` took; `rows` [n] is how many rows each sent."""
        heard = np.diff(np.concatenate([[0], np.cumsum(groups.heard)])[groups.first])
        people, dropped = np.diff(groups.first), len(groups.dropped)
        done = Done(asked.number, len(asked.people), groups.asked, dropped, people, heard, rows)
        return Traffic(*traffic(self.world.sum, self.aggregator.sums, self.task, done))

    def state(self) -> Arrays:
        """What the way of summing has counted; no message is on its way between two aggregations."""
        counted = tally(self.world.sum, self.aggregator.sums)
        return ({TALLY: counted} if len(counted) else {}) | self.last_sums.state()

    def make_room(self, state: Arrays) -> None:
        """A checkpoint holds nothing that needs room."""
