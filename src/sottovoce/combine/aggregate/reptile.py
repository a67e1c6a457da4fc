"""Reptile on a server: a start from which training goes far (Nichol et al. 2018).

    φ ← φ + ε · mean over participants of (φ̃ − φ)

with φ̃ what a participant's training makes of φ. Each person recommends with a copy that is trained
once more on the own data, so set `evaluate.tune` with this rule. With ε = 1 it is `simple`.
"""

from typing import Annotated, NamedTuple

from annotated_types import Gt, Le

from sottovoce.combine.aggregate.interface import head_weight, row_weight, stride
from sottovoce.registry import component


@component("aggregate", "reptile", over="participants")
class Reptile(NamedTuple):
    """The plain mean, and a step towards it."""

    step: Annotated[float, Gt(0), Le(1)] = 0.5
    """ε, how far the start moves towards the mean of what training made of it."""


@row_weight.rule(Reptile)
def _row_weight(rule, instances):
    return 1.0


@head_weight.rule(Reptile)
def _head_weight(rule, instances):
    return 1.0


@stride.rule(Reptile)
def _stride(rule):
    return rule.step
