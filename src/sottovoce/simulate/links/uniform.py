"""Equal links (Section 6.2, Hegedűs et al. 2019).

A full model takes 1,728 seconds, or 172.8 at the higher bandwidth: about 100 or 1,000 transfers in 48 hours.
A message with fewer rows takes proportionally less. The bandwidth of a server is unlimited.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.registry import component
from sottovoce.simulate.links.interface import speeds
from sottovoce.state import Doubles


@component("links", "uniform")
class Uniform(NamedTuple):
    """All nodes have the same upload and download speed."""

    transfer: Annotated[float, Gt(0)] = 1728.0
    """Seconds that a full model takes; also the length of a round."""
    latency: Annotated[float, Ge(0)] = 0.0
    """Seconds that a message takes in addition to its transfer."""
    loss: Annotated[float, Ge(0), Lt(1)] = 0.0
    """The share of messages that are lost."""


@speeds.rule(Uniform)
def _speeds(links: Uniform, nodes: int, run: int) -> tuple[Doubles, Doubles]:
    return np.ones(nodes), np.ones(nodes)
