"""What a recipe leaves open is chosen so that a run fits this machine, and a person's patience."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sottovoce.experiments import machine
from sottovoce.plural import count

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.experiments.recipe import Recipe
    from sottovoce.state import Storage

ROWS, LEAST = 8e9, 25
"""Rows of models that a run on one's own data moves, some five to ten minutes of two cores; and the fewest
rounds in which what everybody has is known to everybody."""


def rounds(recipe: "Recipe", data: "Interactions") -> tuple["Recipe", str]:
    """The recipe with fewer rounds where a network is large, and what is to be said of that."""
    pushes = int(recipe.protocol.settings.get("pushes", 1))
    fitting = max(LEAST, int(ROWS / (data.people * data.items * pushes)))
    asked = recipe.run.rounds
    if fitting >= asked:
        return recipe, ""
    told = f"The network is large: {count(fitting, 'round')} in place of {asked}. "
    return _changed(recipe, "rounds", fitting), f"{told}More may be better: --set run.rounds={asked}."


def storage(recipe: "Recipe", memory: "Callable[[Storage], int]") -> tuple["Recipe", str]:
    """The recipe with models in 16 bits if it says nothing of that and 32 do not fit; and what to say."""
    there = machine.available_memory()
    if "storage" in recipe.run.model_fields_set or memory(recipe.run.storage) <= there:
        return recipe, ""
    if memory("bfloat16") > there:
        return recipe, ""
    needed = machine.size(memory(recipe.run.storage))
    told = f"Models in 32 bits take {needed} of memory, and {machine.size(there)} are free: 16 bits are used."
    return _changed(recipe, "storage", "bfloat16"), told


def _changed(recipe: "Recipe", key: str, value: Any) -> "Recipe":
    """A copy, which unlike a recipe that is read anew still knows what was left open."""
    return recipe.model_copy(update={"run": recipe.run.model_copy(update={key: value})})
