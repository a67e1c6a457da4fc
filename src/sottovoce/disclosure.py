"""What leaves a device, who receives it, and what the receiver can learn. Reports show it.

Each component states its own disclosures. Data never leaves a device, and by design a person's vector
does not either. A protocol that must send something private says so, and a recipe must agree to it by name:
`[privacy] disclose = ["vectors"]`, or `["statistics"]`.
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
    """True if by design it should stay with its owner."""
    name: str = "vectors"
    """What a recipe writes under `[privacy] disclose` to agree to it, if it is private."""


NOTHING = "nothing more"


@operation(default=lambda component: ())
def discloses(component: Any) -> tuple[Disclosure, ...]:
    """The `Disclosure`s of a component; none by default. Python only."""
