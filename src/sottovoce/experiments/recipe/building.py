"""Building the components that a recipe names, with every setting checked."""

from typing import TYPE_CHECKING, Any, NamedTuple

from sottovoce import registry
from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe import combinations
from sottovoce.experiments.recipe.sections import (
    ALWAYS,
    K_OUT,
    LINEAR,
    MF_FEDAVG,
    NONE,
    PLAIN,
    UNIFORM,
    Named,
)

if TYPE_CHECKING:
    from sottovoce.experiments.recipe.recipe import Recipe


class Components(NamedTuple):
    """The components of a run."""

    split: Any
    model: Any
    protocol: Any
    merge: Any
    """How models become one: a merge rule, or the aggregation rule of a server."""
    peers: Any
    chain: Any
    """Compression of messages."""
    sum: Any
    """Where a server's updates are summed."""
    steps: tuple[Any, ...]
    """What is done to an update before it leaves a device, apart from compression."""
    links: Any
    """None: rounds without time."""
    churn: Any
    attack: Any
    """How some people lie to the others."""
    references: dict[str, Any]


def components(recipe: "Recipe") -> Components:
    """Build everything that a recipe names."""
    protocol = build(recipe, "protocol", recipe.protocol, "protocol")
    used = uses(protocol)
    combinations.check_unused(recipe, used)
    network = recipe.network
    links = network.links if "links" in used else None
    built = Components(
        split=build(recipe, "split", recipe.split, "split"),
        model=build(recipe, "model", recipe.model, "model"),
        protocol=protocol,
        merge=_merge(recipe, protocol, used),
        peers=build(recipe, "peers", peers(recipe), "network.peers"),
        chain=_chain(recipe, protocol, "merge" in used),
        sum=_calibrated(recipe, "sum", recipe.protocol.sum or PLAIN, "protocol.sum"),
        steps=tuple(
            _calibrated(recipe, "step", step, f"privacy.steps.{n}")
            for n, step in enumerate(recipe.privacy.steps, 1)
        ),
        links=build(recipe, "links", links, "network.links") if links else None,
        churn=build(recipe, "churn", network.churn or ALWAYS, "network.churn"),
        attack=build(recipe, "attack", recipe.attack, "attack"),
        references=_references(recipe),
    )
    combinations.check_guarantee(built, recipe.where)
    combinations.check_steps(built, recipe.where)
    if "merge" in used:
        combinations.check(built.merge, built.peers, built.chain, built.steps, recipe.where)
    if "sum" in used:
        combinations.check_sum(built, recipe.where)
    combinations.check_privacy(recipe.protocol.label, built, recipe.where, recipe.privacy.disclose)
    return built


def build(recipe: "Recipe", kind: str, named: Named, key: str) -> Any:
    """Build one component; an error names the recipe and the key."""
    try:
        return registry.build(kind, named.name, named.settings, f"{recipe.where}: {key}")
    except RecipeError as error:
        if error.problem.startswith(recipe.where):
            raise
        raise RecipeError(f"{recipe.where}: {key}: {error.problem}", error.remedy) from None


def _calibrated(recipe: "Recipe", kind: str, named: Named, key: str) -> Any:
    """Build a component; one that adds noise within a budget gets all of its figures."""
    from sottovoce.privacy.guarantee import calibrated

    built = build(recipe, kind, named, key)
    try:
        return calibrated(built)
    except RecipeError as error:
        raise RecipeError(f"{recipe.where}: {key}: {error.problem}", error.remedy) from None


def uses(protocol: Any) -> set[str]:
    """Which optional parts of a recipe have a meaning with this protocol."""
    from sottovoce.protocols.interface import aggregates

    around = {"compress", "steps", "observe", "links", "churn"}
    if protocol.topology == "peers":
        return around | {"merge", "peers", "attack"}
    if protocol.topology == "central":
        return set()
    if protocol.topology == "consensus":
        return {"steps", "peers", "links", "churn", "observe", "aggregate", "attack"}
    return around | {"sum"} | ({"aggregate"} if aggregates(protocol) is None else set())


def peers(recipe: "Recipe") -> Named:
    """Whom nodes talk to: as the recipe says, or the default."""
    return recipe.network.peers or (UNIFORM if recipe.network.links is None else K_OUT)


def _merge(recipe: "Recipe", protocol: Any, used: set[str]) -> Any:
    from sottovoce.protocols.interface import aggregates

    if "aggregate" in used:
        return build(recipe, "aggregate", recipe.protocol.aggregate or MF_FEDAVG, "protocol.aggregate")
    own = aggregates(protocol)
    if own is not None:
        return own
    named = (recipe.protocol.merge or LINEAR) if "merge" in used else NONE
    return build(recipe, "merge", named, "protocol.merge")


def compressions(recipe: "Recipe") -> list[Any]:
    """The compressions of a chain; errors count from 1."""
    named = enumerate(recipe.protocol.compress, 1)
    return [build(recipe, "compression", step, f"protocol.compress.{n}") for n, step in named]


def _chain(recipe: "Recipe", protocol: Any, merges: bool) -> Any:
    from sottovoce.exchange.compression.interface import chain

    built = chain(compressions(recipe))
    if built.delta and (not merges or protocol.start != "common"):
        why = (
            "each node starts with a model of its own, so there is no common start to send differences to"
            if merges
            else "a federated client sends differences to the last broadcast anyway"
        )
        raise RecipeError(
            f"{recipe.where}: protocol.compress names 'delta', but {why}.",
            "Leave 'delta' out, or set start = \"common\" with the protocol 'gossip'.",
        )
    return built


def _references(recipe: "Recipe") -> dict[str, Any]:
    built: dict[str, Any] = {}
    for n, named in enumerate(recipe.evaluate.references, 1):
        if named.name in built:
            raise RecipeError(
                f"{recipe.where}: evaluate.references names {named.name!r} twice.", "Name each once."
            )
        built[named.name] = build(recipe, "reference", named, f"evaluate.references.{n}")
    return built
