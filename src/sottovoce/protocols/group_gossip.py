"""Gossip between groups that hide their members: private sums among neighbours.

Under gossip two peers who collude around a third see what the third changed: one sends it a model, the other
receives the trained one. Danner et al. (2018), to whom Hegedűs et al. (2019) and Dymbe point, let a subset
of nodes compute the sum of their gradients in a decentralized way, under Paillier's additively homomorphic
encryption, so that nobody learns anything of a single node's gradient; the model then moves by the sum.

Here the subset is a fixed group of people, drawn at random, and the sum is computed under masks
(`exchange.secure`) in place of Paillier. A group has one model. When a message arrives, the group merges it;
each member then trains a copy, and the model moves by the mean of what they changed (`protocols.averaged`). A
message between groups is therefore never one person's update. Groups talk to each other as nodes do under
`gossip`, and a group counts as one node that is online or not. Members score with the group's model and their
own vector.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Gt

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.errors import RecipeError
from sottovoce.exchange import codec
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.averaged import Averaged, averaged
from sottovoce.protocols.gossip import send
from sottovoce.protocols.interface import exchanges, hosted, hosts, inside, trainings
from sottovoce.registry import component
from sottovoce.state import Hosts


@component("protocol", "group-gossip", topology="peers")
class GroupGossip(NamedTuple):
    """Groups of people exchange models; a group's members sum their changes under masks."""

    group: Annotated[int, Ge(3)] = 16
    """How many people are in a group, at least, and less than twice as many."""
    fewest: Annotated[int, Ge(2)] = 3
    """k: a row's sum is computed only if at least k members changed the row."""
    stride: Annotated[float, Gt(0)] = 1.0
    """How many means of its members' changes a group's model moves by; `group` of them are the plain sum."""
    pushes: Annotated[int, Ge(1)] = 1
    """Messages a group sends in a cycle, each to another group."""
    start: Literal["common", "independent"] = "common"
    """Whether all groups and people begin with the same model and vector, or each with its own."""


@hosts.rule(GroupGossip)
def _hosts(protocol: GroupGossip, train: Interactions, seed: int) -> Hosts:
    groups = train.people // protocol.group
    if groups < 2 or protocol.fewest > protocol.group:
        raise RecipeError(
            f"{train.people} people do not make two groups of {protocol.group} in which {protocol.fewest} "
            "can hide.",
            "Set protocol.group to half the number of people or less, and protocol.fewest to less than that.",
        )
    return Hosts(np.arange(groups + 1) * train.people // groups, shuffled(train.people, seed, -1))


@hosted.rule(GroupGossip)
def _hosted(protocol: GroupGossip) -> Averaged:
    return averaged(protocol.fewest, 2 * protocol.group, protocol.stride)


@trainings.rule(GroupGossip)
def _trainings(protocol: GroupGossip, timed: bool, size: float) -> float:
    return 1 / size if timed else protocol.pushes


exchanges.rule(GroupGossip)(send)


@inside.rule(GroupGossip)
def _inside(protocol: GroupGossip, items: int, row: int, head: int) -> tuple[int, int]:
    """Everybody but the member who holds the model gets it, and sends two masked vectors of 4 bytes a number:
    who changed which row, and the changes. Keys and shares, which are small beside them, are not counted, and
    groups count with their smallest size."""
    others = protocol.group - 1
    masked = 4 * (items + 1) + 4 * (items * row + head)
    return 3 * others, others * (codec.size(items, row, head, False) + masked)


@discloses.rule(GroupGossip)
def _discloses(component: GroupGossip) -> tuple[Disclosure, ...]:
    return (
        Disclosure(
            "the model of a group: every item's row and how often it was updated, the head, how often the "
            "model was trained, and the number of interactions of the whole group",
            "other groups",
            f"It moves by sums over at least {component.fewest} of a group's members, never by what one "
            "person changed.",
        ),
        Disclosure(
            "what a training changed, under masks that cancel in the sum",
            "the other members of the group",
            "Only the sum. A member can subtract their own part, so if all members but one collude, they see "
            "that one's change.",
        ),
    )
