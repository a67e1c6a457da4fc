"""FedFast: similar people speak for each other (Muhammad et al. 2020), as Belal et al. 2022 compare with it.

The server keeps everybody's vector, which no other protocol here does: the vector leaves the device, although
by design it is the person's own. The server groups these vectors by k-means. In each aggregation

1. it asks the same number of people from every cluster (active sampling): clusters take turns in random
   order, and each names a random one of its people who are online, until C are found. Larger clusters make
   up for what a small cluster cannot give.
2. Participants train and send their changes and their vector. The head moves by FedAvg. Items move by FedAvg
   too, as Belal et al. describe it, or each by how much participants changed it (`items`, see `change`).
3. The server takes a participant's vector as it is and makes new clusters. Everybody else in a cluster moves
   by the mean change of its participants' vectors, times γᵗ (active aggregation): xᵢ ← xᵢ + γᵗ mean Δx.

γ is the `discount`, and t the number of this aggregation, from 1. Shared steps are meant to help at the
beginning; later they would hinder what is personal. Muhammad et al. let the discount decay; the decay by
powers is ours. A cluster without participants stays where it is. A person who drops out or loses a message
counts as one of the others: the server never gets the vector that this person trained, and sends its own
version with the next model.

With many clusters, some hold just a few unusual people, who are then asked again and again while most are
not. On weighting items of MovieLens 100K, GMF learnt faster with 5 clusters than with 10 or 20, and fastest
with participants at random. `federated` with `aggregate = "change"` gains nearly as much as
`items = "change"` does here, and no vector leaves.

The server draws people's vectors at the start. A vector travels with every message: down with the model,
because the server may have moved it since its owner saw it last, and up with the change. Both are counted in
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
from sottovoce.protocols._participants import OFFLINE, Aggregation, Groups, answering, attend, shuffle
from sottovoce.protocols._server import PRESENCE, served
from sottovoce.protocols.interface import aggregates, keeps, participants, sees_vectors, settle
from sottovoce.registry import component
from sottovoce.state import Floats, Ints, Longs


@served
@component("protocol", "fedfast", topology="server")
class FedFast(NamedTuple):
    """A server asks some people of every cluster, and moves the others along with them."""

    participants: Annotated[int, Ge(1)] = 50
    """C, how many people take part in an aggregation. The default is ours."""
    clusters: Annotated[int, Ge(1)] = 5
    """How many groups of people there are. The default is ours."""
    items: Literal["fedavg", "change"] = "fedavg"
    """How items are averaged: by participants' instances (Belal et al. 2022), or by how much each
    participant changed an item (Muhammad et al. 2020)."""
    discount: Annotated[float, Ge(0), Le(1)] = 0.5
    """γ. In aggregation t the others of a cluster make γᵗ of its participants' mean step; 0: they stay where
    they are. The default is ours."""
    dropout: Annotated[float, Ge(0), Lt(1)] = 0.0
    """The share of participants that fail after they received the model: they neither train nor answer."""
    start: Literal["common", "independent"] = "independent"
    """Whether people begin with the same vector, or each with their own."""


@aggregates.rule(FedFast)
def _aggregates(protocol: FedFast) -> Any:
    return FedAvg() if protocol.items == "fedavg" else Change()


@keeps.rule(FedFast)
def _keeps(protocol: FedFast, people: int) -> dict[str, Any]:
    return {"cluster": np.full(people, -1, np.int32)}


@driver
def _in_turn(outcome, cluster, clusters, count, run, number):
    """Keep `count` of the people who are online: clusters take turns, and each names one of its people."""
    online, order = np.flatnonzero(outcome), np.arange(clusters)
    shuffle(online, stream(run, PARTICIPANTS, 3, number))
    shuffle(order, stream(run, PARTICIPANTS, 4, number))
    named, turn = np.zeros(clusters, np.int64), np.empty(len(online), np.int64)
    for n in range(len(online)):
        own = cluster[online[n]]
        turn[n] = named[own] * clusters + order[own]
        named[own] += 1
    for n in np.argsort(turn)[count:]:
        outcome[online[n]] = OFFLINE


@sees_vectors.rule(FedFast)
def _sees_vectors(protocol: FedFast) -> bool:
    return True


@participants.rule(FedFast)
def _participants(protocol: FedFast, kept: dict[str, Any], user: Floats, asked: Aggregation) -> Groups:
    if asked.number == 0:
        kept["cluster"][:] = kmeans(user, protocol.clusters, asked.run, 0).label
    outcome = attend(asked)
    _in_turn(outcome, kept["cluster"], protocol.clusters, protocol.participants, asked.run, asked.number)
    return answering(outcome)


def follow(user: Floats, cluster: Ints, persons: Longs, change: Floats, share: float) -> None:
    """Move everybody but `persons` by a share of the mean change of the persons in the same cluster."""
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
    done: Aggregation,
) -> None:
    # The server did not hear of these vectors, so for the federation they are as they were.
    user[groups.persons[~groups.heard]] = before[~groups.heard]
    kept["cluster"][:] = kmeans(user, protocol.clusters, done.run, done.number).label
    known = groups.persons[groups.heard]
    change = user[known] - before[groups.heard]
    follow(user, kept["cluster"], known, change, protocol.discount**done.number)


@discloses.rule(FedFast)
def _discloses(component: Any) -> tuple[Disclosure, ...]:
    return (
        PRESENCE,
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
            "If only one person of a cluster took part, this is how that person's vector changed.",
            private=True,
        ),
    )
