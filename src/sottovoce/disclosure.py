"""What leaves a device, to whom, and what it tells: components say it themselves, reports show it.

Data never leaves, and by design a person's vector does not either. A protocol that cannot do without
the vector says so, and a recipe must agree to it with `[privacy] disclose = true`.
"""

from typing import Any, NamedTuple

from sottovoce.kernels import operation


class Disclosure(NamedTuple):
    """Something that leaves a device."""

    what: str
    to: str
    tells: str
    """What the receiver can learn from it, as a sentence."""
    private: bool = False
    """Whether it is something that stays with its owner by design."""


NOTHING = "nothing more"


@operation(default=lambda component: ())
def discloses(component: Any) -> tuple[Disclosure, ...]:
    """What leaves a device because of this component, as `Disclosure`s; by default nothing. Python only."""
