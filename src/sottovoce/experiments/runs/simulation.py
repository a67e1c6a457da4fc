"""How runs make simulations. Only this module calls the engine's constructor, its clock and its sizes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sottovoce.exchange.compression.interface import Whole
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.sections import Execution
from sottovoce.registry import build

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.data.split import Split
    from sottovoce.simulate.engine import Simulation
    from sottovoce.simulate.observe import Observation
    from sottovoce.state import Storage
    from sottovoce.timing import Timing


def memory_needed(parts: Components, train: "Interactions", seed: int, storage: "Storage") -> int:
    """How many bytes the models of a run take."""
    from sottovoce.simulate.memory import memory_needed

    return memory_needed(
        parts.model,
        parts.protocol,
        train,
        seed,
        chain=parts.chain,
        steps=bool(parts.steps),
        timed=parts.links is not None,
        storage=storage,
    )


def timing(
    parts: Components, train: "Interactions", settings: Execution, data_dir: str | Path | None
) -> "Timing | None":
    """When nodes are online and how long messages take; None in rounds without time."""
    from sottovoce.protocols.interface import nodes
    from sottovoce.simulate.clock import clock

    if parts.links is None:
        return None
    count = nodes(parts.protocol, train, settings.seed)
    return clock(parts.links, parts.churn, count, settings.rounds, settings.seed, data_dir)


def simulation(
    parts: Components,
    split: "Split",
    settings: Execution,
    timing: "Timing | None",
    observation: "Observation | None" = None,
) -> "Simulation":
    """The network of a run before its first round."""
    more: dict[str, Any] = {"timing": timing, "storage": settings.storage, "observation": observation}
    return _simulation(parts, split, settings.seed, settings.plan, **more)


def baseline(name: str, parts: Components, split: "Split", seed: int) -> "Simulation":
    """A model that learns nothing personal, trained centrally in one round."""
    settings = {"seed": seed} if name == "random" else {}
    central = parts._replace(
        model=build("model", name, settings, name),
        protocol=build("protocol", "central", {}, name),
        merge=build("merge", "none", {}, name),
        peers=build("peers", "uniform", {}, name),
        chain=Whole(),
        sum=build("sum", "plain", {}, name),
        steps=(),
        attack=build("attack", "none", {}, name),
    )
    made = _simulation(central, split, seed, 1)
    made.advance(1)
    return made


def _simulation(parts: Components, split: "Split", seed: int, rounds: int, **more: Any) -> "Simulation":
    from sottovoce.simulate.engine import Simulation

    return Simulation(
        parts.model,
        parts.protocol,
        split.train,
        seed,
        merge=parts.merge,
        peers=parts.peers,
        rounds=rounds,
        weighting=split.weighting,
        candidates=split.weighting_candidates,
        chain=parts.chain,
        steps=parts.steps,
        sum=parts.sum,
        attack=parts.attack,
        **more,
    )
