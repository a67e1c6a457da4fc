"""How a server makes one model of many updates. One file per rule; what a rule consists of stands here.

A rule is a `NamedTuple`, registered with `@component("aggregate", name, over=…)`. A row, and the head,
moves by a weighted sum of what participants changed, divided by the weights `over` all
`participants` (rows that one left alone then count as zero), over the `contributors`, who
changed this very row, or over `nobody`: a plain sum. A rule may also weigh each row by how it changed, and
go only a part of the way.
"""

from sottovoce.kernels import operation


@operation
def row_weight(rule, instances):
    """The weight of a participant's rows, who trained on so many instances."""


@operation
def head_weight(rule, instances):
    """The weight of a participant's head."""


@operation(default=lambda rule, change, n: 1.0)
def emphasis(rule, change, n):
    """What a participant's row `change[n]` counts beside its other rows; by default as much as those."""


@operation(default=lambda rule: 1.0)
def stride(rule):
    """How far the server goes towards the average: 1 is all of the way."""


@operation(by="over")
def divisor(rule, contributors, participants):
    """What a sum of changes is divided by, given the weights of those who changed it, and of all."""


@divisor.rule("contributors")
def _contributors(rule, contributors, participants):
    return contributors


@divisor.rule("participants")
def _participants(rule, contributors, participants):
    return participants


@divisor.rule("nobody")
def _nobody(rule, contributors, participants):
    return 1.0
