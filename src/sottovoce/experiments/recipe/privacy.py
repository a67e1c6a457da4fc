"""What leaves a device in a run, as its components declare it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sottovoce.disclosure import Disclosure
    from sottovoce.experiments.recipe.building import Components


def disclosed(parts: "Components", tuned: bool = False) -> "list[Disclosure]":
    """Everything that leaves a device: what the protocol sends first, then what other components add.

    `tuned` is whether people fine-tune a copy of the model before they use it.
    """
    from sottovoce.combine.sums.central import Central
    from sottovoce.combine.sums.plain import Plain
    from sottovoce.disclosure import NOTHING, Disclosure, discloses
    from sottovoce.models.statistics import solved_from_sums
    from sottovoce.privacy.guarantee import found as promised

    summed = getattr(parts.protocol, "topology", "") == "server"  # elsewhere there are no sums
    alone = summed and isinstance(parts.sum, Plain | Central) and solved_from_sums(parts.model)
    sums = (parts.sum,) if summed and not (alone and isinstance(parts.sum, Plain)) else ()
    every = parts.protocol, *sums, parts.merge, parts.peers, *parts.steps, parts.chain
    found = [one for component in every for one in discloses(component)]
    promise = promised([*parts.steps, parts.sum])
    if alone:
        # The server sees each person's contribution, which is no change of a model.
        hidden = promise is not None and promise.trust == "local"
        told = "Its rows are the person's items, and with `als` the head tells the person's vector."
        what = "in each update, one person's statistics"
        found.insert(0, Disclosure(what, "the server", told, private=not hidden, name="statistics"))
    if promise is not None and promise.trust != "central":
        sent = discloses(parts.protocol)
        found = [one._replace(tells=f"Without noise: {one.tells}") if one in sent else one for one in found]
    if not discloses(parts.protocol):
        unknown = "The protocol is not one of Sottovoce's own and does not declare what leaves a device."
        found.insert(0, Disclosure("unknown", "unknown", unknown))
    if tuned:
        kept = "Each person fine-tunes a copy of the model on their own device, and the copy stays there."
        found.append(Disclosure(NOTHING, "nobody", kept))
    return found
