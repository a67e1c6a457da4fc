"""How well people are served who come when a network has learnt, by how many of their items are known."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import RecipeError, RunError
from sottovoce.experiments.recipe.overrides import assign
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import find
from sottovoce.experiments.runs import loading, machine, simulation

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.data.split import Split
    from sottovoce.experiments.recipe.building import Components
    from sottovoce.simulate.engine import Simulation

Figures = dict[str, NDArray[np.float64]]
"""Each newcomer's figures by metric, such as "hr@10"."""

DRAWN = -(1 << 23)
"""The number of the random order of people whose first ones are the newcomers."""


class Served(NamedTuple):
    """How well newcomers are served who have so many items."""

    known: int | None
    """How many of their training items are known, the earliest; None: all."""
    newcomers: Figures
    popularity: Figures
    """What popularity among the others would reach for them."""
    members: Figures
    """The same people with the same items, had they taken part from the start; empty unless asked for."""


class Newcomers(NamedTuple):
    """What `newcomers` measured."""

    people: int
    """How many newcomers there are."""
    others: int
    """How many people the network has."""
    message: int
    """The bytes of the model that a newcomer takes."""
    rows: tuple[Served, ...]


def newcomers(
    recipe: str | Path,
    share: float = 0.1,
    known: Sequence[int] = (1, 3, 5, 10),
    *,
    trainings: int = 1,
    members: bool = False,
    settings: Mapping[str, Any] | None = None,
    data: "Interactions | None" = None,
    data_dir: str | Path | None = None,
) -> Newcomers:
    """Run a recipe without a random `share` of people, who then come, and measure how well they are served.

    A newcomer takes the model of a random peer, or of the server, and trains a copy of it `trainings` times
    on the first `known` items of the own training part, in another case on all of them. With a model that is
    solved from sums, such as `als`, a training solves the private vector, and one is enough. Test items and
    candidates are the same for any number of known items. `members=True` also measures the same people as
    members of the network from the start, in a run for each number of items.

    >>> sottovoce.newcomers("consensus").rows[0].newcomers["hr@10"].mean()
    """
    from sottovoce.data.newcomers import split_of, with_first
    from sottovoce.evaluate.newcomers import message_bytes
    from sottovoce.kernels import set_threads

    document = assign(Recipe.read(find(recipe)).document(), settings or {})
    if data is not None:
        document["data"] = loading.in_memory(data)
    made = Recipe.parse(document, "newcomers(…)")
    parts = made.components()
    with set_threads(made.run.threads):
        loaded = loading.load_data(made, data_dir) if data is None else data
        split: Split = parts.split.split(loaded, made.run.seed)
        if not split.candidates.shape[1]:
            raise RecipeError(
                f"{made.where}: the split {made.split.name!r} ranks among all items, those included that are "
                "not known of a newcomer.",
                "Choose a split with candidates, such as 'local-holdout'.",
            )
        new = _drawn(split, share, max(known, default=1), made.run.seed)
        new_split, old_split = split_of(split, new), split_of(split, ~new)
        network = _trained(parts, old_split, made, data_dir)
        popularity = simulation.baseline("popularity", parts, old_split, made.run.seed)
        rows = []
        for count in (*known, None):
            train = new_split.train if count is None else with_first(new_split.train, count)
            joined: Figures = {}
            if members:
                with_them = split.train if count is None else with_first(split.train, count, new)
                joined = _as_members(parts, split, with_them, new, made, data_dir)
            served = _served(network, train, new_split, trainings, made)
            rows.append(Served(count, served, _served(popularity, train, new_split, 0, made), joined))
        return Newcomers(new_split.test.people, old_split.test.people, message_bytes(network), tuple(rows))


def _drawn(split: "Split", share: float, least: int, seed: int) -> NDArray[np.bool_]:
    """Who comes later, [people]: a share of all, among those with test items and enough others."""
    from sottovoce.protocols._participants import shuffled

    able = (np.diff(split.train.indptr) >= least) & (np.diff(split.test.indptr) > 0)
    order = shuffled(split.train.people, seed, DRAWN)
    count = round(share * split.train.people)
    chosen = order[able[order]][:count]
    if not 0 < count < split.train.people or len(chosen) < count:
        raise RunError(
            f"A share of {share} is {count} of {split.train.people} people, and {np.count_nonzero(able)} "
            f"have {least} training items and a test item.",
            "Choose another share, or a smaller number of known items.",
        )
    who = np.zeros(split.train.people, np.bool_)
    who[chosen] = True
    return who


def _trained(
    parts: "Components", split: "Split", recipe: Recipe, data_dir: str | Path | None
) -> "Simulation":
    """The network of a recipe after its last round."""
    sized = parts, split.train, recipe.run.seed
    machine.require_memory(simulation.memory_needed(*sized, recipe.run.storage))
    timing = simulation.timing(parts, split.train, recipe.run, data_dir)
    network = simulation.simulation(parts, split, recipe.run, timing)
    network.advance(recipe.run.rounds)
    return network


def _figures(models: tuple[Any, Any, Any], split: "Split", recipe: Recipe) -> Figures:
    from sottovoce.evaluate.evaluation import evaluate

    settings = recipe.evaluate
    return evaluate(*models, split, ks=settings.ks, metrics=settings.metrics).per_user


def _served(
    network: "Simulation", train: "Interactions", split: "Split", trainings: int, recipe: Recipe
) -> Figures:
    from sottovoce.evaluate.newcomers import served

    aside = split.weighting, split.weighting_candidates
    return _figures(served(network, train, trainings, *aside), split, recipe)


def _as_members(
    parts: "Components",
    split: "Split",
    train: "Interactions",
    who: NDArray[np.bool_],
    recipe: Recipe,
    data_dir: str | Path | None,
) -> Figures:
    """The figures of some people of a network that all belong to, with this training part."""
    from dataclasses import replace

    network = _trained(parts, replace(split, train=train), recipe, data_dir)
    tables, people = network.own()
    found = _figures((network.model, tables, people), split.among(who), recipe)
    return {name: values[who] for name, values in found.items()}
