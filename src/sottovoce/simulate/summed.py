"""Sweeps in which everybody contributes, contributions are summed among peers, and everybody moves."""

from typing import Any

import numpy as np

from sottovoce.errors import RecipeError
from sottovoce.exchange import codec
from sottovoce.exchange.secure.contribution import Plan
from sottovoce.exchange.secure.sizes import exchanged
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.kernels import driver, helper, prange
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.consensus import group_count, grouped, masks, push_count
from sottovoce.protocols.contribution import move, sum_shape
from sottovoce.protocols.gossip import sent_messages
from sottovoce.protocols.group_sums import Groups, complete, contribute
from sottovoce.protocols.interface import Messages, no_messages
from sottovoce.protocols.push_sum import compile_push, message_bytes, numerators, push, pushes
from sottovoce.simulate.world import Arrays, Traffic, World
from sottovoce.state import Bools, Longs, slots_of
from sottovoce.timing import present

CLOCKS, LATE = -(1 << 20), -(1 << 21)
"""What random orders of people are for: how early their clocks are, and whom those who were away ask."""


@helper
def _move(model, rule, tables, slot, rows, head, run):
    """Move a model by its node's sums, if any reached it; returns whether it did."""
    if head[slot, head.shape[1] - 1] <= 0:
        return False
    move(model, rule, tables, slot, rows, head, slot, run)
    tables.clock[slot] += 1
    return True


@driver
def _moves(model, rule, tables, rows, head, there, run, moved):
    for slot in prange(len(there)):
        moved[slot] = there[slot] and _move(model, rule, tables, slot, rows, head, run)


