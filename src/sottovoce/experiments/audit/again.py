"""The observed rounds once more, to know what is true: who sent what, and everybody's vector.

A run is a function of its recipe and its data, so the same rounds give the same updates and vectors again.
Nothing of this is used by an attack. It is what attacks are compared with.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.combine.sums.plain import Plain
from sottovoce.exchange.compression.interface import Whole
from sottovoce.experiments.audit.records import Records, joined, of_arrays
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import simulation

if TYPE_CHECKING:
    from sottovoce.data.split import Split
    from sottovoce.simulate.engine import Simulation


class Again(NamedTuple):
    """What happened in the observed rounds."""

    network: "Simulation"
    """The network after the last observed round."""
    sent: Records | None
    """The update of every participant, as it was sent; None without a server."""
    raw: Records | None
    """What trainings changed before any step or compression; of the first aggregation alone if the run has
    steps, because later ones depend on them. None without a server."""
    before: tuple[NDArray[Any], NDArray[Any]] | None = None
    """Rows and head of a model before the last observed sweep of sums among peers, if a round is one: all
    models are nearly alike. None otherwise."""


def again(
    recipe: Recipe, parts: Components, split: "Split", rounds: tuple[int, int], data_dir: str | Path | None
) -> Again | str:
    """Run the observed rounds again; or a sentence that says why that is not possible."""
    if recipe.arrivals.share:
        return "items arrive during the run"
    if getattr(parts.model, "start_from", None):
        return "the run began with the models of other runs"
    made = parts, split, recipe, data_dir
    network, sent, before = run(*made, rounds)
    changed = bool(parts.steps) or not isinstance(parts.chain, Whole)
    if sent is None or not changed or rounds[0] > 1:
        return Again(network, sent, None if changed else sent, before)
    bare = parts._replace(sum=Plain(), steps=(), chain=Whole())
    _, raw, _ = run(bare, split, recipe, data_dir, (1, 1))
    return Again(network, sent, None if raw is None else raw.among(raw.clock == 0), before)


def run(
    parts: Components,
    split: "Split",
    recipe: Recipe,
    data_dir: str | Path | None,
    rounds: tuple[int, int],
) -> "tuple[Simulation, Records | None, tuple[NDArray[Any], NDArray[Any]] | None]":
    """The network after these rounds, what its server received in them, and a model before the last one."""
    from sottovoce.simulate.observe import Observation

    seen: list[Records] = []

    def record(round: int, records: list[dict[str, Any]]) -> None:
        seen.extend(of_arrays(round, arrays) for arrays in records)

    served = parts.protocol.topology == "server"
    nobody = np.empty(0, np.int32)
    watch = Observation(True, nobody, *rounds, record) if served else None
    timing = simulation.timing(parts, split.train, recipe.run, data_dir)
    network = simulation.simulation(parts, split, recipe.run, timing, watch)
    network.sum = Plain()  # it still sums as it did, but what is recorded are the updates themselves
    network.prepare()
    before = None
    if parts.protocol.topology == "consensus" and not network.timing.timed:
        network.advance(rounds[1] - 1)
        before = network.tables.rows[: network.items].copy(), network.tables.head[0].copy()
    network.advance(rounds[1] - network.round)
    return network, joined(seen) if seen else None, before
