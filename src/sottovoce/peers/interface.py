"""Whom a node talks to. One file per kind; what it consists of is declared here.

Peers are a `NamedTuple` of parameters, registered with `@component("peers", name)`. What nodes know of
each other is in `Views`, which may change between rounds.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.kernels import operation
from sottovoce.state import Ints


class Views(NamedTuple):
    """The nodes that each node knows; -1 at the end where there are no more."""

    neighbours: Ints  # [nodes, v], whom it talks to
    room: Ints  # [nodes], how many that may be
    cache: Ints  # [nodes, c], whom it has been told of
    age: Ints  # [nodes, c], for how many cycles of shuffling ago


def nobody() -> Views:
    """Views of nodes that need none."""
    none = np.empty((0, 0), np.int32)
    return Views(none, np.empty(0, np.int32), none, none)


@operation(default=lambda peers, timing, run: nobody())
def meet(peers, timing, run):
    """The `Views` that nodes begin with. Python only."""


@operation(default=lambda peers: 0)
def period(peers):
    """After how many rounds views are to be renewed; 0: never. Python only."""


@operation(default=lambda peers: 0)
def remembers(peers):
    """How many of those it hears from a node must remember, with their models' quality. Python only."""


@operation
def renew(peers, views, heard, timing, run, round):
    """Change views between two rounds, when their `period` is over. Python only.

    `heard` [nodes, m] holds the senders whose models were good, the best first; -1 where there are no more.
    """


@operation
def select(peers, views, timing, time, node, run, cycle, chosen):
    """Fill `chosen` with nodes that are online at `time` for `node` to send to in one of its cycles.

    They are distinct where possible. Returns how many there are: fewer than asked for where not
    enough are online.
    """