class Summed:
    """Carries out the sweeps of a protocol with the topology `consensus`."""

    def __init__(self, world: World) -> None:
        self.world, people = world, len(world.people.steps)
        protocol = world.protocol
        if world.timing.timed and protocol.exact:
            raise RecipeError(
                "Exact sums are a limit that no network reaches, so they take no time.",
                "Leave network.links and network.churn out, or protocol.exact.",
            )
        self.steps = sequence(world.steps)
        self.row, self.head = sum_shape(world.model, world.shape)
        self.counts = 1 if protocol.group == 1 else 2  # numbers at the end of a row that count people
        self.row += self.counts - 1
        self.sums = numerators(world.tables.slots, world.items, self.row, self.head)
        self.pushes = 0 if protocol.exact else push_count(protocol, people)
        self.slots = slots_of(world.people)
        self.current = np.ones(world.tables.slots, np.bool_)  # whose model is of the newest sweep
        self.sweep = 0  # how many have begun
        self.underway = no_messages()
        self.schedule = Schedule(world, self.pushes, self.row, self.counts, self.head)

    # What a sweep consists of

    def _contribute(self, run: Any, groups: Groups, places: Any, summed: Longs) -> None:
        world = self.world
        parts = world.model, world.merge, self.steps, masks(world.protocol), world.tables, self.slots
        run(*parts, world.people, groups, world.seed, *places, summed, batch=len(world.people.steps))

    def _begin(self, there: Bools, stays: Bools) -> Traffic:
        """Let those who are there contribute."""
        world, protocol = self.world, self.world.protocol
        traffic = self._catch_up(there)
        groups = grouped(protocol, there, stays, world.seed, self.sweep)
        summed = np.zeros(len(groups.first) - 1, np.int64)
        places = self.sums
        if protocol.exact:
            places = numerators(len(groups.first) - 1, world.items, self.row, self.head)
        else:
            self.sums.rows[:], self.sums.head[:] = 0, 0
        self._contribute(contribute, groups, places, summed)
        if protocol.exact:
            self.sums.rows[:, 0], self.sums.head[0] = places.rows.sum(axis=1), places.head.sum(axis=0)
        self.sweep += 1
        return traffic.and_also(self.schedule.inside(groups, there, stays, summed))

    def _catch_up(self, there: Bools) -> Traffic:
        """Who is back, and has an old model, takes that of a peer."""
        world = self.world
        late, sources = np.flatnonzero(there & ~self.current), np.flatnonzero(there & self.current)
        if self.world.protocol.exact or len(late) == 0 or len(sources) == 0:
            return Traffic()
        order = shuffled(len(sources), world.seed, LATE - self.sweep)
        chosen = sources[order[np.arange(len(late)) % len(sources)]]
        tables, shape = world.tables, (world.tables.slots, world.items)
        for each in (tables.rows.reshape(*shape, -1), tables.age.reshape(shape), tables.head, tables.clock):
            each[late] = each[chosen]
        self.current[late] = True
        size = codec.size(world.items, world.shape.row, world.shape.head, False)
        return Traffic(len(late), len(late), len(late) * size)

    def _push(self, messages: Messages) -> Traffic:
        """Carry out messages that end at one time, at most one by each sender."""
        world, bits = self.world, self.world.protocol.bits
        sent = pushes(len(self.current), messages.sender, messages.receiver)
        held = push(self.sums, self.counts, sent, bits)[sent.sent]
        size = message_bytes(held, world.items, self.row, self.counts, self.head, bits)
        return Traffic(len(messages.sender), len(sent.sender), int(size.sum()))

    def _end(self, there: Bools) -> None:
        """Let those who are there move their models."""
        world = self.world
        if self.counts == 2:
            complete(self.sums.rows, batch=world.items)
        moved = np.zeros(len(self.current), np.bool_)
        parts = world.model, world.merge, world.tables, *self.sums, there, world.seed, moved
        _moves(*parts, batch=len(moved))
        if moved.any():
            self.current = moved

    # Rounds

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a sweep needs."""
        world, everybody = self.world, np.ones(len(self.slots), np.bool_)
        groups = grouped(world.protocol, everybody, everybody, world.seed, 0)
        summed = np.zeros(len(groups.first) - 1, np.int64)
        self._contribute(contribute.compile, groups, self.sums, summed)
        if self.pushes:
            nobody = np.empty(0, np.int32)
            compile_push(
                self.sums, self.counts, pushes(len(self.current), nobody, nobody), world.protocol.bits
            )
        if self.counts == 2:
            complete.compile(self.sums.rows, batch=world.items)
        parts = world.model, world.merge, world.tables, *self.sums, self.current, world.seed, self.current
        _moves.compile(*parts, batch=len(self.current))

    def advance(self, rounds: int) -> Traffic:
        """Run this many rounds."""
        traffic = Traffic()
        for _ in range(rounds):
            step = self._timed() if self.world.timing.timed else self._sweep()
            traffic = traffic.and_also(step)
            self.world.round += 1
        return traffic

    def _messages(self, round: int) -> Messages:
        world = self.world
        known = world.peers, world.views, world.timing, self.schedule.size
        return sent_messages(1, *known, world.seed, round)

    def _sweep(self) -> Traffic:
        """One sweep without time: everybody is there, and everything arrives."""
        everybody = np.ones(len(self.slots), np.bool_)
        traffic = self._begin(everybody, everybody)
        for number in range(self.pushes):
            traffic = traffic.and_also(self._push(self._messages(self.world.round * self.pushes + number)))
        self._end(np.ones(len(self.current), np.bool_))
        return traffic

    def _timed(self) -> Traffic:
        """All that happens in one round of virtual time."""
        world, plan, traffic = self.world, self.schedule, Traffic()
        everything: Any = zip(self.underway, self._messages(world.round), strict=True)
        waiting = Messages(*(np.concatenate(columns) for columns in everything))
        time, end = world.now, world.now + world.timing.round
        while time < end:
            begins = self.sweep * plan.length
            if time >= begins:
                if self.sweep:
                    self._end(present(world.timing, time))
                there = present(world.timing, begins)
                traffic = traffic.and_also(
                    self._begin(there, there & present(world.timing, begins + plan.setup))
                )
                begins = self.sweep * plan.length
            stop = min(end, begins, time + plan.tick)
            ending = waiting.end <= stop
            traffic = traffic.and_also(self._arrive(waiting.only(ending)))
            waiting, time = waiting.only(~ending), stop
        self.underway = waiting
        return traffic

    def _arrive(self, messages: Messages) -> Traffic:
        """Carry out what ends within a tick, a sender's messages one after the other."""
        plan, traffic, sweep = self.schedule, Traffic(), self.sweep - 1
        begin, length = sweep * plan.length, plan.length
        valid = (messages.start >= begin + plan.setup) & (
            messages.end <= begin + length - plan.early[messages.sender]
        )
        messages = messages.only(valid)
        late = messages.end > begin + length - plan.early[messages.receiver]
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
        if not self.world.timing.timed:
            return {"sweep": np.array([self.sweep]), "current": self.current}
        state = {"sums rows": self.sums.rows, "sums head": self.sums.head, "current": self.current}
        state |= {f"underway {name}": column for name, column in self.underway._asdict().items()}
        return state | {"sweep": np.array([self.sweep])}

    def make_room(self, state: Arrays) -> None:
        """Prepare to take what `state` returned: as many messages as it holds, and the number of sweeps."""
        self.sweep = int(state["sweep"][0])
        if "underway sender" in state:
            self.underway = Messages(*(np.array(state[f"underway {name}"]) for name in Messages._fields))


