"""Links of unequal speed: log-normal, and with a faster download than upload.

Half of all nodes upload faster than an ordinary link, and half slower. A message has the speed of its
sender's upload or its receiver's download, whichever is slower.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.kernels import LINKS, driver, normal, prange, stream
from sottovoce.registry import component
from sottovoce.simulate.links.interface import speeds
from sottovoce.state import Doubles


@component("links", "unequal")
class Unequal(NamedTuple):
    """Each node has its own upload and download speed."""

    transfer: Annotated[float, Gt(0)] = 1728.0
    """Seconds that a full model takes on the median upload; also the length of a round."""
    latency: Annotated[float, Ge(0)] = 0.0
    """Seconds that a message takes in addition to its transfer."""
    loss: Annotated[float, Ge(0), Lt(1)] = 0.0
    """The share of messages that are lost."""
    spread: Annotated[float, Ge(0)] = 0.5
    """The standard deviation of the logarithm of a node's speed."""
    asymmetry: Annotated[float, Gt(0)] = 4.0
    """How many times faster the download of a node is than its upload."""


@driver
def _draw(run, spread, speed):
    for node in prange(len(speed)):
        speed[node] = np.exp(spread * normal(stream(run, LINKS, node, 0), 0))


@speeds.rule(Unequal)
def _speeds(links: Unequal, nodes: int, run: int) -> tuple[Doubles, Doubles]:
    speed = np.empty(nodes)
    _draw(run, links.spread, speed, batch=nodes)
    return speed, speed * links.asymmetry
