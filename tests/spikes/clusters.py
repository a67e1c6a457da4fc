"""A spike of shared-data clusters (Dymbe 2021): several people train one model, clusters gossip."""

from typing import NamedTuple

import numpy as np

from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.interface import exchanges, hosts, trainings
from sottovoce.registry import component
from sottovoce.state import hosted_by


@component("protocol", "spike-clusters", topology="peers")
class Clusters(NamedTuple):
    """Neighbours share a model; the models gossip."""

    size: int = 3
    start: str = "common"


@hosts.rule(Clusters)
def _hosts(protocol, train, seed):
    slot = np.arange(train.people, dtype=np.int32) // protocol.size
    return hosted_by(slot, -(-train.people // protocol.size))


@trainings.rule(Clusters)
def _trainings(protocol, timed, size):
    return 1


@exchanges.rule(Clusters)
def _exchanges(protocol, peers, views, timing, size, run, round):
    return exchanges(Gossip(), peers, views, timing, size, run, round)
