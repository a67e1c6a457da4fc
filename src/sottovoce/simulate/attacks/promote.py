"""Promote a cold item: attackers want others to be recommended an item that hardly anybody has.

The item is drawn among those that one to five people have in their training data. Attackers make it look like
the most popular item p. Where people sum, each adds to the row of the item what `claims` people would who are
like the people of p:

    b += claims · size · b̄_p / c̄_p,   c += claims.

With `size` 1 the item becomes a copy of p when all claims together are as many as the people of p. Longer
vectors are worse for attackers: people's vectors turn away from an item that scores high for everybody.

In the first sweep nobody knows b̄_p yet, and attackers add to c alone. Where people send models, the item has
the row of p in the sender's model, times `size`, and is `claims` times as old (at least as old).
"""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import STORAGE, from_float32, stream, to_float32
from sottovoce.registry import component
from sottovoce.simulate.attacks.interface import lie_in_head, lie_in_model, lie_in_row, promotes
from sottovoce.state import limited, rounding, width


@component("attack", "promote")
class Promote(NamedTuple):
    """Attackers make a cold item look like the most popular one."""

    share: Annotated[float, Ge(0), Le(0.5)] = 0.01
    """The share of people who attack; 0: nobody, and the exposure of the item is measured all the same."""
    size: Annotated[float, Gt(0)] = 1.0
    """How many times as long as an honest person's the numbers of an attacker are."""
    claims: Annotated[int, Ge(0)] = 0
    """How many people each attacker pretends to be; 1: as an honest person; 0: together as many as have p."""
    through: Literal["contributions", "pushes"] = "contributions"
    """Where people sum: whether attackers lie in what they contribute, or a part each time they push."""


@promotes.rule(Promote)
def _promotes(attack: Any) -> bool:
    return True


@lie_in_row.rule(Promote)
def _lie_in_row(attack, known, counts, item, run, out):
    like, numbers = known.rows[known.popular], len(out) - counts
    if item == known.target:
        claims = np.float32(attack.claims or known.owners / known.attackers)
        for d in range(numbers if like[len(out) - 1] > 0 else 0):
            out[d] = claims * np.float32(attack.size) * like[d] / like[len(out) - 1]
        for d in range(numbers, len(out)):
            out[d] = claims


@lie_in_head.rule(Promote)
def _lie_in_head(attack, known, run, out):
    pass


@lie_in_model.rule(Promote)
def _lie_in_model(attack, known, tables, slot, run):
    begin, key = tables.offset[slot], stream(run, STORAGE, -2 - slot, tables.clock[slot])
    at, like = begin + known.target, begin + known.popular
    for d in range(width(tables)):
        value = attack.size * to_float32(tables.rows[like, d])
        tables.rows[at, d] = from_float32(tables.rows, value, rounding(tables, key, known.target, d))
    tables.age[at] = limited(tables, max(attack.claims, 1) * tables.age[like])
