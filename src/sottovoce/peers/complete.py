"""The complete graph: every node is a neighbour, and each message goes to a random one that is online.

Unlike in `uniform`, the receivers of one cycle's messages are drawn independently: two may be the same peer.
"""

from typing import NamedTuple

from sottovoce.kernels import PEERS, stream
from sottovoce.peers.drawing import draw_online
from sottovoce.peers.interface import select
from sottovoce.registry import component


@component("peers", "complete")
class Complete(NamedTuple):
    """Any other node, at random."""


@select.rule(Complete)
def _select(peers, views, timing, time, node, run, cycle, chosen):
    return draw_online(stream(run, PEERS, node, cycle), timing, time, node, True, chosen)
