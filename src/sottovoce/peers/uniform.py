"""Fresh peers, uniformly from all that are online, as an ideal peer-sampling service returns them."""

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
    """Cycles that a view is kept, as far as its peers stay online."""


@select.rule(Uniform)
def _select(peers, views, timing, time, node, run, cycle, chosen):
    return draw_online(stream(run, PEERS, node, cycle // peers.refresh), timing, time, node, False, chosen)
