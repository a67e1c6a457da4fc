"""Sweeps in which everybody contributes, contributions are summed among peers, and everybody moves."""

from typing import Any

import numpy as np

from sottovoce.errors import RecipeError
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.exchange.update import local_update
from sottovoce.kernels import STORAGE, driver, helper, prange, stream
from sottovoce.models.statistics import fade_row, finish, prepare, solve_row
from sottovoce.protocols.averaged import PLACES, Averaged, add_integers, averaged, sendable
from sottovoce.protocols.consensus import groups
from sottovoce.protocols.gossip import Gossip, send
from sottovoce.protocols.push_sum import message_bytes, push
from sottovoce.simulate.world import Arrays, Traffic, World
from sottovoce.state import whole, width
from sottovoce.state.scratch import room_for_update


@helper
def _spread(way, rows, head, senders, sums, node, people):
    """Give a member the mean of its group: sums of integers, divided by the number of its people."""
    begin, own = sums.offset[node], sums.rows
    for item in range(len(rows)):
        enough = rows[item, width(sums)] >= way.fewest
        for d in range(width(sums)):
            own[begin + item, d] = rows[item, d] / 2.0**PLACES / people if enough else 0.0
    for d in range(len(head)):
        sums.head[node, d] = head[d] / 2.0**PLACES / people
    if senders < way.fewest:
        own[begin : sums.offset[node + 1]] = 0
        sums.head[node] = 0


@helper
def _contribute(way, model, steps, tables, people, members, run, sums):
    """Let the members of a group contribute, and give each the mean of the group."""
    slot = members[0]
    updates = room_for_update(tables, slot)
    rows = np.zeros((tables.offset[slot + 1] - tables.offset[slot], width(tables) + 1), np.int64)
    head, senders = np.zeros(tables.head.shape[1], np.int64), 0
    for person in members:
        number = people.steps[person]
        local_update(model, tables, person, updates, 0, people, person, run)
        protect(steps, updates, 0, people, person, run, number)
        if updates.offset[1] > 0 and sendable(way, updates):
            add_integers(updates, rows, head)
            senders += 1
    for person in members:
        _spread(way, rows, head, senders, sums, person, len(members))


@driver
def _contributions(way, model, steps, tables, people, first, member, run, sums):
    for g in prange(len(first) - 1):
        _contribute(way, model, steps, tables, people, member[first[g] : first[g + 1]], run, sums)


@helper
def _move(model, tables, slot, sums, run):
    """Solve a node's model from its sums, if any reached it."""
    weight = float(sums.head[slot, sums.head.shape[1] - 1])
    if weight > 0:
        solver = prepare(model, tables, slot, sums.head[slot], weight)
        key, begin, wide = stream(run, STORAGE, slot, tables.clock[slot]), tables.offset[slot], width(tables)
        for item in range(tables.offset[slot + 1] - begin):
            fade_row(model, tables, slot, item, key)
            if sums.rows[begin + item, wide - 1] > 0:
                solve_row(model, solver, tables, slot, item, sums.rows[begin + item], weight, key)
                tables.age[begin + item] += 1
        finish(model, tables, slot)
        tables.clock[slot] += 1


@driver
def _moves(model, tables, sums, run):
    for slot in prange(len(tables.clock)):
        _move(model, tables, slot, sums, run)


class Summed:
    """Carries out the sweeps of a protocol with the topology `consensus`."""

    def __init__(self, world: World) -> None:
        if world.timing.timed:
            raise RecipeError(
                "The protocol 'consensus' runs in synchronous sweeps, without links and churn.",
                "Leave network.links and network.churn out.",
            )
        if getattr(world.model, "learns", "") != "statistics":
            raise RecipeError(
                "The protocol 'consensus' sums statistics, and this model has none.",
                'Use the model "als", or another protocol.',
            )
        self.world, people = world, len(world.people.steps)
        self.steps = sequence(world.steps)
        self.first, self.member = groups(world.protocol, people, world.seed)
        fewest = world.protocol.fewest if world.protocol.group > 1 else 1
        self.way: Averaged = averaged(fewest, int(np.diff(self.first).max()), bits=64)
        size = people, world.items, world.shape.row, world.shape.head
        self.sums, self.other = whole(*size), whole(*size)

    def _contribute(self, run: Any) -> None:
        world = self.world
        parts = self.way, world.model, self.steps, world.tables, world.people, self.first, self.member
        run(*parts, world.seed, self.sums, batch=len(world.people.steps))

    def _solve(self, run: Any) -> None:
        world = self.world
        run(world.model, world.tables, self.sums, world.seed, batch=len(world.people.steps))

    def prepare(self) -> None:
        """Compile, or load from the cache, all that a sweep needs."""
        self._contribute(_contributions.compile)
        self._solve(_moves.compile)

    def advance(self, rounds: int) -> Traffic:
        """Run this many sweeps."""
        traffic, world = Traffic(), self.world
        for _ in range(rounds):
            self._contribute(_contributions)
            traffic = traffic.and_also(self._inside())
            for number in range(world.protocol.pushes):
                traffic = traffic.and_also(self._push(world.round * world.protocol.pushes + number))
            self._solve(_moves)
            world.round += 1
        return traffic

    def _push(self, number: int) -> Traffic:
        """Everybody sends half of their sums to a peer."""
        world, (row, head, _) = self.world, self.world.shape
        arriving, sent = send(Gossip(), world.peers, world.views, world.timing, 1.0, world.seed, number)
        everybody = np.ones(len(world.people.steps), np.bool_)
        held = push(self.sums, self.other, everybody, arriving, world.protocol.bits)
        self.sums, self.other = self.other, self.sums
        size = message_bytes(held, world.items, row, head, world.protocol.bits)
        return Traffic(sent, len(arriving.sender), int(size.sum()))

    def _inside(self) -> Traffic:
        """Masked vectors to a member who adds them, and the sum back: 8 bytes a number, 4 a count."""
        world, people = self.world, len(self.world.people.steps)
        if world.protocol.group == 1:
            return Traffic()
        numbers = world.items * world.shape.row + world.shape.head
        size = people * (4 * (world.items + 2) + 2 * 8 * numbers)
        return Traffic(3 * people, 3 * people, size)

    def state(self) -> Arrays:
        """Nothing: no message is on its way between two sweeps."""
        return {}

    def make_room(self, state: Arrays) -> None:
        """A checkpoint holds nothing that needs room."""
