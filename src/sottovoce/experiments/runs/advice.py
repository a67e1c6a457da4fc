"""What to try if a run diverged, or did not beat popularity.

Only settings that the recipe's model has are named, each with a value to start with.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sottovoce import registry
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.metrics import RATED, lower_is_better

_FEW = 3  # suggestions
_LEARNS_RATINGS = ("mf",)


def diverged(recipe: Recipe) -> str:
    """How to keep models finite."""
    step, weight = _number(recipe, "step"), _number(recipe, "regularization")
    usual = _usual(recipe, "step")
    ways = []
    if step is not None:
        smaller = min(step / 10, usual or step)
        ways.append(f"a smaller step ({_set('step', smaller)})" if step else "a smaller model.step")
    if weight is not None:
        more = 10 * weight or 0.01
        ways.append(f"more regularization ({_set('regularization', more)})")
    return f"Try {' or '.join(ways)}." if ways else "Check how the model computes its numbers."


def below(recipe: Recipe, curve: Sequence[Mapping[str, Any]], metric: str) -> str:
    """How a run might beat popularity."""
    if recipe.model.name in ("popularity", "random"):
        return "To try: a model that learns (--set model.name=ials)."
    step, usual = _number(recipe, "step"), _usual(recipe, "step")
    ways = []
    if step and usual and step > usual:
        ways.append(f"a smaller step ({_set('step', usual)})")
    ways += _rounds(recipe, curve, metric)
    if recipe.model.name in _LEARNS_RATINGS and metric not in RATED:
        ways.append("a model that learns what people choose, not how they rate (--set model.name=ials)")
    if unobserved := _number(recipe, "unobserved"):
        ways.append(f"less weight on items that people did not meet ({_set('unobserved', unobserved / 4)})")
    if weight := _number(recipe, "regularization"):
        ways.append(f"less regularization ({_set('regularization', weight / 4)})")
    if step and usual and step <= usual:
        ways.append(f"a larger step ({_set('step', 3 * step)})")
    return f"To try: {'; '.join(ways[:_FEW])}." if ways else ""


def _rounds(recipe: Recipe, curve: Sequence[Mapping[str, Any]], metric: str) -> list[str]:
    """More rounds if the run was still improving, fewer if it was better before."""
    known = [(event["round"], event[metric]) for event in curve if event.get(metric) is not None]
    if len(known) < 2:
        return []
    sign = -1 if lower_is_better(metric) else 1
    best = max(known, key=lambda event: sign * event[1])
    if best == known[-1]:
        return [f"more rounds, because it was still improving (--set run.rounds={4 * recipe.run.rounds})"]
    if best[0] == 0:
        return []
    return [f"fewer rounds, because it was best in round {best[0]} (--set run.rounds={best[0]})"]


def _number(recipe: Recipe, name: str) -> float | None:
    """A setting of the model, if it has one of that name."""
    value = recipe.model.settings.get(name)
    return float(value) if isinstance(value, int | float) else None


def _usual(recipe: Recipe, name: str) -> float | None:
    """The default of a setting, if that is a number."""
    defaults = getattr(registry.get("model", recipe.model.name), "_field_defaults", {})
    value = defaults.get(name)
    return float(value) if isinstance(value, int | float) else None


def _set(name: str, value: float) -> str:
    return f"--set model.{name}={value:.3g}"
