"""Peers whose models were good for the node (Algorithm 3, Belal et al. 2022).

Every `refresh` rounds a node chooses its view V anew. T = ⌊(1 − α) |V|⌋ of them are the senders whose models
had the highest quality on the node's weighting set (a validation set, which `local-holdout` sets aside). The
other |V| − T are explored. |V| is `view`, α is `exploration`. The paper's text draws explored peers from the
views of one's peers, which shuffled caches do here (`others = "shuffled"`); its algorithm draws them from
everybody (`others = "everybody"`).
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Interval

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.kernels import PEERS, driver, helper, prange, stream
from sottovoce.peers.drawing import among, draw_online
from sottovoce.peers.interface import Views, meet, period, remembers, renew, select
from sottovoce.peers.shuffled import ADDRESSES, explore, introduce, mingle
from sottovoce.registry import component
from sottovoce.state import Ints
from sottovoce.timing import Timing


@component("peers", "personalized", needs="quality")
class Personalized(NamedTuple):
    """The senders of the best models, and some others."""

    view: Annotated[int, Ge(1)] = 3
    """|V|, how many peers a node talks to."""
    exploration: Annotated[float, Interval(ge=0, le=1)] = 0.4
    """α, the share of the view that is not chosen by quality."""
    refresh: Annotated[int, Ge(1)] = 10
    """Rounds that a view is kept."""
    others: Literal["shuffled", "everybody"] = "shuffled"
    """Whom to explore: addresses that nodes exchange, or any node online."""
    remember: Annotated[int, Ge(1)] = 100
    """How many senders a node remembers, with their latest model's quality; the worst is forgotten first."""
    forget: bool = False
    """Forget all senders with every new view, as the authors' code does."""
    cache: Annotated[int, Ge(2)] = 20
    """Addresses that a node keeps to explore."""
    by_upload: bool = False
    """Whether a node's view is `view` times its upload, where an ordinary link has 1 (Frey et al. 2009)."""


@discloses.rule(Personalized)
def _discloses(component: Personalized) -> tuple[Disclosure, ...]:
    return (
        Disclosure(
            "whom a node chose to talk to",
            "these peers, and whoever watches the network",
            "Peers are chosen whose models served a person well, so the choice tells whom one resembles.",
        ),
        *((ADDRESSES,) if component.others == "shuffled" else ()),
    )


@meet.rule(Personalized)
def _meet(peers: Personalized, timing: Timing, run: int) -> Views:
    return introduce(peers, timing, run)


@period.rule(Personalized)
def _period(peers: Personalized) -> int:
    return peers.refresh


@remembers.rule(Personalized)
def _memory(peers: Personalized) -> int:
    return peers.remember


@helper
def _choose(exploration, shuffled, views, heard, timing, time, run, round, node):
    view = views.neighbours[node, : views.room[node]]
    best, count = int((1 - exploration) * len(view) + 1e-9), 0
    while count < best and heard[node, count] >= 0:
        view[count] = heard[node, count]
        count += 1
    if shuffled:
        explore(views, node, run, round, count)
        return
    others = np.empty(len(view) + best, np.int32)
    found = draw_online(stream(run, PEERS, node, round), timing, time, node, False, others)
    for other in others[:found]:
        fresh = count < len(view)
        for m in range(min(count, len(view))):
            fresh = fresh and view[m] != other
        if fresh:
            view[count] = other
            count += 1
    view[count:] = -1


@driver
def _draw(exploration, shuffled, views, heard, timing, time, run, round):
    for index in prange(len(views.neighbours)):
        node = np.int64(index)
        _choose(exploration, shuffled, views, heard, timing, time, run, round, node)


@renew.rule(Personalized)
def _renew(peers: Personalized, views: Views, heard: Ints, timing: Timing, run: int, round: int) -> None:
    shuffled = peers.others == "shuffled"
    if shuffled:
        mingle(peers, views, timing, run, round)
    known = views, heard, timing, round * timing.round
    _draw(float(peers.exploration), shuffled, *known, run, round, batch=len(views.neighbours))
    if peers.forget:
        heard.fill(-1)


@select.rule(Personalized)
def _select(peers, views, timing, time, node, run, cycle, chosen):
    return among(views.neighbours[node], timing, time, node, run, cycle, chosen)
