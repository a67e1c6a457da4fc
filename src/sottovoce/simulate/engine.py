"""A whole network in memory, advanced round by round in compiled code."""

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import places
from sottovoce.data.interactions import Interactions
from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Chain, Whole, rows
from sottovoce.exchange.steps.interface import sequence
from sottovoce.models.interface import Context, optimizer_size, resolve, shape, uses_place
from sottovoce.models.start import start
from sottovoce.peers.interface import meet, period, remembers, renew
from sottovoce.protocols.execute import execute
from sottovoce.protocols.interface import (
    Messages,
    advance,
    alone,
    exchanges,
    hosts,
    keeps,
    nodes,
    prepare,
    relays,
    trainings,
)
from sottovoce.simulate.plan import SPARE, schedule
from sottovoce.state import STORAGES, Ints, People, Storage, Tables, gathered, people, whole
from sottovoce.timing import Timing, present, synchronous

WINDOW = 2
"""Rounds that are planned together in virtual time. A message that is on its way from one plan to the
next needs a copy if its sender changes: with one round 37 % of messages do, with two 23 %, with many
21 %, but then levels become many and small."""

HELD = "rows", "age", "head", "clock", "size", "ids"
LEARNT = "user", "key", "steps", "heard", "liked", "relayed", "spent", "optimizer"
"""What people keep when their data change."""
KEPT = "kept "
"""How a checkpoint tells what a protocol keeps from the arrays of the engine."""


