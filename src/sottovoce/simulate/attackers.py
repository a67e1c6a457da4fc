"""The people who attack: who they are, what they know, and where their lies enter.

Where people sum, lies are added to the sum of a group in place of one member's contribution. That is the
same: who adds to the own contribution adds to the sum, and nobody sees a single one. An attacker's claim of
contributors also counts where rows with too few of them are withheld. (One thing is simplified: if only the
claim makes a group sum a row, the numbers of the row's honest contributors are missing.) Lies in pushes are
added before each push, in equal parts. Where people send models, attackers change theirs at the beginning of
each round, and train and merge like everybody until the next.

Who can have many identities can be many of the people. Identities are no part of the simulation.
"""

from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.kernels import driver, helper, prange
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.group_sums import Groups
from sottovoce.protocols.push_sum import Numerators
from sottovoce.simulate.attacks.interface import Known, lie_in_head, lie_in_model, lie_in_row, promotes
from sottovoce.state import Bools, Doubles, Ints, Tables

PEOPLE, TARGET = -(1 << 22), -(1 << 22) - 1
"""The numbers of random orders: of people, who attack, and of items, one of which is promoted."""
COLD = 5
"""At most so many people have an item that is promoted, and at least one."""


def attackers(attack: Any, people: int, seed: int) -> Bools:
    """Who attacks, [people]: as many as the share says, and at least one unless it is 0."""
    found, share = np.zeros(people, np.bool_), getattr(attack, "share", 0.0)
    count = max(1, round(share * people)) if share > 0 else 0
    found[shuffled(people, seed, PEOPLE)[:count]] = True
    return found


def promoted(attack: Any, train: Interactions, seed: int) -> int:
    """The item that attackers promote: cold, or the rarest there is if none is; -1 if they promote none."""
    if not promotes(attack):
        return -1
    counts = np.bincount(train.item, minlength=train.items)
    rare = np.where(counts > 0, counts, len(train) + 1)
    cold = rare <= max(COLD, int(rare.min()))
    order = shuffled(train.items, seed, TARGET)
    return int(order[cold[order]][0])


@helper
def _lies(attack, known, counts, needed, item, place, times, parts, rows, run):
    """Add lies to an item's rows; see `_add_lies`."""
    lie, last = np.zeros(rows.shape[2], np.float32), rows.shape[2] - 1
    lie_in_row(attack, known, counts, item, run, lie)
    if lie[last] > 0:
        for n in range(len(place)):
            own, share = rows[item, place[n]], np.float32(times[n] / parts[n])
            people = own[last] * np.float32(parts[n]) + np.float32(times[n]) * lie[last]
            withheld = counts == 2 and own[last - 1] == 0 and people < needed
            for d in range(last if withheld else 0, len(lie)):
                own[d] += share * lie[d]


@helper
def _head_lies(attack, known, place, times, parts, head, run):
    lie = np.zeros(head.shape[1], np.float32)
    lie_in_head(attack, known, run, lie)
    for n in range(len(place)):
        for d in range(len(lie)):
            head[place[n], d] += np.float32(times[n] / parts[n]) * lie[d]


@driver
def _add_lies(attack, known, counts, needed, place, times, parts, rows, head, run):
    """Add lies to numerators: place[n] is one of parts[n] that share times[n] lies.

    A row needs so many contributors, or its numbers are withheld.
    """
    for item in prange(len(rows)):
        _lies(attack, known, counts, needed, item, place, times, parts, rows, run)
    _head_lies(attack, known, place, times, parts, head, run)


@driver
def _change_models(attack, known, tables, slots, run):
    for n in prange(len(slots)):
        lie_in_model(attack, known, tables, slots[n], run)


class Attackers:
    """Those who attack in one run."""

    def __init__(self, attack: Any, train: Interactions, slots: Ints, seed: int) -> None:
        self.attack, self.seed = attack, seed
        self.who = attackers(attack, train.people, seed)
        self.item = promoted(attack, train, seed)
        self.slots: Ints = np.unique(slots[self.who]).astype(np.int32)
        counts = np.bincount(train.item, minlength=train.items)
        popular = int(counts.argmax()), int(counts.max())
        nothing = np.zeros((0, 1), np.float32), np.zeros(1, np.float32)
        self.known = Known(int(self.who.sum()), self.item, *popular, *nothing)

    def meet(self, items: int, row: int, head: int) -> None:
        """Make room for what attackers come to know of sums of this shape."""
        rows, heads = np.zeros((items, row), np.float32), np.zeros(head, np.float32)
        self.known = self.known._replace(rows=rows, head=heads)

    def learn(self, sums: Numerators) -> None:
        """Look at the sums that an attacker's node has at the end of a sweep."""
        node = self.slots[0]
        weight = sums.head[node, -1]
        if weight > 0:
            self.known.rows[:] = sums.rows[:, node] / weight
            if not self.known.head.any():
                self.known.head[:] = sums.head[node] / weight

    def _add(
        self, run: Any, where: tuple[Ints, Doubles, Doubles], counts: int, needed: int, sums: Any
    ) -> None:
        run(self.attack, self.known, counts, needed, *where, *sums, self.seed, batch=len(sums.rows))

    def prepare(self, sums: Numerators, counts: int) -> None:
        """Compile, or load from the cache, what lies in sums need."""
        nobody = np.empty(0, np.int32), np.empty(0), np.empty(0)
        self._add(_add_lies.compile, nobody, counts, 0, sums)

    def contribute(self, groups: Groups, sums: Numerators, counts: int, needed: int) -> None:
        """Add lies to the sums of groups; the groups of attackers share them among their places."""
        if self.attack.through == "pushes":
            return
        lying = np.concatenate([[0], np.cumsum(self.who[groups.member] * groups.stays)])
        times, parts = np.diff(lying[groups.first]), np.diff(groups.begins)
        group = np.repeat(np.arange(len(parts)), parts)
        summed = (times[group] > 0) & (sums.head[groups.place, -1] > 0)
        group = group[summed]
        where = groups.place[summed], times[group].astype(float), parts[group].astype(float)
        self._add(_add_lies, where, counts, needed, sums)

    def push(self, sums: Numerators, counts: int, pushes: int) -> None:
        """Add lies to what attackers are about to push, one of so many times in a sweep."""
        if self.attack.through == "pushes":
            each = np.ones(len(self.slots))
            self._add(_add_lies, (self.slots, each, pushes * each), counts, 0, sums)

    def change(self, tables: Tables) -> None:
        """Change the models of attackers before they are sent."""
        _change_models(self.attack, self.known, tables, self.slots, self.seed, batch=len(self.slots))

    def compile_change(self, tables: Tables) -> None:
        """Compile, or load from the cache, what `change` needs."""
        parts = self.attack, self.known, tables, self.slots, self.seed
        _change_models.compile(*parts, batch=max(1, len(self.slots)))
