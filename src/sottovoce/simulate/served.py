"""Rounds in which a server aggregates what participants change."""

from collections.abc import Iterator

import numpy as np

from sottovoce.exchange import codec
from sottovoce.exchange.message import UPDATE
from sottovoce.exchange.steps.interface import sequence
from sottovoce.protocols._participants import Groups, terms
from sottovoce.protocols.aggregate import Aggregator, Federation
from sottovoce.protocols.interface import dropout, group_size, lengths, participants, sees_vectors, settle
from sottovoce.simulate.observe import Observation, of_participants, of_server
from sottovoce.simulate.world import Arrays, Traffic, World

SERVER = 0
"""The slot of the model that the server holds."""


class Served:
    """Carries out the aggregations of a protocol with the topology `server`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.terms = terms(world.timing, world.size, dropout(world.protocol))
        steps = sequence([*world.steps, world.chain])
        parts = Federation(world.merge, world.model, steps, world.sum)
        sizes = world.items, world.shape.row, world.shape.head
        self.aggregator = Aggregator(parts, *sizes, lengths(world.protocol, world.kept))
        # One form of the driver for groups of any size, because only that one is prepared.
        self.batch = group_size(world.protocol) or len(world.people.steps)

    def _choose(self, kept: Arrays, begin: float) -> Groups:
        world = self.world
        number = int(world.tables.clock[SERVER])
        known = kept, world.people.user, world.timing, self.terms
        chosen: Groups = participants(world.protocol, *known, begin, world.seed, number)
        return chosen

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a round needs."""
        world = self.world
        groups = self._choose({name: array.copy() for name, array in world.kept.items()}, 0.0)
        self.aggregator.compile(world.tables, SERVER, world.people, groups, world.seed, batch=self.batch)

    def advance(self, rounds: int) -> Traffic:
        """Run this many rounds."""
        traffic = Traffic()
        for begin in self._beginnings(rounds):
            traffic = traffic.and_also(self._aggregate(begin))
        return traffic

    def _beginnings(self, rounds: int) -> Iterator[float]:
        """When aggregations begin. In virtual time each belongs to the round in which it ends."""
        world, length = self.world, self.terms.length
        clock = world.tables.clock
        for _ in range(rounds):
            begin, world.round = world.now, world.round + 1
            if not world.timing.timed:
                yield begin
            while world.timing.timed and (clock[SERVER] + 1) * length <= world.now * (1 + 1e-9):
                yield clock[SERVER] * length

    def _aggregate(self, begin: float) -> Traffic:
        world, user = self.world, self.world.people.user
        groups = self._choose(world.kept, begin)
        vectors = sees_vectors(world.protocol)
        before = user[groups.persons] if vectors else user[:0]
        # Observers look at every aggregation by itself. The round has begun, so it has its number already.
        watch = world.observation
        seen = watch is not None and watch.covers(world.round)
        records, sent = [], 0
        for group in groups.each() if seen else [groups]:
            if seen and watch is not None:
                with world.aside():
                    records += self._seen(watch, group, vectors)
            parts = world.tables, SERVER, world.people, group, world.seed
            sent += self.aggregator.aggregate(*parts, batch=self.batch)
        if seen and watch is not None:
            with world.aside():
                watch.record(world.round, records)
        if vectors:
            number = int(world.tables.clock[SERVER])
            settle(world.protocol, world.kept, user, before, groups, world.seed, number)
        return self._traffic(groups, sent, world.shape.user if vectors else 0)

    def _seen(self, watch: Observation, group: Groups, vectors: bool) -> list[Arrays]:
        """What the server and observing participants see of the aggregation that comes next."""
        world, records = self.world, []
        if watch.server:
            heard = group.persons[group.heard]
            records += of_participants(world, self.aggregator.parts, SERVER, heard, vectors)
        if len(observers := np.intersect1d(group.persons, watch.nodes)):
            records.append(of_server(world, SERVER, observers))
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
        arrived = uploads + groups.dropped + int(np.count_nonzero(groups.heard))
        return Traffic(groups.asked + uploads, arrived, down + up)

    def state(self) -> Arrays:
        """Nothing: no message is on its way between two aggregations."""
        return {}

    def make_room(self, state: Arrays) -> None:
        """A checkpoint holds nothing that needs room."""
