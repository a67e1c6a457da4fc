"""Nodes in groups that sum without a server: a participant, and the member who adds.

A group of `consensus` makes the two sums of `exchange.secure.two_sums` with numbers in steps
(`exchange.secure.row_steps`). One of its members adds: beside its own `GroupUpdate`, it runs a `GroupAdder`,
which gets everybody's messages, its own among them. It sees masked vectors and both sums, and tells the sums
to all who stayed. Each node then has an equal part of the sums, the numerators with which it begins push-sum,
or moves its model by them at once, if everybody is in one group (`Node.move`). Neither class opens a
connection: whoever does hands bytes from one to the other.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.errors import MessageError, RunError
from sottovoce.exchange.secure.contribution import Contribution
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.guards import Guard
from sottovoce.exchange.secure.primitives import Identity, RandomBytes
from sottovoce.exchange.secure.row_steps import GroupSum, StepPlan
from sottovoce.exchange.secure.two_sums import TwoSumsServer
from sottovoce.node.adding import Adding, check_agreed
from sottovoce.node.community import Community
from sottovoce.node.participant import Participant
from sottovoce.protocols.consensus import noise_places, shares_needed
from sottovoce.protocols.contribution import sum_shape
from sottovoce.protocols.group_sums import Added, take
from sottovoce.protocols.push_sum import Numerators, numerators

if TYPE_CHECKING:
    from sottovoce.node.node import Node


def plan(community: Community) -> StepPlan:
    """What the people of a group agree on."""
    protocol = community.consensus
    if protocol is None:
        raise RunError(
            "This community does not sum in groups.", 'Give it consensus="consensus", or settings of it.'
        )
    row, head = sum_shape(community.model, community.shape)
    noise = noise_places(community.steps), shares_needed(community.steps)
    return StepPlan(len(community.items), row, head, protocol.fewest, protocol.modulus, *noise)


def check_group(community: Community, group: Group) -> None:
    """Refuse a group that is too small, or in which another number of people may drop out."""
    protocol, people = community.consensus, len(group)
    if protocol is None or people < protocol.group:
        least = 0 if protocol is None else protocol.group
        raise MessageError(f"A group of {people} is too small: this community wants {least}.")
    check_agreed(group, people - protocol.spare)
    if group.threshold < shares_needed(community.steps):
        raise MessageError(
            f"A sum of this group may have {group.threshold} shares of noise, and this community wants "
            f"{shares_needed(community.steps)}.",
            "Take part in a larger group.",
        )


def _about(community: Community) -> bytes:
    """What a sum is about: masks cancel only among nodes of one community."""
    return community.expect.catalogue + community.expect.settings


def part_of(agreed: StepPlan, found: GroupSum) -> Numerators:
    """A member's equal part of the sums of its group, the numerators of push-sum."""
    sums = numerators(1, agreed.items, agreed.width + 1, agreed.head)
    rows, levels = np.zeros((agreed.items, agreed.width), np.int64), np.ones(agreed.items, np.int64)
    rows[found.items], levels[found.items] = found.rows, found.levels
    added = Added(rows, found.head, found.counts, levels, found.bound, found.last)
    least = int(found.counts[found.items].min(initial=2**62))  # rows with fewer contributors were withheld
    take(added, least, 1.0 / len(found.second), *sums)
    return sums


class GroupUpdate(Participant[GroupSum]):
    """One node's part in the sum of one group."""

    def __init__(
        self,
        node: "Node",
        group: Group,
        identity: Identity,
        guards: Sequence[Guard] = (),
        random_bytes: RandomBytes = os.urandom,
    ) -> None:
        """`Node.group_update` makes this."""
        self._steps = plan(node.community)
        check_group(node.community, group)
        self._lost = False
        super().__init__(node, self._steps, group, identity, guards, random_bytes, _about(node.community))

    def _version(self, about: bytes) -> bytes:
        return about + self._node.sweep.to_bytes(8, "little")

    @property
    def sums(self) -> Numerators | None:
        """This node's part of the group's sums, once they have come."""
        found = self._client.result
        return None if found is None else part_of(self._steps, found)

    @property
    def changed(self) -> bool:
        """See `Participant`. Nothing was added then."""
        return self._lost

    def _contribution(self) -> Contribution:
        mine = self._node.statistics()
        part = self._steps.contribution(*mine, len(self._group))
        self._lost = len(part.items) < len(mine[0])
        return part


class GroupAdder(Adding[GroupSum]):
    """What the member of a group who adds does beside its own part. It sees sums alone."""

    def __init__(self, community: Community, group: Group) -> None:
        check_group(community, group)
        self._begin(TwoSumsServer(plan(community), group, _about(community), tells=True))

    @property
    def done(self) -> bool:
        """Whether the sums were sent, or cannot be had."""
        return not self.busy
