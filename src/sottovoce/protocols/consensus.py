"""Consensus: people learn from sums that no server computes.

In a sweep everybody contributes to the next model, as to a server of `federated`. Contributions are summed by
push-sum (`protocols.push_sum`) in place of a server, and everybody moves their own copy of the model by the
mean. All begin with the same model and come to nearly the same means, so copies stay close to each other.
A model that is solved from sums (`als`) does not depend on the copy before: no error outlives a sweep.

A contribution tells a lot: its rows are the person's items. So contributions are first summed inside groups
under masks (`protocols.group_sums`), and a row with too few contributors in its group is withheld. Every
member then starts push-sum with an equal part of the group's sum. With `group = 1` nothing is masked: the
first message of a sweep is one person's contribution. Push-sum trusts everybody. With `robust`, everybody
hears every group's sum instead, and what attackers add is bounded (`protocols.screen`).

Without links, a round is a sweep. In virtual time, a sweep takes as long as its messages on an ordinary link.
Everybody contributes who is online when it begins; who comes later takes part in push-sum with nothing of
their own. Messages carry the number of their sweep. One that arrives after its receiver has ended the
sweep is lost, and takes numerators and weight with it. People's clocks may differ by `skew`: some end a sweep
earlier than others, and nobody begins the next before all have ended. A model tells how often it was moved.
Who was away when a sweep ended has a model that was moved less often, takes that of a peer before the next
sweep, and goes on.
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.privacy.guarantee import found, guarantee
from sottovoce.protocols._participants import shuffled
from sottovoce.protocols.group_sums import Groups, Masks, Unmasked
from sottovoce.protocols.interface import common_start, common_vectors, fitted, hosts, trainings
from sottovoce.registry import component
from sottovoce.state import Bools, Hosts, Ints, all_together, each_alone

BEYOND = 3
"""Pushes beyond those that a contribution needs to reach everybody."""
CROWD, SMALLEST, LARGEST = 8, 128, 1024
"""The contributors that a row of a group has on average, and the sizes of groups, where data decide them."""
BLOCKS = 16
"""Groups of people whose contributions are summed exactly without masks."""


@component("protocol", "consensus", topology="consensus")
class Consensus(NamedTuple):
    """Peers sum what they contribute by push-sum; there is no server."""

    pushes: Annotated[int, Ge(0)] = 0
    """How often everybody sends half of their sums to a peer, in each sweep; 0: three times more than a
    group's sum needs to reach everybody, the logarithm of the number of groups to the base 2."""
    bits: Annotated[int, Ge(2), Le(32)] = 8
    """Bits for a number of a row in these messages; 32: not rounded."""
    group: Annotated[int, Ge(0)] = SMALLEST
    """How many people sum their contributions under masks, at least; 1: nobody does. 0: so many that a row
    has 8 contributors on average, from 128 to 1,024. Rows of sparse data are withheld in smaller groups.
    Fewer people than that are one group, whose sums tell more about each of them."""
    fewest: Annotated[int, Ge(1)] = 3
    """k: the row of a group's sum needs at least k contributors, or is withheld."""
    spare: Annotated[int, Ge(0)] = 1
    """How many people may drop out between the two sums of a group; a row needs so many more contributors.
    If more drop out, the group begins again without them."""
    modulus: Literal[16, 32, 64] = 32
    """A group's sums of rows are modulo 2 to this power."""
    exact: bool = False
    """Sums are exact, and all people share one model: what many pushes come to, in little memory."""
    robust: bool = False
    """Everybody hears the sum of every group in place of push-sum, and bounds what attackers can add."""
    skew: Annotated[float, Ge(0), Le(1)] = 0.1
    """By how much people's clocks differ at most, as a part of the time that pushes take, in virtual time."""
    start: Literal["common", "independent"] = "common"
    """Whether people's vectors begin alike, or each with their own. The model is common in any case."""


@fitted.rule(Consensus)
def _fitted(protocol: Consensus, train: Interactions) -> Consensus:
    """Groups are as large as the data need and as there are people, if that is left open."""
    if protocol.group:
        return protocol
    density = len(train.item) / max(train.people * train.items, 1)
    wanted = min(max(math.ceil(CROWD / max(density, 1e-9)), SMALLEST), LARGEST)
    return protocol._replace(group=max(min(wanted, train.people), 2))  # few people are one group


