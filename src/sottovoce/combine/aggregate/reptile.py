"""Reptile on a server: a start that one training adapts to a person (Nichol et al. 2018).

    φ ← φ + ε · mean over participants of (φ̃ − φ)

with φ the server's start, φ̃ a participant's trained copy of it, and ε the `step`. Each person is recommended
items by a copy that is trained once more on the person's data, so set `evaluate.tune` with this rule. With
ε = 1 it is `simple`.
"""

from typing import Annotated, NamedTuple

from annotated_types import Gt, Le

from sottovoce.combine.aggregate.interface import head_weight, row_weight, stride
from sottovoce.registry import component


@component("aggregate", "reptile", over="participants")
class Reptile(NamedTuple):
    """A step towards the plain mean."""

    step: Annotated[float, Gt(0), Le(1)] = 0.5
    """ε, the share of the way from the start to the mean of its trained copies."""


@row_weight.rule(Reptile)
def _row_weight(rule, instances):
    return 1.0


@head_weight.rule(Reptile)
def _head_weight(rule, instances):
    return 1.0


@stride.rule(Reptile)
def _stride(rule):
    return rule.step
