"""Reptile by gossip: a start from which training goes far (Belal et al. 2022; Nichol et al. 2018).

    φ ← (φ + φ̃) / 2   with the incoming start,   then   φ ← φ + ε (train(φ) − φ)

What travels is the start φ. Each person recommends with a copy of it that is trained once more, so
set `evaluate.tune` with this rule.
"""

from typing import Annotated, NamedTuple

from annotated_types import Gt, Le

from sottovoce.combine.interface import train_after_merge, weight
from sottovoce.models.training import train_towards
from sottovoce.registry import component


@component("merge", "decentralized-reptile", needs="clock")
class DecentralizedReptile(NamedTuple):
    """The plain mean, and a step towards what training makes of it."""

    step: Annotated[float, Gt(0), Le(1)] = 0.5
    """ε, how far the start moves towards the trained model."""


@weight.rule(DecentralizedReptile)
def _weight(rule, mine, theirs):
    return 0.5


@train_after_merge.rule(DecentralizedReptile)
def _practise(rule, model, tables, slot, people, person, run):
    train_towards(tables, slot, model, people, person, run, rule.step)
