"""What leaves a device in a run, as its components say it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sottovoce.disclosure import Disclosure
    from sottovoce.experiments.recipe import Components


def disclosed(parts: "Components", tuned: bool = False) -> "list[Disclosure]":
    """What leaves a device: because of the protocol first, then of what it is combined with.

    `tuned` is whether people tune a copy of the model before they use it.
    """
    from sottovoce.disclosure import NOTHING, Disclosure, discloses

    every = parts.protocol, parts.merge, parts.peers, *parts.steps, parts.chain
    found = [one for component in every for one in discloses(component)]
    if not discloses(parts.protocol):
        unknown = "The protocol, which is not one of Sottovoce's own, does not say it."
        found.insert(0, Disclosure("unknown", "unknown", unknown))
    if tuned:
        told = "Everybody tunes a copy of the model on the own device, and it stays there."
        found.append(Disclosure(NOTHING, "nobody", told))
    return found
