"""How a server combines many updates into one model. One file per rule; this module declares its operations.

A rule is a `NamedTuple`, registered with `@component("aggregate", name, over=…)`. Each row, and the head,
moves by a weighted sum of the participants' changes. `over` names whose weights this sum is divided by: all
`participants` (a row that one did not change then counts as zero), the `contributors` who changed this row,
or `nobody`, which leaves a plain sum. A rule may also weigh each row by how it changed, and go only a part of
the way.
"""

from typing import Any

from sottovoce.kernels import operation


@operation
def row_weight(rule, instances):
    """The weight of the rows of a participant who trained on this many instances."""


@operation
def head_weight(rule, instances):
    """The weight of the head of a participant who trained on this many instances."""


@operation(default=lambda rule, change, n: 1.0)
def emphasis(rule, change, n):
    """A factor for the weight of row `change[n]`, where `change` [n, w] is an update; by default 1."""


@operation(default=lambda rule: 1.0)
def stride(rule):
    """The share of the way that the server goes towards the average; by default 1."""


@operation(by="over")
def divisor(rule, contributors, participants):
    """What a sum of changes is divided by, given the sums of weights of contributors and of participants."""


@divisor.rule("contributors")
def _contributors(rule, contributors, participants):
    return contributors


@divisor.rule("participants")
def _participants(rule, contributors, participants):
    return participants


@divisor.rule("nobody")
def _nobody(rule, contributors, participants):
    return 1.0


def weighs_rows(rule: Any) -> bool:
    """Whether a rule weighs rows by how they changed, so that only their sender knows the weights."""
    table = emphasis.table
    return bool(table.find(type(rule)) is not table.default)
