"""The complete graph: everybody is a neighbour, and each message goes to a random one.

Unlike `uniform`, the messages of one round are drawn independently and may meet at one peer.
"""

from typing import NamedTuple

from sottovoce.kernels import PEERS, below, stream
from sottovoce.peers import select
from sottovoce.registry import component


@component("peers", "complete")
class Complete(NamedTuple):
    """Any other node, at random."""


@select.rule(Complete)
def _select(peers, links, nodes, node, run, round, chosen):
    key = stream(run, PEERS, node, round)
    for n in range(len(chosen)):
        chosen[n] = below(key, n, nodes - 1)
        chosen[n] += chosen[n] >= node
