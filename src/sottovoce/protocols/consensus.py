"""Consensus: people learn from sums that no server computes.

A round is a sweep. Everybody contributes to the next model, as to a server of `federated`. Contributions are
summed by push-sum (`protocols.push_sum`) in place of a server. Everybody then solves their own copy of the
model from the mean. All begin with the same model and come to nearly the same means, so copies stay
close to each other, and no error outlives a sweep.

A contribution tells a lot: its rows are the person's items. So contributions are first summed inside groups,
as integers under masks (`exchange.secure`), and a row with fewer than `fewest` contributors in its group is
withheld. Every member then starts push-sum with the mean of the group. With `group = 1` nothing is
masked: the first message of a sweep is one person's contribution.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.interface import hosts, trainings
from sottovoce.registry import component
from sottovoce.state import Hosts, Ints, Longs, each_alone


@component("protocol", "consensus", topology="consensus")
class Consensus(NamedTuple):
    """Peers sum what they contribute by push-sum; there is no server."""

    pushes: Annotated[int, Ge(0)] = 13
    """How often everybody sends half of their sums to a peer, in each sweep."""
    bits: Annotated[int, Ge(2), Le(32)] = 8
    """Bits for a number of a row in these messages; 32: not rounded."""
    group: Annotated[int, Ge(1)] = 128
    """How many people sum their contributions under masks, at least; 1: nobody does."""
    fewest: Annotated[int, Ge(1)] = 3
    """k: the row of a group's sum needs at least k contributors, or is withheld."""
    start: Literal["common"] = "common"
    """All begin with the same model."""


def groups(protocol: Consensus, people: int, run: int) -> tuple[Longs, Ints]:
    """Where each group's people begin, and the people by group; a group has all of them if they are few."""
    if protocol.group == 1:
        return np.arange(people + 1), np.arange(people, dtype=np.int32)
    count = max(1, people // protocol.group)
    order: Ints = shuffled(people, run, -2)
    return np.arange(count + 1) * people // count, order


@hosts.rule(Consensus)
def _hosts(protocol: Consensus, train: Interactions, seed: int) -> Hosts:
    return each_alone(train.people)


@trainings.rule(Consensus)
def _trainings(protocol: Consensus, timed: bool, size: float) -> float:
    return 1


@discloses.rule(Consensus)
def _discloses(component: Consensus) -> tuple[Disclosure, ...]:
    if component.group == 1:
        return (
            Disclosure(
                "in the first message of a sweep, half of one person's contribution",
                "a peer",
                "Its rows are the person's items, and with `als` the head tells the person's vector.",
                private=True,
            ),
        )
    return (
        Disclosure(
            f"sums over groups of at least {component.group} people, and later of larger ones",
            "peers",
            f"A row of a group's sum has at least {component.fewest} contributors.",
        ),
        Disclosure(
            "a contribution under masks that cancel in the group's sum",
            "the other members of the group",
            "Only the sum. If all members but one collude, they see that one's contribution.",
        ),
    )
