"""Weigh models by the data behind them (Decentralized FedAvg, Algorithm 1 of Belal et al. 2022).

    M ← (|D| M + |D̃| M̃) / (|D| + |D̃|)

with |D| and |D̃| the number of interactions behind the receiver's model M and the incoming M̃.
"""

from typing import NamedTuple

from sottovoce.combine.interface import weight
from sottovoce.registry import component


@component("merge", "dataset-size", needs="size")
class DatasetSize(NamedTuple):
    """Weigh each model by the number of interactions behind it."""


@weight.rule(DatasetSize)
def _weight(rule, mine, theirs):
    return theirs / (mine + theirs) if theirs > 0 else 0.0
