"""What links are: the speed of the connections between nodes.

A kind of links is a `NamedTuple` of parameters, registered with `@component("links", name)`. Every kind has

    transfer  seconds that a full model takes on an ordinary link; also the length of a round
    latency   seconds that a message takes in addition to its transfer
    loss      the share of messages that are lost

Without links in a recipe there is no virtual time: in each round all nodes send at once.
"""

from typing import Any

from sottovoce.kernels import operation
from sottovoce.state import Doubles


@operation
def speeds(links: Any, nodes: int, run: int) -> tuple[Doubles, Doubles]:
    """Upload and download speeds relative to an ordinary link: two arrays [nodes]. Python only."""
