"""Sweeps in which everybody contributes, contributions are summed among peers, and everybody moves."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sottovoce import plural
from sottovoce.combine.aggregate.interface import row_weight
from sottovoce.errors import RecipeError
from sottovoce.exchange import codec
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.kernels import driver, helper, prange
from sottovoce.peers.interface import period, renew
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.consensus import count_columns, group_count, grouped, masks, push_count, shared
from sottovoce.protocols.contribution import check_rule, move, sum_shape
from sottovoce.protocols.gossip import sent_messages
from sottovoce.protocols.group_sums import Groups, complete, contribute
from sottovoce.protocols.interface import Messages, no_messages
from sottovoce.protocols.push_sum import Numerators, compile_push, message_bytes, numerators, push, pushes
from sottovoce.protocols.screen import ATTESTED, FEWEST, compile_screen, memory, screen
from sottovoce.simulate.observe_sums import of_groups, of_pushes
from sottovoce.simulate.schedule import Schedule
from sottovoce.simulate.world import Arrays, Traffic, World
from sottovoce.state import Bools, Floats, Longs, slots_of

HASH = 32
"""The bytes of a hash that confirms a sum."""
LATE = -(1 << 21)
"""The numbers of random orders of people, one for each sweep: whom those who were away ask."""


@helper
def _move(model, rule, tables, slot, rows, head, run):
    """Move a model by its node's sums, if any reached it."""
    if head[slot, head.shape[1] - 1] > 0:
        move(model, rule, tables, slot, rows, head, slot, run)
        tables.clock[slot] += 1


@driver
def _moves(model, rule, tables, rows, head, moving, run):
    for index in prange(len(moving)):
        slot = np.int64(index)
        if moving[slot]:
            _move(model, rule, tables, slot, rows, head, run)


def _check_robust(world: World, people: int) -> None:
    """Refuse robust sums where there is too little to compare, or where they are not built yet."""
    protocol = world.protocol
    if not protocol.robust:
        return
    if sum_shape(world.model, world.shape)[0] > world.shape.row and row_weight(world.merge, 2) != 1:
        raise RecipeError(
            "Robust sums count people, and this rule of aggregation gives them different weights.",
            'Set protocol.aggregate = "mf-fedavg", or leave protocol.robust out.',
        )
    if world.observation is not None:
        raise RecipeError(
            "What observers see of robust sums is not recorded yet.",
            "Leave privacy.observe out, or protocol.robust.",
        )
    if world.timing.timed:
        raise RecipeError(
            "Robust sums among peers have no virtual time yet.",
            "Leave network.links out, or protocol.robust.",
        )
    if protocol.exact:
        raise RecipeError(
            "Sums are exact or robust: exact ones trust everybody.",
            "Leave protocol.exact or protocol.robust out.",
        )
    count = group_count(protocol, people)
    if protocol.group == 1 or count < FEWEST:
        found = (
            "no groups"
            if protocol.group == 1
            else f"{plural.count(count, 'group')} of {protocol.group} people"
        )
        raise RecipeError(
            f"Robust sums compare at least {FEWEST} masked groups, and there are {found}.",
            f"Set protocol.group to at most {max(2, people // FEWEST)}, or leave protocol.robust out.",
        )


