"""Rounds in which slots send to each other, or train alone: plan them, then carry them out."""

from typing import Any

import numpy as np

from sottovoce.exchange.compression.interface import Chain, rows
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.models.start import start
from sottovoce.peers.interface import period, renew
from sottovoce.protocols.execute import Learning, execute, train_alone
from sottovoce.protocols.interface import (
    Messages,
    Plan,
    alone,
    exchanges,
    hosted,
    inside,
    no_messages,
    relays,
)
from sottovoce.simulate.observe import of_plan
from sottovoce.simulate.plan import schedule
from sottovoce.simulate.world import Arrays, Traffic, World
from sottovoce.state import Tables, whole

WINDOW = 2
"""Rounds that are planned together in virtual time. A message that is on its way from one plan to the
next needs a copy if its sender changes: with one round 37 % of messages do, with two 23 %, with many
21 %, but then levels become many and small."""

HELD = "rows", "age", "head", "clock", "size", "ids"
"""The arrays of snapshots that a checkpoint holds."""


class Planned:
    """Carries out the messages of a protocol with the topology `peers` or `central`."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.learning = Learning(world.merge, world.model, sequence(world.steps), hosted(world.protocol))
        self.reference = self._reference()
        self.snapshots = world.pool(0)
        self.places = 0  # snapshots in use, or used before
        self.underway = no_messages()

    def _reference(self) -> Tables:
        """The common start, if messages refer to it."""
        world = self.world
        start_of = whole(int(world.chain.delta), world.items, world.shape.row, world.shape.head)
        nobody = world.people._replace(steps=world.people.steps[:0])  # only the model starts here
        start(world.model, start_of, nobody, world.seed, True, True, batch=1)
        return start_of

    def _execute(self, plan: Plan, run: Any) -> None:
        world = self.world
        models = world.tables, world.private, self.snapshots, self.reference
        parts = plan, *self.learning, world.chain, *models, world.people, world.receivers
        run(*parts, world.seed, batch=world.tables.slots)

    def send(self, round: int) -> tuple[Messages, int]:
        """The messages of a round that get through, and how many are sent; see `exchanges`."""
        world = self.world
        known = world.peers, world.views, world.timing, world.size
        sent: tuple[Messages, int] = exchanges(world.protocol, *known, world.seed, round)
        return sent

    @property
    def _central(self) -> bool:
        """Whether nobody ever sends anything, so that there is nothing to plan."""
        return bool(self.world.protocol.topology == "central")

    def _train(self, run: Any) -> None:
        world = self.world
        parts = *self.learning, world.tables, world.private, world.people
        run(*parts, world.seed, batch=world.tables.slots)

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a round needs."""
        if self._central:
            self._train(train_alone.compile)
            return
        if self.world.attackers is not None:
            self.world.attackers.compile_change(self.world.tables)
        slots, each = self.world.tables.slots, isinstance(self.world.chain, Chain)
        sent, _ = self.send(0)
        schedule(slots, sent, self.world.timing.round, each=each)
        self._execute(alone(slots), execute.compile)

    def advance(self, rounds: int) -> Traffic:
        """Run this many rounds."""
        world, end, traffic = self.world, self.world.round + rounds, Traffic()
        while self._central and world.round < end:
            self._train(train_alone)
            world.round += 1
        while world.round < end:
            window = min(WINDOW if world.timing.timed else 1, end - world.round)
            if world.observed(window) or world.attackers is not None:
                window = 1
            if world.attackers is not None:
                world.attackers.change(world.tables)
            if every := period(world.peers):
                if world.round and world.round % every == 0:
                    known = world.views, world.receivers.heard, world.timing
                    renew(world.peers, *known, world.seed, world.round)
                    self.relay()
                window = min(window, every - world.round % every)
            sent = [self.send(world.round + n) for n in range(window)]
            arrived = self.deliver([messages for messages, _ in sent], window)
            traffic = traffic.and_also(self._traffic(sum(counted for _, counted in sent), arrived))
        return traffic

    def _traffic(self, sent: int, arrived: int) -> Traffic:
        """Messages between slots, and those inside a slot, whose people train whenever a message arrives."""
        world = self.world
        messages, size = inside(world.protocol, world.items, world.shape.row, world.shape.head)
        total = Traffic(sent, arrived, sent * world.message_bytes)
        return total.and_also(Traffic(arrived * messages, arrived * messages, arrived * size))

    def relay(self) -> None:
        """Note whose models are passed on as they are, after views have changed."""
        relayed = relays(self.world.protocol, self.world.views)
        self.world.receivers = self.world.receivers._replace(relayed=relayed)

    def deliver(self, sent: list[Messages], rounds: int) -> int:
        """Carry out all that arrives in these rounds; return how many messages that is."""
        everything: Any = zip(self.underway, *sent, strict=True)
        messages = Messages(*(np.concatenate(columns) for columns in everything))
        world, slots = self.world, self.world.tables.slots
        watch = world.observation if world.observed(rounds) else None
        seen = None if watch is None else watch.among(world.people)
        world.round += rounds
        each = isinstance(world.chain, Chain)
        given = slots, messages, world.now
        plan, self.underway, places = schedule(*given, each=each, pool=self.places, observed=seen)
        self._hold(places)
        self._execute(plan, execute)
        if watch is not None and seen is not None:
            with world.aside():
                watch.record(world.round, [of_plan(plan, messages, self.snapshots, seen, world)])
        return int(np.count_nonzero(plan.source >= 0))

    def _hold(self, places: int) -> None:
        """Make room for this many snapshots, keeping those there are.

        There is room for half as many again, which takes no memory while it is not used: each time
        there is too little, old and new snapshots stand side by side.
        """
        used = {name: self._extent(name) for name in HELD}
        self.places = max(self.places, places)
        if places > self.snapshots.slots:
            before = self.snapshots
            self.snapshots = self.world.pool(max(places * 3 // 2, self.world.tables.slots))
            for name, end in used.items():
                getattr(self.snapshots, name)[:end] = getattr(before, name)[:end]

    def _extent(self, name: str) -> int:
        """How far an array of the snapshots is in use."""
        chain, items = self.world.chain, self.world.items
        if name == "ids" and chain.share >= 1:
            return 0
        return self.places * rows(chain, items) if name in ("rows", "age", "ids") else self.places

    def state(self) -> Arrays:
        """Messages on their way, for a checkpoint: arrays that are still in use, not copies."""
        state: Arrays = {}
        if len(self.underway.sender):
            state |= {f"underway {name}": column for name, column in self.underway._asdict().items()}
            state |= {f"held {name}": getattr(self.snapshots, name)[: self._extent(name)] for name in HELD}
        return state

    def make_room(self, state: Arrays) -> None:
        """Prepare to take what `state` returned: as many snapshots and messages as it holds."""
        if "held clock" in state:
            self._hold(len(state["held clock"]))
            self.underway = Messages(*(np.array(state[f"underway {name}"]) for name in Messages._fields))
