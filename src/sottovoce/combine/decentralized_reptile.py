"""Reptile by gossip: a start that one training adapts to a person (Belal et al. 2022; Nichol et al. 2018).

    φ ← (φ + φ̃) / 2,   then   φ ← φ + ε (train(φ) − φ)

with φ the receiver's start, φ̃ the incoming one, and ε the `step`. Nodes exchange starts. Each person is
recommended items by a copy of the start that is trained once more, so set `evaluate.tune` with this rule.
"""

from typing import Annotated, NamedTuple

from annotated_types import Gt, Le

from sottovoce.combine.interface import pace, train_after_merge, weight
from sottovoce.models.training import train_towards
from sottovoce.registry import component


@component("merge", "decentralized-reptile", needs="clock")
class DecentralizedReptile(NamedTuple):
    """The plain mean, and a step towards its trained copy."""

    step: Annotated[float, Gt(0), Le(1)] = 0.5
    """ε, the share of the way from the start to its trained copy."""


@weight.rule(DecentralizedReptile)
def _weight(rule, mine, theirs):
    return 0.5


@pace.rule(DecentralizedReptile)
def _pace(rule):
    return rule.step


@train_after_merge.rule(DecentralizedReptile)
def _train_after_merge(rule, model, tables, slot, people, person, run):
    train_towards(tables, slot, model, people, person, run, rule.step)
