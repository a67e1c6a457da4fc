"""What an attack is: how some of the people who take part lie to the others.

A kind of attack is a `NamedTuple` of parameters, registered with `@component("attack", name)`. Every kind has
`share`, the share of people who attack, and `through`: whether they lie in contributions or in pushes. They
attack together: they know who they are, which item they want to promote, and what a node of theirs came to
know. Otherwise they take part as everybody does.

Lies take two forms. Where people sum, an attacker adds rows and a head to what the own data gives. Nobody can
see one person's part of a masked sum, so nothing bounds what is added. Where people send models, an attacker
changes the own model before it is sent.
"""

from typing import Any, NamedTuple

from sottovoce.kernels import operation
from sottovoce.state import Floats


class Known(NamedTuple):
    """What attackers know of N people and n items."""

    attackers: int  # how many people attack
    target: int  # the item that they promote
    popular: int  # the item that most people have
    owners: int  # how many have it
    rows: Floats  # [n, w], sums of the last sweep divided by N, counts at the end; 0: not known yet
    head: Floats  # [h], the same of heads, after the first sweep


@operation(default=lambda attack: False)
def promotes(attack: Any) -> bool:
    """Whether the attack is for an item, whose exposure is then measured. Python only."""


@operation
def lie_in_row(attack, known, counts, item, run, out):
    """Write what one attacker adds to the sum of an item's row into `out` [w], which is 0.

    Rows end with so many `counts` of contributors; what is added to all of them is the same number.
    """


@operation
def lie_in_head(attack, known, run, out):
    """Write what one attacker adds to the sum of heads into `out` [h], which is 0; its last number counts."""


@operation
def lie_in_model(attack, known, tables, slot, run):
    """Change model `slot` of whole tables, which is an attacker's, before it is sent."""
