"""Settings that a recipe leaves open, chosen so that a run fits this machine and does not take too long."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sottovoce.errors import RecipeError
from sottovoce.experiments.runs import machine
from sottovoce.plural import count

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.experiments.recipe.building import Components
    from sottovoce.experiments.recipe.recipe import Recipe
    from sottovoce.state import Storage

ROWS, LEAST = 8e9, 25
"""How many rows of models a run on a person's own data may move, some five to ten minutes on two cores; and
the fewest rounds in which everybody's data reaches everybody."""

_CHOSEN = {
    "group": "Groups of at least {value} people sum what they contribute, so that nobody sees a single "
    "contribution. The density of the data decides how many (protocol.{key} = {value}).",
    "aggregations": "A round is an epoch of {value:g} aggregations (protocol.{key} = {value}).",
}
"""What a setting that was left open means, in words for somebody who has not met it."""
_FEW = (
    "All {value} people are one group. They sum what they contribute, so that nobody sees a single "
    "contribution; but sums of so few tell more about each of them than those of {enough} people would."
)
_ANY = "The data decide a setting that was left open: protocol.{key} = {value}."


def rounds(recipe: "Recipe", data: "Interactions") -> tuple["Recipe", str]:
    """The recipe with fewer rounds if the network is large, and a note about that."""
    pushes = int(recipe.protocol.settings.get("pushes", 1))
    fitting = max(LEAST, int(ROWS / (data.people * data.items * pushes)))
    asked = recipe.run.rounds
    if fitting >= asked:
        return recipe, ""
    told = f"The network is large, so it takes {count(fitting, 'round')} instead of {asked}. "
    return _changed(recipe, "rounds", fitting), f"{told}More may be better: --set run.rounds={asked}."


def storage(recipe: "Recipe", memory_needed: "Callable[[Storage], int]") -> tuple["Recipe", str]:
    """The recipe with 16-bit models if it leaves that open and 32 bits do not fit; and a note about that."""
    there = machine.available_memory()
    if "storage" in recipe.run.model_fields_set or memory_needed(recipe.run.storage) <= there:
        return recipe, ""
    if memory_needed("bfloat16") > there:
        return recipe, ""
    needed = machine.size(memory_needed(recipe.run.storage))
    told = f"32-bit models take {needed} of memory, and {machine.size(there)} are free: 16 bits are used."
    return _changed(recipe, "storage", "bfloat16"), told


def protocol(
    recipe: "Recipe", parts: "Components", train: "Interactions"
) -> tuple["Recipe", "Components", str]:
    """Recipe and components with what the protocol leaves to the data filled in; and a note about that."""
    from sottovoce.protocols.interface import fitted

    found = fitted(parts.protocol, train)
    before, after = parts.protocol._asdict(), found._asdict()
    new = {key: value for key, value in after.items() if value != before[key]}
    if not new:
        return recipe, parts, ""
    written = recipe.protocol.model_copy(update=new)
    told = " ".join(_told(key, value, train.people) for key, value in new.items())
    changed = recipe.model_copy(update={"protocol": written})
    return changed, parts._replace(protocol=found), told


def _told(key: str, value: Any, people: int) -> str:
    """What a setting means that was chosen, for data of so many people."""
    from sottovoce.protocols.consensus import SMALLEST

    if key == "group" and value == 2:
        return "Two people are one group, and each of them knows the other's part of a sum."
    few = key == "group" and value == people < SMALLEST
    return (_FEW if few else _CHOSEN.get(key, _ANY)).format(key=key, value=value, enough=SMALLEST)


def exact(
    recipe: "Recipe", parts: "Components", memory_needed: "Callable[[Components, Storage], int]"
) -> tuple["Recipe", "Components", str]:
    """Recipe and components with exact sums, if everybody's own model does not fit and the recipe leaves it
    open; and a note about that."""
    protocol, there = parts.protocol, machine.available_memory()
    open_still = getattr(protocol, "exact", True) is False and "exact" not in recipe.protocol.settings
    if not open_still or parts.links is not None or memory_needed(parts, "bfloat16") <= there:
        return recipe, parts, ""
    needed = machine.size(memory_needed(parts, "bfloat16"))
    told = (
        f"A model for each person takes {needed} of memory, and {machine.size(there)} are free: sums are "
        "exact, and all share one model (protocol.exact = true)."
    )
    written = recipe.protocol.model_copy(update={"exact": True})
    shared = parts._replace(protocol=protocol._replace(exact=True))
    return recipe.model_copy(update={"protocol": written}), shared, told


def adopted(wanted: "Recipe", begun: "Recipe") -> "Recipe":
    """The recipe with what it leaves open as a run has it that was begun before."""
    now, before, chosen = wanted.protocol.settings, begun.protocol.settings, {}
    if wanted.protocol.name == begun.protocol.name:
        chosen = {key: before[key] for key in _CHOSEN if now.get(key) == 0 and key in before}
        if "exact" not in now and "exact" in before:
            chosen["exact"] = before["exact"]
    if "storage" not in wanted.run.model_fields_set:
        wanted = _changed(wanted, "storage", begun.run.storage)
    return wanted.model_copy(update={"protocol": wanted.protocol.model_copy(update=chosen)})


def same(wanted: "Recipe", begun: "Recipe") -> bool:
    """Whether a run was begun with this recipe, as data and a machine completed it."""
    metric = begun.evaluate.metric
    try:
        return adopted(wanted, begun).resolved(metric).hash() == begun.resolved(metric).hash()
    except RecipeError:  # with what was chosen there, this recipe would be refused
        return False


def _changed(recipe: "Recipe", key: str, value: Any) -> "Recipe":
    """A copy. Unlike a recipe that is parsed again, it still knows which keys were left open."""
    return recipe.model_copy(update={"run": recipe.run.model_copy(update={key: value})})
