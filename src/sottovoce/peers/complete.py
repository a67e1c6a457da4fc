"""The complete graph: everybody is a neighbour, and each message goes to a random one.

Unlike `uniform`, the messages of one cycle are drawn independently and may meet at one peer.
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
