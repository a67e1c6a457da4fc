"""Nodes in masked sums: a participant and a server, bytes in and bytes out.

A round is one of `exchange.secure.two_sums`. Everybody in the group knows the others' identities and has the
server's model; masks are bound to it, so that a server which gives out different models gets noise. A
`SecureUpdate` is one node's part: it trains when the group has agreed on keys, and sends
masked vectors alone. A `SecureServer` has the model, which it moves by the sums. Neither opens a connection:
whoever does hands bytes from one to the other.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.combine.sums._integers import Given, fill
from sottovoce.combine.sums.interface import check_sums, compiled, new_sums, open_sums
from sottovoce.combine.sums.secure import plan, threshold, totals
from sottovoce.errors import MessageError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.message import emit
from sottovoce.exchange.secure.contribution import Aggregated, Contribution
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.primitives import Identity, RandomBytes
from sottovoce.exchange.secure.two_sums import TwoSumsServer
from sottovoce.node.adding import Adding, check_agreed
from sottovoce.node.community import Community, Key
from sottovoce.node.history import interactions, new_person
from sottovoce.node.participant import Participant
from sottovoce.protocols.aggregate import apply_sums

if TYPE_CHECKING:
    from sottovoce.node.node import Node

SERVER = 2**64 - 1
"""What a server goes by, which no node does."""


def check_group(community: Community, group: Group) -> None:
    """Refuse a group whose threshold is not the community's, or in which too few may be left."""
    if not community.masked:
        raise RunError("This community sends updates as they are.", 'Give it sum="secure" for masked sums.')
    people, promise = len(group), community.promise
    expected, least = threshold(community.sum, people), community.sum.least
    if promise is not None:
        least = max(least, promise.survivors)
    check_agreed(group, expected)
    if expected < least:
        raise MessageError(
            f"A sum of this group may be of {expected} people, and this community wants {least}.",
            "Take part in a larger group.",
        )


class SecureUpdate(Participant[Aggregated]):
    """One node's part in one masked round with a server."""

    def __init__(
        self,
        node: "Node",
        model: bytes,
        group: Group,
        identity: Identity,
        guards: Sequence[Guard] = (),
        random_bytes: RandomBytes = os.urandom,
    ) -> None:
        """`model` is the server's, as bytes; `Node.secure_update` makes this."""
        check_group(node.community, group)
        codec.decode(model, node.community.expect)  # refused for its own numbers alone, the same for all
        self._model = model
        self._plan = plan(node.community.sum, node.community.task)
        super().__init__(node, self._plan, group, identity, guards, random_bytes, model)

    def _contribution(self) -> Contribution:
        return self._node.contribution(self._model, self._plan)


class SecureServer(Adding[Aggregated]):
    """The server of a community's masked rounds: it has the model, and sees sums of groups alone."""

    def __init__(self, community: Community) -> None:
        person = new_person(
            community, Key.simulated(community.seed, 0), *(interactions(community, ()),) * 2, 0
        )
        self.community, self._tables = community, community.started(person)

    def model(self) -> bytes:
        """The model, for those who take part in the next round."""
        stamp = self.community.stamp(SERVER, int(self._tables.clock[0]))
        return codec.encode(emit(self._tables, 0)._replace(**stamp))

    def begin(self, group: Group) -> None:
        """Begin a round of this group. A round that is under way is given up."""
        check_group(self.community, group)
        agreed = plan(self.community.sum, self.community.task)
        self._begin(TwoSumsServer(agreed, group, self.model()))

    def _take(self, found: Aggregated, group: Group) -> None:
        """Move the model by the sums of a group."""
        community, tables = self.community, self._tables
        task, part = community.task, compiled(community.sum, community.task)
        sums = new_sums(part, 1, task.items, task.row, task.head, np.empty(0, np.float32))
        weights = dict(zip(_named(community), found.totals.tolist(), strict=True))
        everybody = float(weights.get("rows", 0)), float(weights.get("head", 0))
        open_sums(part, sums, len(group), len(found.first), community.seed, 0, int(tables.clock[0]))
        fill(part, sums, Given(found.items, found.contributors, found.rows, found.head, everybody))
        apply_sums(community.aggregate, community.model, part, tables, 0, sums, community.seed)
        check_sums(part, sums)


def _named(community: Community) -> list[str]:
    """What the totals of a round are the weights of, in their order (`combine.sums.secure.totals`)."""
    names = ["rows"] * (community.aggregate.over == "participants") + ["head"] * (community.shape.head > 0)
    assert len(names) == totals(community.task)
    return names
