"""Weigh each participant's row by how much it changed (active aggregation, Muhammad et al. 2020).

    yⱼ ← Σ_c δ_cj y_cj / Σ_c δ_cj,   δ_cj = |y_cj − yⱼ|₁

with yⱼ the server's row j and y_cj the row of participant c. A participant who did not change a row has no
weight in it. The head is averaged by the number of instances. One large change outweighs many small ones, so
a single participant can mislead this rule.
"""

from typing import NamedTuple

from sottovoce.combine.aggregate.interface import emphasis, head_weight, row_weight
from sottovoce.registry import component


@component("aggregate", "change", over="contributors")
class Change(NamedTuple):
    """Weigh each row by how much it changed."""


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
