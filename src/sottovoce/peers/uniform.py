"""Peers drawn uniformly from all nodes online, as an ideal peer-sampling service returns them."""

from typing import Annotated, NamedTuple

from annotated_types import Ge

from sottovoce.kernels import PEERS, stream
from sottovoce.peers.drawing import draw_online
from sottovoce.peers.interface import select
from sottovoce.registry import component


@component("peers", "uniform")
class Uniform(NamedTuple):
    """A view of random peers, drawn anew."""

    refresh: Annotated[int, Ge(1)] = 1
    """Cycles for which a node keeps its random peers; those that go offline are replaced."""


@select.rule(Uniform)
def _select(peers, views, timing, time, node, run, cycle, chosen):
    return draw_online(stream(run, PEERS, node, cycle // peers.refresh), timing, time, node, False, chosen)
