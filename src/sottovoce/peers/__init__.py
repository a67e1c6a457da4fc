"""Whom a node talks to. One file per kind; what it consists of is declared here.

Peers are a `NamedTuple` of parameters, registered with `@component("peers", name)`.
"""

import numpy as np

from sottovoce.kernels import below, helper, operation


@operation(default=lambda peers, nodes, run: np.empty((0, 0), np.int32))
def links(peers, nodes, run):
    """The fixed neighbours of every node, [nodes, k]; empty where there are none. Python only."""


@operation
def select(peers, links, nodes, node, run, round, chosen):
    """Fill `chosen` with the nodes that `node` sends to in this round, distinct where possible."""


@helper
def distinct(key, count, chosen):
    """Fill `chosen` with numbers below `count`, distinct if there are as many, by rejection."""
    index = 0
    for n in range(len(chosen)):
        fresh = False
        while not fresh:
            chosen[n] = below(key, index, count)
            index += 1
            fresh = True
            if n < count:
                for m in range(n):
                    fresh = fresh and chosen[m] != chosen[n]
