"""A fixed random graph in which every node knows k others (Hegedűs et al. 2019, Section 6.2)."""

from typing import Annotated, NamedTuple

from annotated_types import Ge

from sottovoce.peers.drawing import among, bootstrap
from sottovoce.peers.interface import Views, meet, nobody, select
from sottovoce.registry import component
from sottovoce.timing import Timing


@component("peers", "k-out")
class KOut(NamedTuple):
    """Random ones of k fixed neighbours that are online."""

    k: Annotated[int, Ge(1)] = 20
    """How many peers a node knows."""


@meet.rule(KOut)
def _meet(peers: KOut, timing: Timing, run: int) -> Views:
    return nobody()._replace(neighbours=bootstrap(len(timing.upload), peers.k, run))


@select.rule(KOut)
def _select(peers, views, timing, time, node, run, cycle, chosen):
    return among(views.neighbours[node], timing, time, node, run, cycle, chosen)
