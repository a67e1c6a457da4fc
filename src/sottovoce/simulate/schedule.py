"""When the parts of a sweep begin and end in virtual time, and what masked groups exchange.

A sweep begins with the sums of masked groups, which take as long as a member's part of their bytes on an
ordinary link, as if the work of adding were shared among the members. (Real clients have one member who
adds: `node.group`. With a link that is no better than others, it would need as many times longer as there are
members.) Then everybody pushes, `pushes` times on an
ordinary link, because a node's first message begins at a time of its own:

    length = setup + (pushes + 1) · tick + latency + skew · pushes · tick.

A tick is how long a push with a row for every item takes on an ordinary link. The last part is the
difference of clocks: node n ends every sweep `early[n]` seconds before the others have all ended it.
"""

import numpy as np

from sottovoce.exchange import codec
from sottovoce.exchange.secure.row_steps import StepPlan
from sottovoce.exchange.secure.sizes import exchanged
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.consensus import group_count
from sottovoce.protocols.group_sums import Groups
from sottovoce.protocols.push_sum import message_bytes
from sottovoce.simulate.world import Traffic, World
from sottovoce.state import Bools, Doubles, Longs
from sottovoce.timing import remaining

CLOCKS = -(1 << 20)
"""The number of the random order of people that says how early their clocks are."""


class Schedule:
    """The times of sweeps, in seconds, and the bytes of masked groups."""

    def __init__(self, world: World, pushes: int, row: int, counts: int, head: int) -> None:
        protocol, people = world.protocol, len(world.people.steps)
        self.protocol, self.timing = protocol, world.timing
        self.items, self.row, self.head = world.items, row, head
        model = codec.size(world.items, world.shape.row, world.shape.head, False)
        every = np.array([[world.items], [0], [0]])
        self.size = float(message_bytes(every, world.items, row, counts, head, protocol.bits)[0]) / model
        self.tick = self.size * self.timing.round
        self.setup = self._inside(people, world.items) / model * self.timing.round
        skew = protocol.skew * pushes * self.tick
        self.length = self.setup + (pushes + 1) * self.tick + self.timing.latency + skew
        self.early: Doubles = skew * shuffled(people, world.seed, CLOCKS) / people

    def _inside(self, people: int, rows: int) -> float:
        """The bytes that a member of the largest group exchanges."""
        if self.protocol.group == 1:
            return 0.0
        largest = -(-people // group_count(self.protocol, people))
        _, size = self._sums(np.array([largest]), np.array([largest]), np.array([rows]))
        return int(size[0]) / int(largest)

    # Times

    def begin(self, sweep: int) -> float:
        """When a sweep begins."""
        return float(sweep * self.length)

    def at_begin(self, sweep: int) -> tuple[Bools, Bools]:
        """Who is online when a sweep begins, and who of them stays until groups have summed."""
        begin = np.full(len(self.early), self.begin(sweep))
        return remaining(self.timing, begin, begin), remaining(self.timing, begin, begin + self.setup)

    def ends(self, sweep: int) -> Doubles:
        """When each node ends a sweep, [N]."""
        return self.begin(sweep + 1) - self.early

    def at_end(self, sweep: int) -> Bools:
        """Who is online when they end a sweep."""
        ends = self.ends(sweep)
        return remaining(self.timing, ends, ends)

    # Masked groups

    def _sums(self, people: Longs, heard: Longs, rows: Longs) -> tuple[Longs, Longs]:
        """The messages and bytes of groups of so many people, of whom some are `heard` in both sums.

        Masked vectors go to the member who adds them, and the sums to everybody who stays. The member who
        adds is counted like the others. If too many drop out, the session ends with their second vectors.
        """
        plan = StepPlan(self.items, self.row - 1, self.head, self.protocol.fewest, self.protocol.modulus)
        session = exchanged(plan, people, people, rows, people - self.protocol.spare, heard, tells=True)
        return session.messages, session.bytes

    def inside(self, groups: Groups, rows: Longs) -> Traffic:
        """What the groups of a sweep exchange; one that begins again has exchanged much before.

        Of the sums that were given up, the rows count that were summed at last.
        """
        if self.protocol.group == 1:
            return Traffic()
        people = np.diff(groups.first)
        kept = np.concatenate([[0], np.cumsum(groups.stays)])
        heard = kept[groups.first[1:]] - kept[groups.first[:-1]]
        messages, size = self._sums(groups.began, heard, rows)
        again = np.flatnonzero(groups.began > people)
        more, longer = self._sums(people[again], heard[again], rows[again])
        sent = int(messages.sum() + more.sum())
        return Traffic(sent, sent - int((groups.began - heard).sum()), int(size.sum() + longer.sum()))
