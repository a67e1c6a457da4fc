"""Rounds in which a server aggregates what participants change."""

from collections.abc import Iterator

import numpy as np

from sottovoce.exchange import codec
from sottovoce.exchange.message import UPDATE
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.protocols._participants import Aggregation, Groups, terms
from sottovoce.protocols.aggregate import Aggregator, Federation
from sottovoce.protocols.interface import dropout, group_size, lengths, participants, sees_vectors, settle
from sottovoce.simulate.budgets import count_heard, within_budget
from sottovoce.simulate.observe import Observation, of_participants, of_server
from sottovoce.simulate.world import Arrays, Traffic, World


class Served:
    """Carries out the aggregations of the topology `server`: each slot is a server's model."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.terms = terms(world.timing, world.size, dropout(world.protocol))
        steps = sequence([*world.steps, world.chain])
        parts = Federation(world.merge, world.model, steps, world.sum)
        sizes = world.items, world.shape.row, world.shape.head
        self.aggregator = Aggregator(parts, *sizes, lengths(world.protocol, world.kept))
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
        records, sent = [], 0
        for group in groups.each() if seen else [groups]:
            if seen and watch is not None:
                with world.aside():
                    records += self._seen(watch, group, asked, vectors)
            parts = world.tables, server, world.people, group, world.seed
            sent += self.aggregator.aggregate(*parts, batch=self.batch)
            count_heard(group, world.people.disclosed, world.promise)
        if seen and watch is not None:
            with world.aside():
                watch.record(world.round, records)
        if vectors:
            done = asked._replace(number=int(world.tables.clock[server]))
            settle(world.protocol, world.kept, user, before, groups, done)
        return self._traffic(groups, sent, world.shape.user if vectors else 0)

    def _seen(self, watch: Observation, group: Groups, asked: Aggregation, vectors: bool) -> list[Arrays]:
        """What the server and observing participants see of the aggregation that comes next.

        People who get the model and then drop out have seen it all the same.
        """
        world, records = self.world, []
        begin = asked._replace(number=int(world.tables.clock[asked.server]))
        if watch.server:
            heard = group.persons[group.heard]
            records += of_participants(world, self.aggregator.parts, begin, heard, vectors)
        reached = np.concatenate([group.persons, group.dropped])
        if len(observers := np.intersect1d(reached, watch.nodes)):
            records.append(of_server(world, begin, observers))
        return records

    def _traffic(self, groups: Groups, sent: int, vector: int) -> Traffic:
        """The messages of an aggregation and their bytes: whole models down, `sent` rows up.

        Those that do not arrive count like others, as in gossip. With them a person's vector of `vector`
        numbers goes both ways, as a part of the head that is never rounded.
        """
        world, uploads = self.world, len(groups.persons)
        row, head, bits = world.shape.row, world.shape.head, world.chain.bits
        empty, one = (codec.size(count, row, head, True, bits, UPDATE) for count in (0, 1))
        down = groups.asked * codec.size(world.items, row, head + vector, False)
        up = uploads * (empty + 4 * vector) + sent * (one - empty)
        arrived = uploads + len(groups.dropped) + int(np.count_nonzero(groups.heard))
        return Traffic(groups.asked + uploads, arrived, down + up)

    def state(self) -> Arrays:
        """Nothing: no message is on its way between two aggregations."""
        return {}

    def make_room(self, state: Arrays) -> None:
        """A checkpoint holds nothing that needs room."""