def noise_places(steps: Sequence[Any]) -> int:
    """The binary places of numbers that carry a share of noise, which sums must keep; 0: there are none."""
    shares = (step.places for step in steps if getattr(guarantee(step), "survivors", 0))
    return next(shares, 0)


def shares_needed(steps: Sequence[Any]) -> int:
    """Of how many shares of noise a sum is at least; whoever reads it knows their own. 0: there are none."""
    promise = found(steps)
    return promise.survivors + 1 if promise is not None and promise.survivors else 0


def masks(protocol: Consensus, steps: Sequence[Any] = ()) -> Masks | Unmasked:
    """How groups sum what these steps let through."""
    if protocol.group == 1:
        return Unmasked()
    most = 2 ** (protocol.modulus - 1) - 1
    return Masks(protocol.fewest, protocol.spare, most, noise_places(steps), shares_needed(steps))


def shared(protocol: Consensus) -> bool:
    """Whether everybody comes to the same sums, so that one model stands for all of them."""
    return protocol.exact or protocol.robust


def count_columns(protocol: Consensus) -> int:
    """How many numbers at the end of a row count people: masked, also those whose numbers are withheld."""
    return 1 if protocol.group == 1 else 2


def group_count(protocol: Consensus, people: int) -> int:
    """How many groups so many people make; one has all of them if they are few."""
    return people if protocol.group == 1 else max(1, people // protocol.group)


def push_count(protocol: Consensus, people: int) -> int:
    """How often everybody sends in a sweep."""
    count = group_count(protocol, people)
    return protocol.pushes or (math.ceil(math.log2(count)) + BEYOND if count > 1 else 0)


def grouped(protocol: Consensus, there: Bools, stays: Bools, run: int, sweep: int) -> Groups:
    """The groups of a sweep, drawn among those who are `there` [U], some of whom stay to the end of the sums.

    A group from which too many drop out begins again with those who stay.
    """
    present = np.flatnonzero(there).astype(np.int32)
    if protocol.group == 1:
        count = min(BLOCKS, len(present)) if shared(protocol) else len(present)
        first = np.arange(count + 1) * len(present) // max(count, 1)
        block = np.repeat(np.arange(count, dtype=np.int32), np.diff(first))
        stay, place = np.ones(len(present), np.int32), block if shared(protocol) else present
        return Groups(first, present, stay, first, place, np.diff(first))
    order: Ints = present[shuffled(len(present), run, -2 - sweep)]
    count = group_count(protocol, len(present))
    first = np.arange(count + 1) * len(present) // count
    began = np.diff(first)
    left = np.add.reduceat(~stays[order], first[:-1]) if len(order) else np.zeros(count, np.int64)
    again = np.repeat(left > protocol.spare, began) & ~stays[order]
    group = np.repeat(np.arange(count), began)[~again]
    member = order[~again]
    first = np.searchsorted(group, np.arange(count + 1))
    kept = stays[member]
    if shared(protocol):
        places = np.arange(count, dtype=np.int32)
        return Groups(first, member, kept.astype(np.int32), np.arange(count + 1), places, began)
    begins = np.concatenate([[0], np.cumsum(kept)])[first]
    return Groups(first, member, kept.astype(np.int32), begins, member[kept], began)


@hosts.rule(Consensus)
def _hosts(protocol: Consensus, train: Interactions, seed: int) -> Hosts:
    return all_together(train.people) if shared(protocol) else each_alone(train.people)


@common_start.rule(Consensus)
def _common_start(protocol: Consensus) -> bool:
    return True


@common_vectors.rule(Consensus)
def _common_vectors(protocol: Consensus) -> bool:
    return protocol.start == "common"


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
                name="statistics",
            ),
        )
    if component.group == 2:
        return (
            Disclosure(
                "in the sum of a group of two, one person's contribution",
                "the other one",
                "Each of two people knows their own part of the sum, and so the other's. Its rows are the "
                "person's items, and with `als` the head tells the person's vector.",
                private=True,
                name="statistics",
            ),
        )
    later = "" if component.robust else ", and later of larger ones"
    return (
        Disclosure(
            f"sums over groups of at least {component.group} people (of all, if they are fewer){later}",
            "everybody" if component.robust else "peers",
            f"A row of a group's sum has at least {component.fewest} contributors.",
        ),
        Disclosure(
            "contributions under masks that cancel in the group's sum, and how many people of the group "
            "contribute to each row",
            "the other members of the group",
            "Only sums. If all members but one collude, they see that one's contribution.",
        ),
    )
