"""The figures of a run as it writes them down."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sottovoce.metrics import lower_is_better

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions
    from sottovoce.simulate.engine import Simulation


def best_of(curve: Sequence[dict[str, Any]], metric: str) -> dict[str, Any]:
    """The evaluation in which the main metric was best, the first one of several."""
    sign = 1 if lower_is_better(metric) else -1
    return min(curve, key=lambda event: math.inf if event[metric] is None else sign * event[metric])


def finite(metrics: Mapping[str, float]) -> dict[str, float | None]:
    """Figures that JSON can hold: a value that diverged becomes null."""
    return {name: float(value) if math.isfinite(value) else None for name, value in metrics.items()}


def times(simulation: "Simulation") -> dict[str, Any]:
    """What a run in virtual time has to tell beside: how long it was, and who was there."""
    from sottovoce.simulate.churn import Sessions, statistics

    timing = simulation.timing
    if not timing.timed:
        return {}
    told: dict[str, Any] = {"hours": simulation.now / 3600, "arrived": simulation.arrived}
    if len(timing.first):
        sessions = Sessions(timing.first, timing.since, timing.until)
        told["churn"] = statistics(sessions, simulation.now)
    return told


def describe(data: "Interactions", notes: Sequence[str] = ()) -> dict[str, Any]:
    """The data that a run is about; `notes` were found in splitting it."""
    return {
        "name": data.name,
        "people": data.people,
        "items": data.items,
        "interactions": len(data),
        "source": data.source,
        "notes": [*data.notes, *notes],
        "terms": data.terms,
    }
