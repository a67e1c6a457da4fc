"""Random peers without a list of everybody: views drawn from shuffled caches (Voulgaris et al. 2005).

`uniform` assumes an ideal service that returns random peers. Here each node has what a real one has: a cache
of addresses that nodes exchange with each other. Every `refresh` rounds a node draws its view from its cache.

The size of a view can be proportional to its node's upload, which keeps gossip robust where nodes are unequal
(Frey et al. 2009).
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.kernels import PEERS, driver, helper, prange, stream
from sottovoce.peers._cyclon import shuffle
from sottovoce.peers.drawing import among, bootstrap, distinct
from sottovoce.peers.interface import Views, meet, period, renew, select
from sottovoce.registry import component
from sottovoce.state import Ints
from sottovoce.timing import Timing

ADDRESSES = Disclosure(
    "addresses of other nodes", "peers", "Who takes part in the network, and nothing about anybody's taste."
)
"""What nodes tell each other in order to find peers."""


@component("peers", "shuffled")
class Shuffled(NamedTuple):
    """Random peers, from addresses that nodes exchange."""

    view: Annotated[int, Ge(1)] = 3
    """The number of peers in a view."""
    refresh: Annotated[int, Ge(1)] = 10
    """Rounds that a view is kept."""
    cache: Annotated[int, Ge(2)] = 20
    """Addresses that a node keeps; they are shuffled once in every round."""
    by_upload: bool = False
    """Whether a node's view is `view` times its upload, an ordinary link having upload 1."""


def introduce(peers: Any, timing: Timing, run: int) -> Views:
    """Views and caches filled with the addresses that an introducer gives to each node."""
    cache = bootstrap(len(timing.upload), max(peers.view, peers.cache), run)
    share = timing.upload * timing.round if peers.by_upload else np.ones(len(cache))
    room = np.clip(np.rint(peers.view * share), 1, cache.shape[1]).astype(np.int32)
    view = cache[:, : room.max()].copy()
    view[np.arange(view.shape[1]) >= room[:, None]] = -1
    return Views(view, room, cache, np.zeros_like(cache))


def mingle(peers: Any, views: Views, timing: Timing, run: int, round: int) -> None:
    """Shuffle once for every round since views were last renewed."""
    for cycle in range(round - peers.refresh, round):
        shuffle(views.cache, views.age, timing, cycle * timing.round, run, cycle)


@helper
def explore(views, node, run, round, count):
    """Fill a view from place `count` on with random addresses of the cache that it does not hold yet."""
    view, cache = views.neighbours[node, : views.room[node]], views.cache[node]
    order = np.empty(len(cache), np.int64)
    distinct(stream(run, PEERS, node, round), len(cache), order)
    for n in order:
        fresh = count < len(view) and cache[n] >= 0
        for m in range(min(count, len(view))):
            fresh = fresh and view[m] != cache[n]
        if fresh:
            view[count] = cache[n]
            count += 1
    view[count:] = -1


@driver
def _draw(views, run, round):
    for index in prange(len(views.neighbours)):
        node = np.int64(index)
        explore(views, node, run, round, 0)


@discloses.rule(Shuffled)
def _discloses(component: Shuffled) -> tuple[Disclosure, ...]:
    return (ADDRESSES,)


@meet.rule(Shuffled)
def _meet(peers: Shuffled, timing: Timing, run: int) -> Views:
    return introduce(peers, timing, run)


@period.rule(Shuffled)
def _period(peers: Shuffled) -> int:
    return peers.refresh


@renew.rule(Shuffled)
def _renew(peers: Shuffled, views: Views, heard: Ints, timing: Timing, run: int, round: int) -> None:
    mingle(peers, views, timing, run, round)
    _draw(views, run, round, batch=len(views.neighbours))


@select.rule(Shuffled)
def _select(peers, views, timing, time, node, run, cycle, chosen):
    return among(views.neighbours[node], timing, time, node, run, cycle, chosen)
