"""Items by the number of contributors, the network's weights by instances (MF-FedAvg).

Algorithm 1 of Hegedűs et al. 2019 divides each row's sum of changes by how many changed it; Algorithm 1
of Perifanis and Efraimidis 2022 adds a network whose weights are averaged by the number of
instances. Whoever trained on an item contributes to its row, also if it was a sampled negative one; a row
to which nobody contributes keeps its value.
"""

from typing import NamedTuple

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.registry import component


@component("aggregate", "mf-fedavg", over="contributors")
class MFFedAvg(NamedTuple):
    """Each row by those who changed it."""


@row_weight.rule(MFFedAvg)
def _row_weight(rule, instances):
    return 1.0


@head_weight.rule(MFFedAvg)
def _head_weight(rule, instances):
    return float(instances)
