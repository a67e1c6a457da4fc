"""Federated averaging (McMahan et al. 2017): rows and head are averaged by the number of instances."""

from typing import NamedTuple

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.registry import component


@component("aggregate", "fedavg", over="participants")
class FedAvg(NamedTuple):
    """Weigh participants by their number of instances."""


@row_weight.rule(FedAvg)
def _row_weight(rule, instances):
    return float(instances)


@head_weight.rule(FedAvg)
def _head_weight(rule, instances):
    return float(instances)
