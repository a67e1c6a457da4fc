"""Keys and components of a recipe that do not go together, each refused with the reason.

Any model runs under any protocol with any merge rule and any peers. A combination is refused here if one
component needs something that another does not provide.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sottovoce import registry
from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.privacy import disclosed
from sottovoce.metrics import NAMES

if TYPE_CHECKING:
    from sottovoce.data.split import Split
    from sottovoce.experiments.recipe.building import Components
    from sottovoce.experiments.recipe.recipe import Recipe


def check_keys(recipe: "Recipe") -> None:
    """Refuse unknown metrics, and keys that contradict each other."""
    where, data = recipe.where, recipe.data
    for name in recipe.evaluate.metrics or ():
        if name not in NAMES:
            raise RecipeError(
                f"{where}: evaluate.metrics has {name!r}, which is not a metric.",
                registry.nearest(name, list(NAMES)),
            )
    if recipe.arrivals.share and recipe.arrivals.refresh and recipe.evaluate.best != "none":
        raise RecipeError(
            f"{where}: evaluate.best compares models by weighting sets (validation sets), and [arrivals] "
            "changes those sets during the run.",
            "Leave evaluate.best out, or set arrivals.refresh = false.",
        )
    if (data.name is None) == (data.path is None):
        problem = "neither a name nor a path" if data.name is None else "both a name and a path"
        raise RecipeError(
            f"{where}: [data] has {problem}.",
            'Write name = "ml-100k" for a known data set, or path = "ratings.csv" for a file.',
        )


def check_unused(recipe: "Recipe", used: set[str]) -> None:
    """Refuse keys that have no meaning with the recipe's protocol; `used` are those that have one."""
    where, protocol = recipe.where, recipe.protocol
    for key in ("merge", "aggregate", "sum", "compress"):
        if getattr(protocol, key) and key not in used:
            raise RecipeError(
                f"{where}: protocol.{key} has no meaning with the protocol {protocol.name!r}.",
                "Leave it out, or choose another protocol: 'gossip' merges the models of peers, "
                "'federated' aggregates updates on a server.",
            )
    for key, why in (
        ("steps", "steps decide what leaves a device, and here everything does"),
        ("observe", "nobody sends anything that could be observed"),
    ):
        if getattr(recipe.privacy, key) and key not in used:
            raise RecipeError(
                f"{where}: privacy.{key} has no meaning with the protocol {protocol.name!r}: {why}.",
                "Leave it out, or choose the protocol 'gossip' or 'federated'.",
            )
    if recipe.attack.name != "none" and "attack" not in used:
        raise RecipeError(
            f"{where}: [attack] has no meaning with the protocol {protocol.name!r}, which has no peers.",
            "Leave it out, or choose the protocol 'gossip' or 'consensus'.",
        )
    if (watch := recipe.privacy.observe) and watch.rounds[0] > watch.rounds[1]:
        raise RecipeError(
            f"{where}: privacy.observe.rounds = {watch.rounds} ends before it begins.",
            "Write the first round before the last, such as [1, 10].",
        )
    if watch and watch.rounds[0] > recipe.run.rounds:
        raise RecipeError(
            f"{where}: privacy.observe.rounds = {watch.rounds} begins after the last round.",
            "Name rounds of the run, or let it run longer with run.rounds.",
        )
    if recipe.network.churn and not recipe.network.links:
        raise RecipeError(
            f"{where}: network.churn needs time, and without links there is none.",
            'Add links = "uniform" to [network].',
        )


def check(merge: Any, peers: Any, chain: Any, steps: Sequence[Any], where: str) -> None:
    """Refuse peers that need qualities which nobody measures, qualities of incomplete models, and a choice of
    rows that would undo what steps withhold."""
    if steps and chain.share < 1:
        raise RecipeError(
            f"{where}: privacy.steps decide what leaves a device, but 'subsample' in protocol.compress sends "
            "one's own items first, and so tells which they are.",
            'Leave "subsample" out; "quantize" and "delta" can stay.',
        )
    judged = judges(merge)
    if judges(peers) and not judged:
        raise RecipeError(
            f"{where}: network.peers chooses peers by how good their models are for the receiver, "
            "but protocol.merge does not measure that.",
            'Set protocol.merge = "performance", or choose other peers, such as "shuffled".',
        )
    if judged and chain.share < 1:
        raise RecipeError(
            f"{where}: protocol.merge judges whole models, but protocol.compress sends only some rows.",
            'Leave "subsample" out; "quantize" and "delta" can stay.',
        )


def check_sum(parts: "Components", where: str, people: int = 0) -> None:
    """Refuse what the way of summing cannot sum. `people` is how many there are; 0: not known yet."""
    from sottovoce.combine.sums.interface import Task, check_task
    from sottovoce.protocols.interface import group_size, keeps, lengths, sees_vectors

    protocol = parts.protocol
    asks = len(lengths(protocol, keeps(protocol, 1))) > 0
    group, vector = group_size(protocol) or people, int(sees_vectors(protocol))
    if people:
        group = min(group, people)
    try:
        check_task(parts.sum, Task(parts.merge, parts.chain, 0, 0, 0, group, people, vector, asks))
    except RecipeError as error:
        raise RecipeError(f"{where}: {error.problem}", error.remedy) from None


def check_privacy(
    protocol: str, parts: "Components", where: str, agreed: bool | Sequence[str] = False
) -> None:
    """Refuse to let private data leave a device, unless the recipe agrees to it."""
    names = agreed if not isinstance(agreed, bool) else ()
    private = [] if agreed is True else [one for one in disclosed(parts) if one.private]
    leaving = [one for one in private if one.name not in names]
    if leaving:
        first = leaving[0]
        raise RecipeError(
            f"{where}: with the protocol {protocol!r}, {first.what}, goes to {first.to}, "
            "but by design it stays on the person's device.",
            f'To run it all the same, write disclose = ["{first.name}"] under [privacy]; the report says '
            "what leaves.",
        )


def check_guarantee(parts: "Components", where: str) -> None:
    """Refuse what would undo a guarantee of differential privacy."""
    from sottovoce.protocols import guarantees

    try:
        promise = guarantees.check(parts.protocol, parts.merge, parts.peers, parts.steps, parts.sum)
    except RecipeError as error:
        raise RecipeError(f"{where}: {error.problem}", error.remedy) from None
    if promise and getattr(parts.model, "start_from", None):
        raise RecipeError(
            f"{where}: model.start_from takes models that were trained on the same people without noise.",
            "Leave it out.",
        )


def check_steps(parts: "Components", where: str) -> None:
    """Refuse what would undo a step."""
    from sottovoce.protocols import hidden

    try:
        hidden.check(parts.steps, parts.model, parts.protocol, parts.merge)
    except RecipeError as error:
        raise RecipeError(f"{where}: {error.problem}", error.remedy) from None


def check_split(merge: Any, best: str, split: "Split", where: str) -> None:
    """Refuse to judge models on weighting sets that do not exist."""
    asked = "protocol.merge" if judges(merge) else "evaluate.best" if best != "none" else ""
    if asked and (split.weighting is None or split.weighting_candidates.shape[1] == 0):
        raise RecipeError(
            f"{where}: {asked} judges models on a weighting set (a validation set: items that each person "
            f"withholds from training), and {split.name} withholds none.",
            'Use the split "local-holdout".',
        )


def judges(component: Any) -> bool:
    """Whether a component measures, or needs to know, how good models are for their receiver."""
    return getattr(component, "needs", None) == "quality"
