"""Fresh peers, uniformly from everybody, as an ideal peer-sampling service returns them."""

from typing import Annotated, NamedTuple

from annotated_types import Ge

from sottovoce.kernels import PEERS, stream
from sottovoce.peers import distinct, select
from sottovoce.registry import component


@component("peers", "uniform")
class Uniform(NamedTuple):
    """A view of random peers, drawn anew."""

    refresh: Annotated[int, Ge(1)] = 1
    """Rounds that a view is kept."""


@select.rule(Uniform)
def _select(peers, links, nodes, node, run, round, chosen):
    distinct(stream(run, PEERS, node, round // peers.refresh), nodes - 1, chosen)
    for n in range(len(chosen)):
        chosen[n] += chosen[n] >= node