class Schedule:
    """How long the parts of a sweep take in virtual time, in seconds, and what the masked sums exchange."""

    def __init__(self, world: World, pushes: int, row: int, counts: int, head: int) -> None:
        protocol, timing, people = world.protocol, world.timing, len(world.people.steps)
        self.protocol, self.items, self.row, self.head = protocol, world.items, row, head
        model = codec.size(world.items, world.shape.row, world.shape.head, False)
        every = message_bytes(np.array([world.items]), world.items, row, counts, head, protocol.bits)
        self.size = float(every[0]) / model
        self.tick = self.size * timing.round + timing.latency
        largest = -(-people // group_count(protocol, people))
        inside = self._group_bytes(np.array([largest]), np.array([largest]), np.array([world.items]))
        self.setup = float(inside[0]) / largest / model * timing.round if protocol.group > 1 else 0.0
        skew = protocol.skew * pushes * self.tick
        self.length = self.setup + (pushes + 1) * self.tick + skew
        self.early = skew * shuffled(people, world.seed, CLOCKS) / people

    def _plan(self) -> Plan:
        """The two sums of a group, with longer numbers counted as several."""
        bits = self.protocol.modulus
        width = self.row - 2 + -(-32 // bits)
        return Plan(self.items, width, self.head * 64 // bits, 64 // bits, self.protocol.fewest, bits)

    def _group_bytes(self, people: Longs, heard: Longs, rows: Longs) -> Longs:
        """What groups exchange: masked vectors to a member who adds them, and the sums to everybody."""
        plan = self._plan()
        session = exchanged(plan, people, heard, rows, 0).bytes
        total: Longs = session + heard * (rows * plan.width + plan.head) * (plan.bits // 8)
        return total

    def inside(self, groups: Groups, there: Bools, stays: Bools, rows: Longs) -> Traffic:
        """What the groups of a sweep exchange; those that begin again exchange keys and counts twice."""
        if self.protocol.group == 1:
            return Traffic()
        people = np.diff(groups.first)
        kept = np.concatenate([[0], np.cumsum(groups.stays)])
        heard = kept[groups.first[1:]] - kept[groups.first[:-1]]
        messages = int(exchanged(self._plan(), people, heard, rows, 0).messages.sum()) + int(heard.sum())
        size = int(self._group_bytes(people, heard, rows).sum())
        lost = int(np.count_nonzero(there)) - len(groups.member)  # dropped out of groups that began again
        again = exchanged(self._plan(), people, 0, 0, 1) if lost else None
        if again is not None:
            messages, size = messages + int(again.messages.sum()), size + int(again.bytes.sum())
        return Traffic(messages, messages - int((people - heard).sum()) - lost, size)
