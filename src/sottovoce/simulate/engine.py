"""A whole network in memory, advanced round by round in compiled code."""

import math
import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce.combine.sums.interface import Task, check_task, upload
from sottovoce.combine.sums.plain import Plain
from sottovoce.data import places
from sottovoce.data.interactions import Interactions
from sottovoce.errors import RecipeError
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.steps.interface import for_people, hides_items
from sottovoce.models.interface import Context, Shape, optimizer_size, resolve, shape, uses_place
from sottovoce.models.start import start
from sottovoce.models.statistics import solve_vectors, solved_from_sums
from sottovoce.peers.interface import meet, period, remembers
from sottovoce.privacy.guarantee import calibrated
from sottovoce.protocols import guarantees, hidden
from sottovoce.protocols.averaged import Averaged
from sottovoce.protocols.disclose import own_models
from sottovoce.protocols.hosted import InTurn
from sottovoce.protocols.interface import (
    common_start,
    common_vectors,
    fitted,
    group_size,
    hosted,
    hosts,
    keeps,
    lengths,
    nodes,
    relays,
    sees_vectors,
    trainings,
)
from sottovoce.simulate.attackers import Attackers, attackers
from sottovoce.simulate.attacks.none import Nobody
from sottovoce.simulate.observe import Observation
from sottovoce.simulate.planned import Planned
from sottovoce.simulate.served import Served
from sottovoce.simulate.summed import Summed
from sottovoce.simulate.world import Arrays, Traffic, World
from sottovoce.state import (
    Hosts,
    Ints,
    People,
    Storage,
    Tables,
    new_people,
    new_receivers,
    new_weighting,
    slots_of,
    whole,
    zeros,
)
from sottovoce.timing import Timing, present, synchronous

TRAINED = "user", "key", "steps", "optimizer", "disclosed"
"""What people keep when their data change."""
KEPT = "kept "
"""How a checkpoint tells what a protocol keeps from the arrays of the engine."""


class Rounds(Protocol):
    """What carries out rounds, by the protocol's topology."""

    def prepare(self) -> None: ...

    def advance(self, rounds: int) -> Traffic: ...

    def state(self) -> Arrays: ...

    def make_room(self, state: Arrays) -> None: ...


ROUNDS: dict[str, type[Planned] | type[Served] | type[Summed]] = {
    "peers": Planned,
    "central": Planned,
    "server": Served,
    "consensus": Summed,
}


class Simulation(World):
    """A network of one run, and how far it has come.

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
        sum: Any = Plain(),  # noqa: B008
        observation: Observation | None = None,
        attack: Any = Nobody(),  # noqa: B008
    ) -> None:
        protocol = fitted(protocol, train)
        steps = tuple(for_people(calibrated(step), train.users) for step in steps)
        sum = calibrated(sum)
        promise = guarantees.check(protocol, merge, peers, steps, sum, train.people)
        _check_learning(model, protocol)
        hidden.check(steps, model, protocol, merge)
        self._hosts: Hosts = hosts(protocol, train, seed)
        slots = self._hosts.slots
        clock = synchronous(nodes(protocol, train, seed)) if timing is None else timing
        task = _task(model, protocol, train, merge, chain)
        check_task(sum, task)
        resolved = _resolved(model, protocol, train, slots, rounds, clock, upload(sum, task))
        size = shape(resolved)
        views = meet(peers, clock, seed)
        remainders = train.people if steps and _keeps_remainders(protocol, self._hosts, train.people) else 0
        super().__init__(
            model=resolved,
            protocol=protocol,
            merge=merge,
            peers=peers,
            sum=sum,
            task=task._replace(row=size.row, head=size.head),
            chain=chain,
            steps=steps,
            seed=seed,
            timing=clock,
            storage=storage,
            shape=size,
            items=train.items,
            tables=whole(slots, train.items, size.row, size.head, storage),
            people=people_with(resolved, size, self._hosts, train, weighting, candidates),
            private=zeros(remainders, train.items, size.row, size.head),
            receivers=new_receivers(train.people, remembers(peers), relays(protocol, views)),
            views=views,
            kept=keeps(protocol, train.people),
            observation=observation,
            promise=promise,
        )
        if attackers(attack, train.people, seed).any():
            self.attackers = Attackers(attack, train, slots_of(self.people), seed)
        self._weigh(train)
        self.messages = self.arrived = self.bytes = 0
        self.seconds = 0.0
        self.driver: Rounds = ROUNDS[protocol.topology](self)
        alike = common_start(protocol), common_vectors(protocol)
        start(self.model, self.tables, self.people, seed, *alike, batch=slots)

    def _weigh(self, train: Interactions) -> None:
        """Models note how much data they are trained by, unless that must stay private."""
        if self.promise is not None or any(map(hides_items, self.steps)):
            return
        lengths = np.diff(train.indptr)[self._hosts.member]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        self.tables.size[:] = np.diff(ends[self._hosts.first])

    def present(self) -> NDArray[np.bool_]:
        """Whose nodes are online now, [U]."""
        there = present(self.timing, self.now)
        return there[slots_of(self.people)] if self.protocol.topology == "peers" else there

    def own(self) -> tuple[Tables, People]:
        """The models that people score with, and their people: private remainders included."""
        solve_vectors(self.model, self.tables, self.people, slots_of(self.people), self.seed)
        if self.private.slots == 0:
            return self.tables, self.people
        return own_models(self.tables, self.people, self.private, slots_of(self.people))

    def provide(self, train: Interactions, weighting: Interactions | None, candidates: Ints | None) -> None:
        """Give people other data, such as new interactions; all that they and their models learnt stays."""
        learnt = {name: getattr(self.people, name) for name in TRAINED}
        made = people_with(self.model, self.shape, self._hosts, train, weighting, candidates)
        self.people = made._replace(**learnt)
        self._weigh(train)

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a round needs."""
        self.driver.prepare()

    def advance(self, rounds: int) -> None:
        """Run this many rounds."""
        began, observing = time.perf_counter(), self.observing
        traffic = self.driver.advance(rounds)
        self.seconds += time.perf_counter() - began - (self.observing - observing)
        self.messages += traffic.messages
        self.arrived += traffic.arrived
        self.bytes += traffic.bytes

    def state(self) -> Arrays:
        """All that changes, for a checkpoint: arrays that are still in use, not copies."""
        tables, people = self.tables, self.people
        state = {
            "rows": tables.rows,
            "age": tables.age,
            "head": tables.head,
            "clock": tables.clock,
            "user": people.user,
            "steps": people.steps,
            "spent": self.receivers.spent,
            "counters": np.array([self.round, self.messages, self.arrived, self.bytes], np.int64),
            "seconds": np.array([self.seconds]),
            **{f"{KEPT}{name}": array for name, array in self.kept.items()},
        }
        if self.private.slots:
            state |= {f"private {name}": getattr(self.private, name) for name in ("rows", "age", "head")}
        if period(self.peers):
            state |= {f"views {name}": known for name, known in self.views._asdict().items()}
            state |= {"heard": self.receivers.heard, "liked": self.receivers.quality}
        if self.promise is not None:
            state["disclosed"] = people.disclosed
        if people.optimizer.size:
            state["optimizer"] = people.optimizer
        return state | self.driver.state()

    def restore(self, state: Arrays) -> None:
        """Continue from what `state` returned."""
        self.driver.make_room(state)
        live = self.state()
        for name, values in state.items():
            # Checkpoints of earlier versions name what a protocol keeps without the prefix.
            np.copyto(live[name if name in live else f"{KEPT}{name}"], values, casting="no")
        self.round, self.messages, self.arrived, self.bytes = (int(n) for n in live["counters"])
        self.seconds = float(live["seconds"][0])
        self.receivers = self.receivers._replace(relayed=relays(self.protocol, self.views))


