"""Rows are averaged over their contributors, the head by the number of instances (MF-FedAvg).

Algorithm 1 of Hegedűs et al. 2019 divides each row's sum of changes by the number of participants who changed
it. Algorithm 1 of Perifanis and Efraimidis 2022 adds a network, whose weights are averaged by the number of
instances. Everybody who trained on an item contributes to its row, also if it was a sampled negative. A row
without contributors keeps its value.
"""

from typing import NamedTuple

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.registry import component


@component("aggregate", "mf-fedavg", over="contributors")
class MFFedAvg(NamedTuple):
    """Average each row over those who changed it."""


@row_weight.rule(MFFedAvg)
def _row_weight(rule, instances):
    return 1.0


@head_weight.rule(MFFedAvg)
def _head_weight(rule, instances):
    return float(instances)
