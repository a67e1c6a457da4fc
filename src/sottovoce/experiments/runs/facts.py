"""Single facts of a result: its best round, its time, its data."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sottovoce.experiments.runs.result import Described
from sottovoce.metrics import lower_is_better

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.simulate.engine import Simulation


def best_of(curve: Sequence[dict[str, Any]], metric: str) -> dict[str, Any]:
    """The evaluation in which the main metric was best; the first one, if there are several."""
    sign = 1 if lower_is_better(metric) else -1
    return min(curve, key=lambda event: math.inf if event[metric] is None else sign * event[metric])


def finite(metrics: Mapping[str, float]) -> dict[str, float | None]:
    """Figures that JSON can hold: a value that diverged becomes null."""
    return {name: float(value) if math.isfinite(value) else None for name, value in metrics.items()}


def times(simulation: "Simulation") -> dict[str, Any]:
    """The length of a run in virtual time, and who was online when; nothing in rounds without time."""
    from sottovoce.simulate.churn import Sessions, statistics

    timing = simulation.timing
    if not timing.timed:
        return {}
    found: dict[str, Any] = {"hours": simulation.now / 3600, "arrived": simulation.arrived}
    if len(timing.first):
        sessions = Sessions(timing.first, timing.since, timing.until)
        found["churn"] = statistics(sessions, simulation.now)
    return found


def summed(simulation: "Simulation") -> Sequence[str]:
    """What the way of summing updates has to say about the run."""
    from sottovoce.combine.sums.interface import remarks
    from sottovoce.simulate.served import TALLY

    counted = simulation.driver.state().get(TALLY)
    found: Sequence[str] = () if counted is None else remarks(simulation.sum, counted)
    return found


def describe(data: "Interactions", notes: Sequence[str] = ()) -> Described:
    """The data of a run; `notes` are about its split."""
    return Described(
        name=data.name,
        people=data.people,
        items=data.items,
        interactions=len(data),
        source=data.source,
        notes=[*data.notes, *notes],
        terms=data.terms,
    )
