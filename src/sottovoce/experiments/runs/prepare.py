"""Before the first round: the data is split, baselines and references are measured, the network is built."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sottovoce.experiments.recipe import combinations
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import (
    attacked,
    compiling,
    fitting,
    machine,
    nodes,
    observed,
    pretrained,
    references,
    simulation,
)
from sottovoce.experiments.runs.enough import Enough
from sottovoce.experiments.runs.measurable import Measurable, main_metric, measurable, metric_names
from sottovoce.experiments.runs.progress import Progress
from sottovoce.plural import count

if TYPE_CHECKING:
    from sottovoce.data.arrivals import Arrivals
    from sottovoce.data.interactions import Interactions
    from sottovoce.data.split import Split
    from sottovoce.evaluate.best import Best
    from sottovoce.evaluate.evaluation import Evaluation
    from sottovoce.evaluate.references._given import Scored
    from sottovoce.experiments.runs.checkpoint import Checkpoint
    from sottovoce.simulate.engine import Simulation
    from sottovoce.state import Bools
    from sottovoce.timing import Timing

BASELINES = ("popularity", "random")


class Plan(NamedTuple):
    """A run whose data is split and whose metrics are known; nothing is simulated yet."""

    recipe: Recipe
    """Fully resolved."""
    parts: Components
    data: "Interactions"
    split: "Split"
    measured: Measurable
    notes: tuple[str, ...]
    """What to know about the data as it is split."""
    memory: int
    """Bytes that the models take."""
    timing: "Timing | None"
    """When nodes are online and how long messages take; None in rounds without time."""
    honest: "Bools | None"
    """Who does not attack: those whom metrics are about; None: everybody."""

    def evaluate(self, models: "Simulation | Scored") -> "Evaluation":
        """The quality of a baseline or a reference for everybody."""
        return self.evaluate_models((models.model, models.tables, models.people), self.split)

    def evaluate_models(self, models: tuple[Any, Any, Any], split: "Split") -> "Evaluation":
        """The quality of a model, its tables and people on the test part of a split."""
        from sottovoce.evaluate.evaluation import evaluate

        settings = self.recipe.evaluate
        return evaluate(
            *models,
            split if self.honest is None else split.among(self.honest),
            ks=self.measured.ks,
            metrics=settings.metrics,
            candidates=settings.candidates,
            without=self.measured.without,
        )


class Prepared(NamedTuple):
    """A run before its first round, or after those that an earlier process did."""

    plan: Plan
    baselines: "dict[str, Evaluation]"
    references: "dict[str, Evaluation]"
    simulation: "Simulation"
    best: "Best | None"
    """Everybody's best model so far, if the recipe asks for it."""
    arrivals: "Portions | None"
    """The items that arrive during the run, if the recipe has any."""
    enough: Enough | None
    """What says when the run may end before its last round, if the recipe asks for it."""

    def state(self) -> dict[str, Any]:
        """All that a checkpoint holds: arrays that are still in use, not copies."""
        beside = nodes.saved(self.best, nodes.BEST) | nodes.saved(self.enough, nodes.ENOUGH)
        return self.simulation.state() | beside


class Portions:
    """The items that arrive during a run, given to people when their time has come."""

    def __init__(self, recipe: Recipe, arrivals: "Arrivals") -> None:
        self.settings, self.rounds, self.arrivals = recipe.arrivals, recipe.run.plan, arrivals
        self.given = -1.0  # the part that people have

    def bring(self, simulation: "Simulation") -> None:
        """Give people everything that has arrived by this round."""
        past = simulation.round // self.settings.every * self.settings.every
        part = min(1.0, past / (self.settings.until * self.rounds))
        if part != self.given:
            self.given = part
            simulation.provide(*self.arrivals.after(part))

    def until_next(self, round: int) -> int:
        """Rounds until the next portion."""
        return self.settings.every - round % self.settings.every


