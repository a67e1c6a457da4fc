"""Whom a node talks to. One file per peer sampler; this module declares the operations of one.

A peer sampler is a `NamedTuple` of its parameters, registered with `@component("peers", name)`. What nodes
know of each other is in `Views`, which may change between rounds.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.kernels import operation
from sottovoce.state import Ints
from sottovoce.timing import Timing


class Views(NamedTuple):
    """The nodes that each node knows; rows are filled up with -1."""

    neighbours: Ints  # [nodes, v], the view: whom a node sends to
    room: Ints  # [nodes], the size of each view
    cache: Ints  # [nodes, c], addresses that a node has heard of
    age: Ints  # [nodes, c], how many cycles of shuffling ago


def nobody() -> Views:
    """Empty views, for peer samplers that need none."""
    none = np.empty((0, 0), np.int32)
    return Views(none, np.empty(0, np.int32), none, none)


@operation(default=lambda peers, timing, run: nobody())
def meet(peers: Any, timing: Timing, run: int) -> Views:
    """The `Views` that nodes begin with. By default empty. Python only."""


@operation(default=lambda peers: 0)
def period(peers: Any) -> int:
    """After how many rounds views are renewed; 0, the default: never. Python only."""


@operation(default=lambda peers: 0)
def remembers(peers: Any) -> int:
    """How many senders a node remembers, with the quality of their models; by default 0. Python only."""


@operation
def renew(peers: Any, views: Views, heard: Ints, timing: Timing, run: int, round: int) -> None:
    """Change views between two rounds, after each `period`. Python only.

    `heard` [nodes, m] holds the senders whose models were good, the best first; -1 where there are no more.
    """


@operation
def select(peers, views, timing, time, node, run, cycle, chosen):
    """Fill `chosen` with the nodes that `node` sends to in one of its cycles, online at `time` (seconds).

    They are distinct, except with `complete`. It returns how many there are, which is fewer than
    `len(chosen)` if not enough nodes are online.
    """