class Summed:
    """Carries out the sweeps of a protocol with the topology `consensus`."""

    def __init__(self, world: World) -> None:
        self.world, people = world, len(world.people.steps)
        protocol = world.protocol
        _check_robust(world, people)
        check_rule(world.model, world.merge)
        if world.timing.timed and protocol.exact:
            raise RecipeError(
                "Exact sums are a limit that no network reaches, so they take no time.",
                "Leave network.links and network.churn out, or protocol.exact.",
            )
        self.steps = sequence(world.steps)
        self.row, self.head = sum_shape(world.model, world.shape)
        self.counts = count_columns(protocol)
        self.row += self.counts - 1
        self.sums = numerators(world.tables.slots, world.items, self.row, self.head)
        self.pushes = 0 if shared(protocol) else push_count(protocol, people)
        self.memory = memory(world.items if protocol.robust else 0, group_count(protocol, people))
        self.slots = slots_of(world.people)
        self.sweep = 0  # how many have begun
        self.pushed = 0  # how many times something was pushed in the last one
        self.underway = no_messages()
        if world.attackers is not None:
            world.attackers.meet(world.items, self.row, self.head)
        self.schedule = Schedule(world, self.pushes, self.row, self.counts, self.head)

    # What a sweep consists of

    def _contribute(self, run: Any, groups: Groups, places: Any, summed: Longs) -> None:
        world = self.world
        how = masks(world.protocol, world.steps)
        parts = world.model, world.merge, self.steps, how, world.tables, self.slots
        run(*parts, world.people, groups, world.seed, *places, summed, batch=len(world.people.steps))

    def _begin(self, there: Bools, stays: Bools) -> Traffic:
        """Let those who are there contribute."""
        world, protocol = self.world, self.world.protocol
        traffic = self._catch_up(there)
        groups = grouped(protocol, there, stays, world.seed, self.sweep)
        summed = np.zeros(len(groups.first) - 1, np.int64)
        places = self.sums
        if shared(protocol):
            places = numerators(len(groups.first) - 1, world.items, self.row, self.head)
        else:
            self.sums.rows[:], self.sums.head[:] = 0, 0
        self._contribute(contribute, groups, places, summed)
        if world.attackers is not None:
            world.attackers.contribute(groups, places, self.counts, protocol.fewest + protocol.spare)
        if self.counts == 2 and not shared(protocol):
            self._record(lambda observed: of_groups(groups, self.sums, observed, self.sweep))
        if shared(protocol):
            self.sums.rows[:, 0], self.sums.head[0] = self._together(places, groups)
        self.sweep, self.pushed = self.sweep + 1, 0
        traffic = traffic.and_also(self.schedule.inside(groups, summed))
        return traffic.and_also(self._heard(groups, places)) if protocol.robust else traffic

    def _together(self, places: Numerators, groups: Groups) -> tuple[Floats, Floats]:
        """The sum of all groups, rows and head: robust or exact."""
        if self.world.protocol.robust:
            return screen(places, np.diff(groups.first), self.world.protocol.bits, self.memory)
        return places.rows.sum(axis=1), places.head.sum(axis=0)

    def _heard(self, groups: Groups, places: Numerators) -> Traffic:
        """Everybody hears the sums of the other groups, and hashes of all that confirm them."""
        counts = places.rows[:, :, -2:]
        held = np.stack(
            [
                (counts[:, :, 0] != 0).sum(axis=0),
                ((counts[:, :, 0] == 0) & (counts[:, :, 1] != 0)).sum(axis=0),
                (counts < 0).any(axis=2).sum(axis=0),
            ]
        )
        size = message_bytes(
            held, self.world.items, self.row, self.counts, self.head, self.world.protocol.bits
        )
        members = np.diff(groups.first)
        others = len(groups.member) - members
        confirmed = ATTESTED * len(members) * len(groups.member)
        sent = int(others.sum()) + confirmed
        return Traffic(sent, sent, int((others * size).sum()) + HASH * confirmed)

    def _record(self, seen: Callable[[Bools], list[Arrays]]) -> None:
        """Record what observers see in the round that is under way."""
        world, watch = self.world, self.world.observation
        if watch is not None and watch.covers(world.round + 1):
            with world.aside():
                watch.record(world.round + 1, seen(watch.among(world.people)))

    def _newest(self, there: Bools) -> Bools:
        """Whose models were moved most often, among those who are there."""
        clock = self.world.tables.clock
        newest: Bools = there & (clock == clock[there].max(initial=0))
        return newest

    def _catch_up(self, there: Bools) -> Traffic:
        """Who is back, and has an old model, takes that of a peer."""
        world, tables = self.world, self.world.tables
        if tables.slots == 1:
            return Traffic()
        newest = self._newest(there)
        late, sources = np.flatnonzero(there & ~newest), np.flatnonzero(newest)
        if len(late) == 0:
            return Traffic()
        order = shuffled(len(sources), world.seed, LATE - self.sweep)
        chosen = sources[order[np.arange(len(late)) % len(sources)]]
        shape = tables.slots, world.items
        for each in (tables.rows.reshape(*shape, -1), tables.age.reshape(shape), tables.head, tables.clock):
            each[late] = each[chosen]
        size = codec.size(world.items, world.shape.row, world.shape.head, False)
        return Traffic(len(late), len(late), len(late) * size)

    def _push(self, messages: Messages) -> Traffic:
        """Carry out messages that end at one time, at most one by each sender.

        Who has nothing sends nothing.
        """
        world, bits = self.world, self.world.protocol.bits
        messages = messages.only(self.sums.head[messages.sender, -1] > 0)
        sent = pushes(world.tables.slots, messages.sender, messages.receiver)
        self._record(
            lambda observed: of_pushes(
                self.sums, self.counts, messages, bits, observed, self.sweep - 1, self.pushed
            )
        )
        self.pushed += 1
        if world.attackers is not None:
            world.attackers.push(self.sums, self.counts, self.pushes)
        held = push(self.sums, self.counts, sent, bits)[:, sent.sent]
        size = message_bytes(held, world.items, self.row, self.counts, self.head, bits)
        return Traffic(len(messages.sender), len(sent.sender), int(size.sum()))

    def _end(self, there: Bools) -> None:
        """Let those who are there, and have not missed a sweep, move their models."""
        world = self.world
        if self.counts == 2:
            complete(self.sums.rows, batch=world.items)
        if world.attackers is not None:
            world.attackers.learn(self.sums)
        parts = world.model, world.merge, world.tables, *self.sums
        _moves(*parts, self._newest(there), world.seed, batch=world.tables.slots)

    # Rounds

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a sweep needs."""
        world, everybody = self.world, np.ones(len(self.slots), np.bool_)
        groups = grouped(world.protocol, everybody, everybody, world.seed, 0)
        summed = np.zeros(len(groups.first) - 1, np.int64)
        self._contribute(contribute.compile, groups, self.sums, summed)
        if world.attackers is not None:
            world.attackers.prepare(self.sums, self.counts)
        if world.protocol.robust:
            compile_screen(self.sums)
        slots = world.tables.slots
        if self.pushes:
            nobody = np.empty(0, np.int32)
            compile_push(self.sums, self.counts, pushes(slots, nobody, nobody), world.protocol.bits)
        if self.counts == 2:
            complete.compile(self.sums.rows, batch=world.items)
        parts = world.model, world.merge, world.tables, *self.sums
        _moves.compile(*parts, np.ones(slots, np.bool_), world.seed, batch=slots)

    def advance(self, rounds: int) -> Traffic:
        """Run this many rounds."""
        traffic = Traffic()
        for _ in range(rounds):
            step = self._timed() if self.world.timing.timed else self._sweep()
            traffic = traffic.and_also(step)
            self.world.round += 1
        return traffic

    def _messages(self, number: int) -> Messages:
        """What is sent in a round of virtual time, or at once: the push of this number."""
        world = self.world
        every = period(world.peers)
        if every and number and number % every == 0:
            renew(world.peers, world.views, world.receivers.heard, world.timing, world.seed, number)
        known = world.peers, world.views, world.timing, self.schedule.size
        return sent_messages(1, *known, world.seed, number)

    def _sweep(self) -> Traffic:
        """One sweep without time: everybody is there, and everything arrives."""
        everybody = np.ones(len(self.slots), np.bool_)
        traffic = self._begin(everybody, everybody)
        for number in range(self.pushes):
            traffic = traffic.and_also(self._push(self._messages(self.world.round * self.pushes + number)))
        self._end(np.ones(self.world.tables.slots, np.bool_))
        return traffic

    def _timed(self) -> Traffic:
        """All that happens in one round of virtual time, tick by tick."""
        world, plan, traffic, waiting = self.world, self.schedule, Traffic(), self.underway
        if self.pushes:
            everything: Any = zip(waiting, self._messages(world.round), strict=True)
            waiting = Messages(*(np.concatenate(columns) for columns in everything))
        time, end = world.now, (world.round + 1) * world.timing.round
        while time < end:
            if time >= plan.begin(self.sweep):
                if self.sweep:
                    self._end(plan.at_end(self.sweep - 1))
                traffic = traffic.and_also(self._begin(*plan.at_begin(self.sweep)))
            stop = min(end, plan.begin(self.sweep), time + plan.tick)
            ending = waiting.end <= stop
            traffic = traffic.and_also(self._arrive(waiting.only(ending)))
            waiting, time = waiting.only(~ending), stop
        self.underway = waiting
        return traffic

    def _arrive(self, messages: Messages) -> Traffic:
        """Carry out what ends within a tick, a sender's messages one after the other.

        On an ordinary link a transfer takes a tick, so all of them have begun before this one. A message
        holds what its sender has when the last tick of the transfer begins. A node begins no message that it
        could not send before it ends the sweep.
        """
        plan, traffic, sweep = self.schedule, Traffic(), self.sweep - 1
        ends, begin = plan.ends(sweep), plan.begin(sweep) + plan.setup
        messages = messages.only((messages.start >= begin) & (messages.end <= ends[messages.sender]))
        late = messages.end > ends[messages.receiver]
        messages = messages._replace(receiver=np.where(late, -1, messages.receiver).astype(np.int32))
        while len(messages.sender):
            _, one = np.unique(messages.sender, return_index=True)
            first = np.zeros(len(messages.sender), np.bool_)
            first[one] = True
            traffic = traffic.and_also(self._push(messages.only(first)))
            messages = messages.only(~first)
        return traffic

    # Checkpoints

    def state(self) -> Arrays:
        """In virtual time, a sweep that is under way: arrays that are still in use, not copies."""
        state: Arrays = {"sweep": np.array([self.sweep, self.pushed])}
        if self.world.protocol.robust:
            state |= {f"memory {name}": array for name, array in self.memory._asdict().items()}
        if self.world.attackers is not None:
            known = self.world.attackers.known
            state |= {"known rows": known.rows, "known head": known.head}
        if self.world.timing.timed:
            state |= {"sums rows": self.sums.rows, "sums head": self.sums.head}
            state |= {f"underway {name}": column for name, column in self.underway._asdict().items()}
        return state

    def make_room(self, state: Arrays) -> None:
        """Prepare to take what `state` returned: as many messages as it holds, and the number of sweeps."""
        self.sweep, self.pushed = (int(n) for n in state["sweep"])
        if "underway sender" in state:
            self.underway = Messages(*(np.array(state[f"underway {name}"]) for name in Messages._fields))