def plan(
    recipe: Recipe,
    parts: Components,
    data: "Interactions",
    tell: Progress,
    data_dir: str | Path | None = None,
) -> Plan:
    """Split the data, and check that the run can be measured and fits this machine."""
    from sottovoce.data import repeats

    references.require(parts.references)
    tell.say(
        f"{data.name}: {count(len(data), 'interaction')} of {count(data.people, 'person')} "
        f"with {count(data.items, 'item')}" + (f" ({data.source})" if data.source else "")
    )
    _say(tell, data.notes)
    split: Split = parts.split.split(data, recipe.run.seed)
    notes = (*repeats.after_split(data, split), *split.notes)
    data = split.known(data)
    _say(tell, notes)
    combinations.check_split(parts.merge, recipe.evaluate.best, split, "the recipe")
    if parts.protocol.topology == "server":
        combinations.check_sum(parts, "the recipe", split.train.people)
    measured = measurable(data, split, recipe.evaluate)
    _say(tell, measured.notes)
    seed = recipe.run.seed
    recipe, parts, note = fitting.protocol(recipe, parts, split.train)
    _say(tell, [note] if note else [])
    recipe, parts, note = fitting.exact(
        recipe, parts, lambda some, storage: simulation.memory_needed(some, split.train, seed, storage)
    )
    _say(tell, [note] if note else [])
    sized = parts, split.train, seed
    recipe, note = fitting.storage(recipe, lambda storage: simulation.memory_needed(*sized, storage))
    _say(tell, [note] if note else [])
    memory = simulation.memory_needed(*sized, recipe.run.storage)
    machine.require_memory(memory)
    names = metric_names(split, recipe.evaluate, measured).of_people
    references.check(parts.references, names)
    recipe = recipe.resolved(main_metric(names, recipe, measured))
    timing = simulation.timing(parts, split.train, recipe.run, data_dir)
    honest = attacked.honest(parts.attack, split.train.people, seed)
    return Plan(recipe, parts, data, split, measured, notes, memory, timing, honest)


def measure_baselines(plan: Plan, tell: Progress) -> "dict[str, Evaluation]":
    """Popularity and random, under the same evaluation as the run."""
    seed = plan.recipe.run.seed
    with compiling.announced(tell, "Measuring popularity and random"):
        return {
            name: plan.evaluate(simulation.baseline(name, plan.parts, plan.split, seed)) for name in BASELINES
        }


def prepare(
    plan: Plan,
    baselines: "dict[str, Evaluation]",
    found: "Checkpoint | None",
    tell: Progress,
    folder: Path | None = None,
) -> Prepared:
    """Measure references and build the network, or restore it from a checkpoint.

    `folder` is the run directory, into which observers' records go.
    """
    recipe, parts, split = plan.recipe, plan.parts, plan.split
    outside = references.measure(parts.references, split, recipe.run.seed, plan.evaluate, tell)
    arrivals = _arrivals(plan, tell)
    tell.say(f"Models take about {machine.size(plan.memory)} of memory.")
    with compiling.announced(tell, "Preparing kernels"):
        watch = observed.observation(recipe, parts, split.train, folder)
        network = simulation.simulation(parts, split, recipe.run, plan.timing, watch)
        if arrivals is not None:
            arrivals.bring(network)
        network.prepare()
    best = nodes.begin(recipe, parts.merge, plan.data.people)
    enough = _enough(recipe, split, network, tell)
    if found is not None:
        own, of_best, of_enough = nodes.divided(found.arrays, nodes.BEST, nodes.ENOUGH)
        network.restore(own)
        if arrivals is not None:
            arrivals.bring(network)
        if best is not None:
            best.restore(of_best, network.tables, network.people)
        if enough is not None:
            enough.restore(of_enough)
        tell.say(f"Continuing after round {network.round}.")
    elif getattr(parts.model, "start_from", None):
        pretrained.begin(network, parts.model, recipe.run.seed, split.hash)
    return Prepared(plan, baselines, outside, network, best, arrivals, enough)


def _enough(recipe: Recipe, split: "Split", network: "Simulation", tell: Progress) -> Enough | None:
    """What says when the run may end early, if the recipe asks for it and the model can tell."""
    if recipe.run.least_gain is None:
        return None
    if split.weighting is None or not len(split.weighting):
        tell.say(
            "All rounds are run: this split sets no items aside for validation (weighting sets), by which a "
            "run can tell when to end."
        )
        return None
    enough = Enough(network.model, network.tables, recipe.run.least_gain)
    if enough.measures:
        return enough
    tell.say(
        f"All rounds are run: the model {recipe.model.name} does not measure itself on the items that people "
        "set aside (weighting sets), so it cannot tell when to end."
    )
    return None


def _arrivals(plan: Plan, tell: Progress) -> Portions | None:
    from sottovoce.data.arrivals import Arrivals

    settings = plan.recipe.arrivals
    if not settings.share:
        return None
    arrivals = Arrivals(plan.split, settings.share, settings.refresh, plan.recipe.run.seed)
    arrive = "arrives" if len(arrivals) == 1 else "arrive"
    tell.say(f"{count(len(arrivals), 'training item')} {arrive} during the run.")
    return Portions(plan.recipe, arrivals)


def _say(tell: Progress, notes: Iterable[str]) -> None:
    for note in notes:
        tell.say(note)
