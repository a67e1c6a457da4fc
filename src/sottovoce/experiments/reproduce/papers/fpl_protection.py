"""What π of FPL (Anelli et al. 2020) protects, and who pays for it: own measurements.

`leak` attacks all that the server receives, by each way of its own: rows that rose, items that were never
sampled, both, and items between two sampled ones. `people` compares the quality for people whose π differ.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from sottovoce.experiments.reproduce.papers import measurement

if TYPE_CHECKING:
    from sottovoce.data.split import Split
    from sottovoce.experiments.audit.records import Records
    from sottovoce.experiments.recipe.building import Components
    from sottovoce.experiments.recipe.recipe import Recipe
    from sottovoce.simulate.engine import Simulation
    from sottovoce.state import Doubles

PEOPLE = 200
"""How many people are attacked, evenly chosen."""
CELLS = 2**29
"""Distances between rows that are computed in a measurement, which limits for how many of them."""
WAYS = {
    "rose": "biases that rise",
    "unseen": "never sampled",
    "likely": "signs and popularity",
    "everything": "between two sampled",
}


class Ready(NamedTuple):
    """A recipe with its data and its parts."""

    recipe: "Recipe"
    split: "Split"
    parts: "Components"


@measurement("fpl_protection.leak")
def leak(seed: int, *, data: str, probability: float, drawn: str, rounds: int) -> dict[str, float]:
    """Quality, and the precision and recall of every way to find people's items; a way that names nothing
    has no precision."""
    from sottovoce.evaluate.audit import changed_rows
    from sottovoce.experiments.audit import attacks, pairs, views

    step = {"name": "positive-feedback", "probability": probability, "drawn": drawn}
    made = _ready(seed, data, rounds, step)
    train = made.split.train
    network, sent, models = _watched(made, rounds)
    truth = attacks.Truth(train.indptr, train.item.astype(np.int64), train.items)
    view = views.of_updates("server", sent, train.items)
    some = pairs.fewer(view, truth, CELLS)
    ways = pairs.ways(view, truth)
    more = pairs.withheld(some, truth, network.model, sent.clock, lambda: enumerate(models))
    found = {"F1@10": float(np.nanmean(_f1(made, network)))}
    for way, name in WAYS.items():
        of, after = (some, more[way]) if way in more else (view, ways[way])
        own = truth.own(of.person)
        one = changed_rows.attack(way, after(rounds), of.size, own, of.person)
        known = {"precision": one.precision.value, "recall": one.recall.value}
        found |= {f"{name}: {key}": value for key, value in known.items() if math.isfinite(value)}
    own = truth.own(view.person)
    guessing = float((own.sum(axis=1) / train.items).mean())
    fell = pairs.fell(view, truth)[1](rounds)
    return found | {"guessing: precision": guessing, "excluded": float((fell.sum(1) / (~own).sum(1)).mean())}


@measurement("fpl_protection.people")
def people(
    seed: int, *, data: str, probability: float, highest: float, silent: float, rounds: int
) -> dict[str, float]:
    """The quality for those who are silent if a half of people is, and for the others; and for the third with
    the lowest π and that with the highest, if π is uniform. These are the same people in all cells."""
    from sottovoce.exchange.steps.interface import compiled
    from sottovoce.exchange.steps.positive_feedback import PositiveFeedback, probability_of
    from sottovoce.experiments.runs import simulation

    step = {"name": "positive-feedback", "probability": probability, "highest": highest, "silent": silent}
    recipe, split, parts = made = _ready(seed, data, rounds, step)
    network = simulation.simulation(parts, split, recipe.run, None)
    network.advance(rounds)

    def chosen(step: PositiveFeedback) -> "Doubles":
        """[U]: everybody's π with this step."""
        numbers, kernel = range(split.train.people), cast(Any, probability_of)
        return np.array([kernel(compiled(step), network.people, n, seed) for n in numbers])

    f1 = _f1(made, network)
    quiet = chosen(PositiveFeedback(1.0, silent=0.5)) == 0
    uniform = chosen(PositiveFeedback(0.0, 1.0))
    groups = {
        "everybody": quiet | ~quiet,
        "silent half": quiet,
        "open half": ~quiet,
        "lowest third": uniform < np.quantile(uniform, 1 / 3),
        "highest third": uniform > np.quantile(uniform, 2 / 3),
    }
    return {name: float(np.nanmean(f1[group])) for name, group in groups.items()}


def _watched(made: Ready, rounds: int) -> "tuple[Simulation, Records, list[Doubles]]":
    """The network after these rounds, what the server got from some people, and its model before each."""
    from sottovoce.experiments.audit import records
    from sottovoce.experiments.runs import simulation
    from sottovoce.simulate.observe import Observation

    train = made.split.train
    chosen = np.linspace(0, train.people - 1, min(PEOPLE, train.people)).astype(np.int64)
    seen: list[Records] = []

    def record(round: int, arrays: list[dict[str, Any]]) -> None:
        every = records.joined([records.of_arrays(round, one) for one in arrays])
        seen.append(every.among(np.isin(every.sender, chosen)))

    watch = Observation(True, np.empty(0, np.int32), 1, rounds, record)
    network = simulation.simulation(made.parts, made.split, made.recipe.run, None, watch)
    models = []
    for _ in range(rounds):
        models.append(network.tables.rows[: train.items].astype(np.float64))
        network.advance(1)
    return network, records.joined(seen), models


def _ready(seed: int, data: str, rounds: int, step: dict[str, Any]) -> Ready:
    """pFPL+ with this step, in rounds of one aggregation."""
    from sottovoce.experiments.recipe import shipped
    from sottovoce.experiments.recipe.recipe import Recipe
    from sottovoce.experiments.reproduce.form import settings
    from sottovoce.experiments.runs.loading import load_data
    from sottovoce.registry import build

    changed = {"data.name": data, "run.seed": seed, "run.rounds": rounds, "protocol.aggregations": 1.0}
    recipe = Recipe.read(shipped.find("fpl/pfpl-plus"), settings({**changed, "privacy.steps": [step]}))
    named = recipe.split
    loaded = load_data(recipe, None)
    split: Split = build("split", named.name, named.settings, "split").split(loaded, seed)
    return Ready(recipe, split, recipe.components())


def _f1(made: Ready, network: Any) -> "Doubles":
    """[U]: everybody's F1@10 over the whole catalogue; NaN for people without held-out items."""
    from sottovoce.evaluate.evaluation import evaluate

    tables, everybody = network.own()
    found = evaluate(network.model, tables, everybody, made.split, ks=(10,), metrics=["f1"])
    return np.asarray(found.per_user["f1@10"], np.float64)
