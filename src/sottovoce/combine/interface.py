"""How two models become one. One file per merge rule; what a rule consists of is declared here.

A rule is a `NamedTuple` of its parameters, registered with `@component("merge", name, needs=…)`.
`needs` says what it compares: the `row_age` of every row, or one figure for the whole model: its
`clock`, the `size` of the data behind it, or its `quality` for the receiver. Its `weight` turns two
such figures into the share of the incoming model.
"""

import numpy as np

from sottovoce.kernels import constant, operation
from sottovoce.models.training import train_stored


@operation
def weight(rule, mine, theirs):
    """The share of the incoming row or model, from 0 (ignored) to 1 (taken over)."""


@operation(default=lambda rule, mine, theirs: max(mine, theirs))
def merged_age(rule, mine, theirs):
    """The age after a merge."""


@operation(
    default=lambda rule, model, tables, slot, people, person, run: train_stored(
        tables, slot, model, people, person, run
    )
)
def train_after_merge(rule, model, tables, slot, people, person, run):
    """Let a person train on model `slot`, after a merge or without one. By default it is a plain training."""


@operation(default=lambda rule: 1.0)
def pace(rule):
    """The share of the way that a model goes towards its trained copy. A rule with another way than 1 has its
    own `train_after_merge`, which must go as far."""


@operation(by="needs")
def merge_statistic(rule, model, tables, slot, people, person, run):
    """The merge statistic: what a rule compares, a figure for model `slot` as `person` sees it."""


@merge_statistic.rule("row_age")
def _row_age(rule, model, tables, slot, people, person, run):
    """Rows have ages of their own; the head, which belongs to no row, is as old as the model."""
    return np.float32(tables.clock[slot])


@merge_statistic.rule("clock")
def _clock(rule, model, tables, slot, people, person, run):
    return np.float32(tables.clock[slot])


@merge_statistic.rule("size")
def _size(rule, model, tables, slot, people, person, run):
    return np.float32(tables.size[slot])


@constant
def judges(rule):
    """Whether a rule measures how good a model is for the receiver, known at compile time."""
    return int(rule.needs == "quality")


@constant
def compares_rows(rule):
    return int(rule.needs == "row_age")