class Simulation:
    """Models and people of one run, and how far it has come.

    Everything that decides the result is in the arguments and in the arrays that `state` returns:
    random numbers are a function of the seed and of where they are used.
    """

    def __init__(
        self,
        model: Any,
        protocol: Any,
        train: Interactions,
        seed: int,
        *,
        merge: Any,
        peers: Any,
        rounds: int,
        weighting: Interactions | None = None,
        candidates: Ints | None = None,
        timing: Timing | None = None,
        chain: Chain | Whole = Whole(),  # noqa: B008 - a NamedTuple, which cannot change
        storage: Storage = "float32",
        steps: Sequence[Any] = (),
    ) -> None:
        slots = hosts(protocol, train.people)[1]
        self.timing = synchronous(nodes(protocol, train.people)) if timing is None else timing
        self.chain, self.storage = chain, storage
        self.steps = sequence([*steps, chain])
        row, head, _ = shape(model)
        each = trainings(protocol, self.timing.timed, codec.payload(chain, train.items, row, head))
        calls, sharing = math.ceil(rounds * each), train.people / slots
        central = nodes(protocol, train.people) == 1 < train.people
        context = Context(train.items, *train.scale, calls=calls, sharing=sharing, central=central)
        self.model = resolve(model, context)
        self.protocol, self.merge, self.peers, self.seed = protocol, merge, peers, seed
        self.shape = shape(self.model)
        self.tables = whole(slots, train.items, self.shape.row, self.shape.head, storage)
        self.people = self._furnished(train, weighting, candidates)
        self.reference = self._reference()
        self.snapshots = self._pool(0)
        self.places = 0  # snapshots in use, or used before
        self.underway = nothing()
        self.kept = keeps(protocol, train.people)
        self.workspace: Any = None  # what a protocol works in: it decides nothing, so it is not saved
        self.views = meet(peers, self.timing, seed)
        self.people = self.people._replace(relayed=relays(protocol, self.views))
        self.round = self.messages = self.arrived = self.bytes = 0
        self.seconds = 0.0
        common = protocol.start == "common"
        start(self.model, self.tables, self.people, seed, common, batch=slots)

    @staticmethod
    def memory(
        model: Any,
        protocol: Any,
        people: int,
        items: int,
        chain: Chain | Whole = Whole(),  # noqa: B008
        *,
        timed: bool = False,
        storage: Storage = "float32",
    ) -> int:
        """Bytes of all models, snapshots and what people keep, as a run with these components will need.

        With p messages per node and round, the planner was seen to copy a little less than
        (p − 1) / (p + 2) of all models, and it may copy one in SPARE more; in virtual time up to two thirds.
        A compressed message is written down, in float32, for each that is on its way or waits in the plan:
        in virtual time 2.1 to 2.5 of them for every node.
        """
        slots, size = hosts(protocol, people)[1], shape(model)
        sent = trainings(protocol, False, 1.0)
        number, count = (np.dtype(kind).itemsize for kind in STORAGES[storage])
        table = items * (size.row * number + count) + (size.head + 2) * 4
        held = table * (2 / 3 if timed else (sent - 1) / (sent + 2) + 1 / SPARE)
        if isinstance(chain, Chain):
            message = rows(chain, items) * (size.row * 4 + (8 if chain.share < 1 else 4))
            held = sent * message * (2.5 if timed else 1)
        central = nodes(protocol, people) == 1 < people
        own = size.user + (0 if central else optimizer_size(model, items))
        return int(slots * (table + (held if slots > 1 else 0)) + people * own * 4)

    @property
    def items(self) -> int:
        """The size of the catalogue."""
        return len(self.tables.age) // self.tables.slots

    @property
    def size(self) -> float:
        """What a message is of a full model."""
        return codec.payload(self.chain, self.items, self.shape.row, self.shape.head)

    @property
    def now(self) -> float:
        """The time in the network, in seconds."""
        return self.round * self.timing.round

    def present(self) -> NDArray[np.bool_]:
        """Which nodes are online now."""
        return present(self.timing, self.now)

    def _pool(self, places: int) -> Tables:
        if isinstance(self.chain, Whole):
            return whole(places, self.items, self.shape.row, self.shape.head, self.storage)
        if self.chain.share >= 1:
            return whole(places, self.items, self.shape.row, self.shape.head)
        return gathered([rows(self.chain, self.items)] * places, self.shape.row, self.shape.head)

    def _reference(self) -> Tables:
        """The common start, if messages refer to it."""
        start_of = whole(int(self.chain.delta), self.items, self.shape.row, self.shape.head)
        start(self.model, start_of, self.people, self.seed, True, batch=1)
        return start_of

    def _furnished(
        self, train: Interactions, weighting: Interactions | None, candidates: Ints | None
    ) -> People:
        """People with this data who have learnt nothing; models note how much data they are trained by."""
        host, slots = hosts(self.protocol, train.people)
        self.tables.size[:] = np.bincount(host, np.diff(train.indptr), slots)
        own = train.indptr, train.item, train.value, host, slots, weighting, candidates
        where = places.known(train, weighting) if uses_place(self.model) else None
        size = optimizer_size(self.model, train.items)
        return people(self.shape.user, *own, remembered=remembers(self.peers), places=where, optimizer=size)

    def provide(self, train: Interactions, weighting: Interactions | None, candidates: Ints | None) -> None:
        """Give people other data, such as new interactions; all that they and their models learnt stays."""
        learnt = {name: getattr(self.people, name) for name in LEARNT}
        self.people = self._furnished(train, weighting, candidates)._replace(**learnt)
        self.workspace = None

    def _hold(self, places: int) -> None:
        """Make room for so many snapshots, keeping those there are.

        There is room for half as many again, which takes no memory while it is not used: each time
        there is too little, old and new snapshots stand side by side.
        """
        used = {name: self._extent(name) for name in HELD}
        self.places = max(self.places, places)
        if places > self.snapshots.slots:
            before, self.snapshots = self.snapshots, self._pool(max(places * 3 // 2, self.tables.slots))
            for name, end in used.items():
                getattr(self.snapshots, name)[:end] = getattr(before, name)[:end]

    @property
    def message_bytes(self) -> int:
        """The size of a message in the real codec."""
        held, chain = rows(self.chain, self.items), self.chain
        return codec.size(held, self.shape.row, self.shape.head, chain.share < 1, chain.bits)

    def _execute(self, plan: Any, run: Any) -> None:
        parts = plan, self.merge, self.model, self.chain, self.tables, self.snapshots, self.reference
        run(*parts, self.people, self.seed, batch=self.tables.slots)

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a round needs."""
        prepare(self.protocol, self)

    def advance(self, rounds: int) -> None:
        """Run this many rounds."""
        began = time.perf_counter()
        advance(self.protocol, self, rounds)
        self.seconds += time.perf_counter() - began

    def send(self, round: int) -> tuple[Messages, int]:
        """What is sent in a round, and how many messages that is; see `exchanges`."""
        arguments = self.protocol, self.peers, self.views, self.timing, self.size, self.seed, round
        sent: tuple[Messages, int] = exchanges(*arguments)
        return sent

    def deliver(self, sent: list[Messages], rounds: int) -> None:
        """Take the messages of some rounds, and carry out all that arrives in them."""
        everything: Any = zip(self.underway, *sent, strict=True)
        messages = Messages(*(np.concatenate(columns) for columns in everything))
        self.round += rounds
        each = isinstance(self.chain, Chain)
        slots = self.tables.slots
        plan, self.underway, places = schedule(slots, messages, self.now, each=each, pool=self.places)
        self._hold(places)
        self._execute(plan, execute)
        self.arrived += int(np.count_nonzero(plan.source >= 0))

    def state(self) -> dict[str, Any]:
        """All that changes, for a checkpoint: arrays that are still in use, not copies."""
        tables, people, held = self.tables, self.people, self.snapshots
        state = {
            "rows": tables.rows,
            "age": tables.age,
            "head": tables.head,
            "clock": tables.clock,
            "user": people.user,
            "steps": people.steps,
            "spent": people.spent,
            "counters": np.array([self.round, self.messages, self.arrived, self.bytes], np.int64),
            "seconds": np.array([self.seconds]),
            **{f"{KEPT}{name}": array for name, array in self.kept.items()},
        }
        if period(self.peers):
            state |= {f"views {name}": known for name, known in self.views._asdict().items()}
            state |= {"heard": people.heard, "liked": people.liked}
        if people.optimizer.size:
            state["optimizer"] = people.optimizer
        if len(self.underway.sender):
            state |= {f"underway {name}": column for name, column in self.underway._asdict().items()}
            state |= {f"held {name}": getattr(held, name)[: self._extent(name)] for name in HELD}
        return state

    def _extent(self, name: str) -> int:
        """How far an array of the snapshots is in use."""
        if name == "ids" and self.chain.share >= 1:
            return 0
        return self.places * rows(self.chain, self.items) if name in ("rows", "age", "ids") else self.places

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned."""
        if "held clock" in state:
            self._hold(len(state["held clock"]))
            self.underway = Messages(*(np.array(state[f"underway {name}"]) for name in Messages._fields))
        live = self.state()
        for name, values in state.items():
            # Checkpoints of earlier versions name what a protocol keeps without the prefix.
            np.copyto(live[name if name in live else f"{KEPT}{name}"], values, casting="no")
        self.round, self.messages, self.arrived, self.bytes = (int(n) for n in live["counters"])
        self.seconds = float(live["seconds"][0])
        self.people = self.people._replace(relayed=relays(self.protocol, self.views))


@prepare.rule(object)
def _prepare(protocol: Any, network: Simulation) -> None:
    sent, _ = network.send(0)
    slots = network.tables.slots
    schedule(slots, sent, network.timing.round, each=isinstance(network.chain, Chain))
    network._execute(alone(slots), execute.compile)


@advance.rule(object)
def _advance(protocol: Any, network: Simulation, rounds: int) -> None:
    end = network.round + rounds
    while network.round < end:
        window = min(WINDOW if network.timing.timed else 1, end - network.round)
        if every := period(network.peers):
            if network.round and network.round % every == 0:
                known = network.views, network.people, network.timing
                renew(network.peers, *known, network.seed, network.round)
                network.people = network.people._replace(relayed=relays(protocol, network.views))
            window = min(window, every - network.round % every)
        sent = [network.send(network.round + n) for n in range(window)]
        network.deliver([messages for messages, _ in sent], window)
        count = sum(counted for _, counted in sent)
        network.messages += count
        network.bytes += count * network.message_bytes


def nothing() -> Messages:
    """No messages at all."""
    none, times = np.empty(0, np.int32), np.empty(0)
    return Messages(none, none, times, times, np.empty(0, np.int64), none)
