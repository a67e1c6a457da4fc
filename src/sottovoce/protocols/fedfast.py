"""FedFast: similar people speak for each other (Muhammad et al. 2020), as Belal et al. 2022 compare with it.

The server keeps everybody's vector, which no other protocol here does: what is a person's own by design
leaves the device. It groups these vectors by k-means, and in each aggregation

1. asks the same number of people from every cluster (active sampling): clusters, in random order, name
   a random one of their people who are online in turn, until C are found. What a small cluster cannot give,
   the others give.
2. They train and send their changes and their vector. The head moves by FedAvg; items by FedAvg too, as
   Belal et al. describe it, or each by how much participants changed it (`items`, see `change`).
3. A participant's vector is taken as it is, clusters are made anew, and everybody else in a cluster moves
   by the mean change of the vectors of its participants, times γᵗ (active aggregation): xᵢ ← xᵢ + γᵗ mean Δx.

γ is the `discount`, and t the number of this aggregation, from 1: steps that are shared are meant to help at
the beginning, and would hinder later what is personal. Muhammad et al. let the discount decay; that it
does so by powers is ours. A cluster without participants stays where it is. Who drops out or loses a
message is one of the others: the vector that such a person has trained never reaches the server, which
sends its own with the next model.

The more clusters, the more often some hold just a few unusual people, who are then asked again and again
while most are not: on weighting items of MovieLens 100K, GMF learnt faster with 5 clusters than with 10 or
20, and fastest with participants at random. What `items = "change"` gains, `federated` gains nearly as well
with `aggregate = "change"`, and no vector leaves.

The server draws people's vectors at the start. A vector travels with every message: down with the model,
because it may have been moved since its owner saw it last, and up with the change. Both are counted in
bytes, though not in time, against which a vector is little more than a row. Quality is measured with the
vectors that the server has, which people get when they next ask for the model.
"""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le, Lt

from sottovoce.combine.aggregate.change import Change
from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.kernels import PARTICIPANTS, driver, stream
from sottovoce.kernels.kmeans import kmeans
from sottovoce.protocols._participants import OFFLINE, Groups, Terms, answering, attend, shuffle
from sottovoce.protocols._server import CHANGES, served
from sottovoce.protocols.interface import aggregates, keeps, participants, sees_vectors, settle
from sottovoce.registry import component
from sottovoce.state import Floats, Ints, Longs
from sottovoce.timing import Timing


@served
@component("protocol", "fedfast", topology="server")
class FedFast(NamedTuple):
    """A server asks some people of every cluster, and moves the others along with them."""

    participants: Annotated[int, Ge(1)] = 50
    """C, how many of those online take part in an aggregation. The default is ours."""
    clusters: Annotated[int, Ge(1)] = 5
    """How many groups of people there are. The default is ours."""
    items: Literal["fedavg", "change"] = "fedavg"
    """How items are averaged: by participants' instances (Belal et al. 2022), or by how much each
    participant changed an item (Muhammad et al. 2020)."""
    discount: Annotated[float, Ge(0), Le(1)] = 0.5
    """γ, what is left, from aggregation to aggregation, of the share of participants' steps that the others
    of their cluster make too; 0: they stay where they are. The default is ours."""
    dropout: Annotated[float, Ge(0), Lt(1)] = 0.0
    """The share of participants that fail once they have received the model: they never answer, nor train."""
    start: Literal["common", "independent"] = "independent"
    """Whether people begin with the same vector, or each with an own one."""


@aggregates.rule(FedFast)
def _aggregates(protocol: FedFast) -> Any:
    return FedAvg() if protocol.items == "fedavg" else Change()


@keeps.rule(FedFast)
def _keeps(protocol: FedFast, people: int) -> dict[str, Any]:
    return {"cluster": np.full(people, -1, np.int32)}


@driver
def _in_turn(fate, cluster, clusters, count, run, number):
    """Leave only `count` of those who are there: clusters name one of theirs in turn."""
    online, order = np.flatnonzero(fate), np.arange(clusters)
    shuffle(online, stream(run, PARTICIPANTS, 3, number))
    shuffle(order, stream(run, PARTICIPANTS, 4, number))
    named, turn = np.zeros(clusters, np.int64), np.empty(len(online), np.int64)
    for n in range(len(online)):
        own = cluster[online[n]]
        turn[n] = named[own] * clusters + order[own]
        named[own] += 1
    for n in np.argsort(turn)[count:]:
        fate[online[n]] = OFFLINE


@sees_vectors.rule(FedFast)
def _sees_vectors(protocol: FedFast) -> bool:
    return True


@participants.rule(FedFast)
def _participants(
    protocol: FedFast,
    kept: dict[str, Any],
    user: Floats,
    timing: Timing,
    terms: Terms,
    begin: float,
    run: int,
    number: int,
) -> Groups:
    if number == 0:
        kept["cluster"][:] = kmeans(user, protocol.clusters, run, 0).label
    fate = attend(timing, terms, begin, run, number)
    _in_turn(fate, kept["cluster"], protocol.clusters, protocol.participants, run, number)
    return answering(fate)


def follow(user: Floats, cluster: Ints, persons: Longs, change: Floats, share: float) -> None:
    """Move all but these persons by a share of the mean change of those of them in the same cluster."""
    clusters, own = int(cluster.max(initial=0)) + 1, cluster[persons]
    total = np.zeros((clusters, user.shape[1]))
    np.add.at(total, own, change)
    mean = total / np.maximum(np.bincount(own, minlength=clusters), 1)[:, None]
    step = (share * mean).astype(np.float32)[cluster]
    step[persons] = 0
    user += step


@settle.rule(FedFast)
def _settle(
    protocol: FedFast,
    kept: dict[str, Any],
    user: Floats,
    before: Floats,
    groups: Groups,
    run: int,
    number: int,
) -> None:
    # The server did not hear of these vectors, so for the federation they are as they were.
    user[groups.persons[~groups.heard]] = before[~groups.heard]
    kept["cluster"][:] = kmeans(user, protocol.clusters, run, number).label
    known = groups.persons[groups.heard]
    change = user[known] - before[groups.heard]
    follow(user, kept["cluster"], known, change, protocol.discount**number)


@discloses.rule(FedFast)
def _discloses(component: Any) -> tuple[Disclosure, ...]:
    return (
        CHANGES,
        Disclosure(
            "the person's own vector, after every training",
            "the server",
            "It is close to a profile: with the items' rows it gives a score for every item, and it tells "
            "whom a person resembles. The server keeps everybody's, by name.",
            private=True,
        ),
        Disclosure(
            "the mean change of participants' vectors, as a step of one's own",
            "the others of their cluster",
            "Where one person took part for a cluster, that is how this very person's vector has changed.",
            private=True,
        ),
    )
