"""What a method is called on pages and screens."""

from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.printable import printable

_TRAINED = {
    "gossip": "{model} by gossip",
    "group-gossip": "{model} by gossip between groups",
    "federated": "{model}, federated",
    "fedfast": "{model}, federated by FedFast",
    "consensus": "{model} by consensus",
    "central": "{model} trained centrally",
}


def method(recipe: Recipe) -> str:
    """A model and how it is trained: `ials by gossip`, `mf, federated with secure sums`."""
    model, protocol = printable(recipe.model.label), printable(recipe.protocol.label)
    found = _TRAINED.get(protocol, "{model} with the protocol {protocol}").format(
        model=model, protocol=protocol
    )
    sums = recipe.protocol.sum
    return found if sums is None or sums.name == "plain" else f"{found} with {printable(sums.label)} sums"


def about(name: str, data: str) -> str:
    """A title: a method, and the data it is about."""
    return f"{name}, on {data}" if "," in name else f"{name} on {data}"
