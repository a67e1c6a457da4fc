"""Items by how much each participant changed them (active aggregation, Muhammad et al. 2020).

    yⱼ ← Σ_c δ_cj y_cj / Σ_c δ_cj,   δ_cj = |y_cj − yⱼ|₁

over participants c, whose copy of row j is y_cj: who left a row alone has no say in it. The head is averaged
by the number of instances. One large change outvotes many small ones, so this rule is easily led astray.
"""

from typing import NamedTuple

from sottovoce.combine.aggregate.interface import emphasis, head_weight, row_weight
from sottovoce.registry import component


@component("aggregate", "change", over="contributors")
class Change(NamedTuple):
    """Each row mostly by those who changed it most."""


@row_weight.rule(Change)
def _row_weight(rule, instances):
    return 1.0


@emphasis.rule(Change)
def _emphasis(rule, change, n):
    total = 0.0
    for d in range(change.shape[1]):
        total += abs(change[n, d])
    return total


@head_weight.rule(Change)
def _head_weight(rule, instances):
    return float(instances)
