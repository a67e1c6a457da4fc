"""The plain mean over participants (SimpleAvg of Perifanis and Efraimidis 2022)."""

from typing import NamedTuple

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.registry import component


@component("aggregate", "simple", over="participants")
class Simple(NamedTuple):
    """All participants have the same weight."""


@row_weight.rule(Simple)
def _row_weight(rule, instances):
    return 1.0


@head_weight.rule(Simple)
def _head_weight(rule, instances):
    return 1.0