def _check_learning(model: Any, protocol: Any) -> None:
    """Refuse a model that learns from sums where nobody sums."""
    if solved_from_sums(model) and protocol.topology == "peers":
        raise RecipeError(
            "This model is solved from sums over many people, and the protocol exchanges and merges models.",
            "Choose the protocol 'consensus', 'federated' or 'central', or another model, such as 'ials'.",
        )


def _keeps_remainders(protocol: Any, found: Hosts, people: int) -> bool:
    """Whether steps leave a private remainder with each person. Refused where steps cannot work."""
    way = hosted(protocol)
    if protocol.topology in ("server", "consensus") or isinstance(way, Averaged):
        return False  # whoever sends an update keeps no table
    if len(found.member) > people or not isinstance(way, InTurn):
        raise RecipeError(
            "Steps decide what each person's training discloses, and here people do not train alone.",
            "Leave privacy.steps out, or choose the protocol 'gossip' or 'federated'.",
        )
    return bool(protocol.topology == "peers")


def _resolved(
    model: Any,
    protocol: Any,
    train: Interactions,
    slots: int,
    rounds: int,
    timing: Timing,
    size: float,
) -> Any:
    """The model with what a recipe leaves open filled in; `size` as in `World`."""
    each = trainings(protocol, timing.timed, size)
    context = Context(
        train.items,
        *train.scale,
        calls=math.ceil(rounds * each),
        sharing=train.people / slots,
        central=protocol.topology == "central",
        people=train.people,
        times=bool(train.time.any()),
        interactions=len(train),
    )
    return resolve(model, context)


def _task(model: Any, protocol: Any, train: Interactions, rule: Any, chain: Chain | Whole) -> Task:
    """What is summed, and for whom."""
    row, head, user = shape(model)
    return Task(
        rule=rule,
        chain=chain,
        items=train.items,
        row=row,
        head=head,
        group=min(group_size(protocol) or train.people, train.people),
        people=train.people,
        vector=user if sees_vectors(protocol) else 0,
        lengths=len(lengths(protocol, keeps(protocol, train.people))) > 0,
    )


def people_with(
    model: Any,
    size: Shape,
    hosts: Hosts,
    train: Interactions,
    weighting: Interactions | None,
    candidates: Ints | None,
) -> People:
    """People with this data who have learnt nothing."""
    where = places.known(train, weighting) if uses_place(model) else None
    aside = new_weighting(train.people, weighting, candidates)
    own = train.indptr, train.item, train.value, hosts, aside, where
    return new_people(size.user, *own, optimizer_size(model, train.items))
