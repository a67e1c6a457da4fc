"""Gossip learning (Algorithm 3, Hegedűs et al. 2019).

Everybody has a model. In each round a node sends it to some peers; who receives one merges it into
the own model and then trains the result on the own data.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.kernels import driver, prange
from sottovoce.peers import select
from sottovoce.protocols import exchanges, hosts, trainings
from sottovoce.registry import component


@component("protocol", "gossip")
class Gossip(NamedTuple):
    """Peers exchange models; there is no server."""

    pushes: Annotated[int, Ge(1)] = 1
    """Messages a node sends in a round, each to another peer."""
    start: Literal["common", "independent"] = "common"
    """Whether all nodes begin with the same model and vector, or each with its own."""


@hosts.rule(Gossip)
def _hosts(protocol, people):
    return np.arange(people, dtype=np.int32), people


@trainings.rule(Gossip)
def _trainings(protocol):
    return protocol.pushes


@driver
def _choose(peers, links, run, round, chosen):
    for node in prange(len(chosen)):
        select(peers, links, len(chosen), node, run, round, chosen[node])


@exchanges.rule(Gossip)
def _exchanges(protocol, peers, links, slots, run, round):
    chosen = np.empty((slots, protocol.pushes), np.int32)
    _choose(peers, links, run, round, chosen, batch=slots)
    return np.repeat(np.arange(slots, dtype=np.int32), protocol.pushes), chosen.ravel()
