"""Nodes that draw the group of a masked round themselves, in place of a server that chooses it.

Perifanis and Efraimidis (2022, Section 5.2) fear a server that repeats a group without one person. In a draw
(`exchange.secure.draw`) nobody chooses: the group follows from secrets of everybody who wants to take part.
A `Draw` is one node's part, and a `DrawServer` passes its messages on. `Draw.group` then is the group for
`Node.secure_update`, or `Node.group_update`, made by the node itself from what was drawn.

What a server can still do is to throw draws away: to say that somebody was silent, or to begin no round with
a group that it does not like. From inside nobody can tell this from bad luck. A node therefore takes part in
so many draws between two of its sums and no more: `PATIENCE` times as many as an honest server needs on
average until the node is drawn. The server has that many tries, and not as many as it likes.
"""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sottovoce.combine.sums.secure import threshold
from sottovoce.errors import RunError
from sottovoce.exchange.secure.draw import Drawer, Lottery, Step
from sottovoce.exchange.secure.group import Group, group
from sottovoce.exchange.secure.primitives import Identity, RandomBytes
from sottovoce.node.community import Community

if TYPE_CHECKING:
    from sottovoce.node.node import Node

PATIENCE = 8
"""A node that is drawn by chance sees more than this many times the mean number of draws in e^-8 of cases."""


def lottery(candidates: Iterable[bytes], size: int, label: bytes) -> Lottery:
    """A draw of so many of these identities, in any order. A draw that is repeated has another label."""
    return Lottery(tuple(sorted(candidates)), size, label)


def group_of(community: Community, identities: Iterable[bytes], label: bytes) -> Group:
    """The group of these people with the threshold of their community, for two sums."""
    people = tuple(identities)
    protocol = community.consensus
    least = len(people) - protocol.spare if protocol is not None else threshold(community.sum, len(people))
    return group(people, label, least, sums=2)


class Draw:
    """One node's part in one draw: `start`, then `receive` what comes from the server of the draw."""

    def __init__(
        self, node: "Node", lottery: Lottery, identity: Identity, random_bytes: RandomBytes = os.urandom
    ) -> None:
        """`Node.draw` makes this."""
        from sottovoce.node import group as peers
        from sottovoce.node import secure

        if not node.community.in_groups:
            raise RunError(
                "This community sums in no groups that could be drawn.",
                'Give it sum="secure", or consensus=.',
            )
        check = secure.check_group if node.community.consensus is None else peers.check_group
        check(node.community, group_of(node.community, lottery.candidates[: lottery.size], lottery.label))
        self._node, self._drawer = node, Drawer(lottery, identity, random_bytes)
        self._most = PATIENCE * -(-len(lottery.candidates) // lottery.size)
        node.rounds.check_draws(self._most)

    @property
    def group(self) -> Group | None:
        """The group that was drawn, which need not hold this node; None before the end."""
        drawer = self._drawer
        if drawer.step is not Step.DONE:
            return None
        return group_of(self._node.community, drawer.group, drawer.lottery.label)

    def start(self) -> bytes:
        """The first message: a commitment to a secret. It counts as a draw, whatever comes of it."""
        if self._drawer.step is Step.NEW:
            self._node.rounds.draw(self._most)
        return self._drawer.start()

    def receive(self, data: bytes) -> bytes:
        """Take a message of the server of the draw; the answer to send back, which may be empty."""
        return self._drawer.receive(data)
