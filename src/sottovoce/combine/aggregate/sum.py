"""Add what everybody changed (Equation 8, Anelli et al. 2020).

    yⱼ ← yⱼ + Σ_c Δ_cj

with Δ_cj what participant c changed of row j; the head likewise. Clients of a model that learns by SGD have
multiplied their gradients by the learning rate already, so Δ_cj is α ΔΘ. Many participants move a row that
they share further than few: with all of a large community at once this needs smaller steps than an average.
"""

from typing import NamedTuple

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.registry import component


@component("aggregate", "sum", over="nobody")
class Sum(NamedTuple):
    """The plain sum of what participants change."""


@row_weight.rule(Sum)
def _row_weight(rule, instances):
    return 1.0


@head_weight.rule(Sum)
def _head_weight(rule, instances):
    return 1.0
