"""How two models become one. One file per merge rule; what a rule consists of is declared here.

A rule is a `NamedTuple` of its parameters, registered with `@component("merge", name, needs=…)`.
`needs` says what it compares: the `row_age` of every row, or one figure for the whole model: its
`clock`, the `size` of the data behind it, or its `quality` for the receiver. Its `weight` turns two
such figures into the share of the incoming model.
"""

import numpy as np

from sottovoce.kernels import constant, helper, inlined, operation
from sottovoce.state import flat, is_gathered, locate, width


@operation
def weight(rule, mine, theirs):
    """The share of the incoming row or model, from 0 (ignored) to 1 (taken over)."""


@operation(default=lambda rule, mine, theirs: max(mine, theirs))
def merged_age(rule, mine, theirs):
    """The age after a merge."""


@operation(by="needs")
def standing(rule, model, tables, slot, people, person, run):
    """What a rule compares: a figure for model `slot` of `tables` in the eyes of `person`."""


@standing.rule("row_age")
def _row_age(rule, model, tables, slot, people, person, run):
    """Rows have ages of their own; the head, which belongs to no row, is as old as the model."""
    return np.float32(tables.clock[slot])


@standing.rule("clock")
def _clock(rule, model, tables, slot, people, person, run):
    return np.float32(tables.clock[slot])


@standing.rule("size")
def _size(rule, model, tables, slot, people, person, run):
    return np.float32(tables.size[slot])


@constant
def _by_row(rule):
    return int(rule.needs == "row_age")


@inlined
def _blend(mine, theirs, share, count):
    """Move `mine` towards `theirs`: exactly there for share 1, exactly nowhere if they are equal."""
    kept = np.float32(share != 1)
    for d in range(count):
        here = kept * mine[d]
        mine[d] = here + share * (theirs[d] - here)


@helper
def merge(rule, model, tables, slot, source, origin, people, person, run):
    """Merge model `origin` of `source` into model `slot` of `tables`, as `rule` says.

    `source` may be the same tables, snapshots of them, or a message that holds some rows only.
    """
    share = np.float32(
        weight(
            rule,
            standing(rule, model, tables, slot, people, person, run),
            standing(rule, model, source, origin, people, person, run),
        )
    )
    begin = source.offset[origin]
    count = source.offset[origin + 1] - begin
    if is_gathered(source):
        age, own, their_age, theirs = tables.age, tables.rows, source.age, source.rows
        for n in range(begin, begin + count):
            j = locate(tables, slot, source.ids[n])
            part = share
            if _by_row(rule):
                part = np.float32(weight(rule, np.float32(age[j]), np.float32(their_age[n])))
            age[j] = merged_age(rule, age[j], their_age[n])
            kept = np.float32(part != 1)
            for d in range(width(tables)):
                here = kept * own[j, d]
                own[j, d] = here + part * (theirs[n, d] - here)
    else:
        start = tables.offset[slot]
        ages, their_ages = tables.age[start : start + count], source.age[begin : begin + count]
        shares = np.empty(count, np.float32)
        for n in range(count):
            mine, theirs = np.float32(ages[n]), np.float32(their_ages[n])
            shares[n] = weight(rule, mine, theirs) if _by_row(rule) else share
            ages[n] = merged_age(rule, ages[n], their_ages[n])
        # `_blend` again, but flat: LLVM checks once that the tables do not overlap, and vectorises
        # over rows. Weights have a loop of their own for the same reason.
        w = width(tables)
        rows, their_rows = flat(tables, slot), flat(source, origin)
        for n in range(count):
            part = shares[n]
            kept = np.float32(part != 1)
            for d in range(w):
                here = kept * rows[n * w + d]
                rows[n * w + d] = here + part * (their_rows[n * w + d] - here)
    _blend(tables.head[slot], source.head[origin], share, tables.head.shape[1])
    tables.clock[slot] = merged_age(rule, tables.clock[slot], source.clock[origin])
