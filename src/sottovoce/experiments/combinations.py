"""Components that do not go together, each refused with the reason.

Any model runs under any protocol with any merge rule and any peers. What is refused here needs
something that the other does not give.
"""

from typing import TYPE_CHECKING, Any

from sottovoce.errors import RecipeError
from sottovoce.experiments.privacy import disclosed

if TYPE_CHECKING:
    from sottovoce.data.split import Split
    from sottovoce.experiments.recipe import Components


def check(merge: Any, peers: Any, chain: Any, where: str) -> None:
    """Refuse peers that need qualities which nobody measures, and qualities of models that are not whole."""
    judged = judges(merge)
    if judges(peers) and not judged:
        raise RecipeError(
            f"{where}: network.peers chooses those whose models are good for the receiver, "
            "but protocol.merge does not find that out.",
            'Set protocol.merge = "performance", or choose other peers, such as "shuffled".',
        )
    if judged and chain.share < 1:
        raise RecipeError(
            f"{where}: protocol.merge judges whole models, but protocol.compress sends some of their rows.",
            'Leave "subsample" out; "quantize" and "delta" go with it.',
        )


def check_privacy(protocol: str, parts: "Components", where: str) -> None:
    """Refuse what lets leave a device what is private by design, unless the recipe agrees to it."""
    leaving = [one for one in disclosed(parts) if one.private]
    if leaving:
        first = leaving[0]
        raise RecipeError(
            f"{where}: with the protocol {protocol!r}, {first.what}, goes to {first.to}, "
            "and by design it stays on the person's device.",
            "To run it all the same, write disclose = true under [privacy]; the report says what leaves.",
        )


def check_split(merge: Any, best: str, split: "Split", where: str) -> None:
    """Refuse to judge models by nothing."""
    asked = "protocol.merge" if judges(merge) else "evaluate.best" if best != "none" else ""
    if asked and (split.weighting is None or split.weighting_candidates.shape[1] == 0):
        raise RecipeError(
            f"{where}: {asked} judges models on a weighting set (a validation set: items that each person "
            f"withholds from training), and {split.name} withholds none.",
            'Use the split "local-holdout".',
        )


def judges(component: Any) -> bool:
    """Whether a component finds out, or needs to know, how good models are for their receiver."""
    return getattr(component, "needs", None) == "quality"
