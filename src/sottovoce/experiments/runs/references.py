"""Central recommenders, measured for comparison: `[evaluate] references = ["als", "ease"]`."""

import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sottovoce.errors import RecipeError, ResourceError
from sottovoce.experiments.runs import machine
from sottovoce.experiments.runs.progress import Progress
from sottovoce.metrics import RATED

if TYPE_CHECKING:
    from sottovoce.data.split import Split
    from sottovoce.evaluate.evaluation import Evaluation

EXTRA = "pip install 'sottovoce[references]'"


def require(references: Mapping[str, Any]) -> None:
    """Refuse references that need packages which are not installed."""
    for name, reference in references.items():
        missing = [module for module in reference.needs.split() if importlib.util.find_spec(module) is None]
        if missing:
            absent = "which is not installed" if len(missing) == 1 else "which are not installed"
            raise RecipeError(
                f"The reference {name!r} needs {' and '.join(missing)}, {absent}.",
                f"Install it with: {EXTRA}. Or leave it out of evaluate.references.",
            )


def check(references: Mapping[str, Any], metrics: Sequence[str]) -> None:
    """Refuse references that have none of the metrics."""
    for name, reference in references.items():
        if reference.gives != "ratings" and set(metrics) <= set(RATED):
            raise RecipeError(
                f"The reference {name!r} ranks items and predicts no ratings, "
                f"but this run measures only {' and '.join(metrics)}.",
                "Use 'biased-mf', or a split that ranks items.",
            )


def measure(
    references: Mapping[str, Any],
    split: "Split",
    seed: int,
    evaluate: Callable[[Any], "Evaluation"],
    tell: Progress,
) -> "dict[str, Evaluation]":
    """Fit each reference to the training data, and evaluate its scores as people's own models are.

    RMSE and MAE are NaN for references that predict no ratings.
    """
    from sottovoce.evaluate.references._given import memory_needed, scored

    found = {}
    for name, reference in references.items():
        expected, there = memory_needed(reference, split.train), machine.available_memory()
        if expected > there:
            raise ResourceError(
                f"The reference {name!r} needs about {machine.size(expected)} of memory, "
                f"and {machine.size(there)} are free.",
                "Leave it out of evaluate.references, or use fewer people or items.",
            )
        with tell.doing(f"Measuring the central reference {name}"):
            found[name] = _sensible(reference, evaluate(scored(reference, split, seed)))
    return found


def _sensible(reference: Any, evaluation: "Evaluation") -> "Evaluation":
    if reference.gives != "ratings":
        for metric in evaluation.metrics.keys() & set(RATED):
            evaluation.metrics[metric] = math.nan
            evaluation.per_user[metric][:] = math.nan
    return evaluation
