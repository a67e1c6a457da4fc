"""Are the metrics of a reproduction measured by its runs? Checked before anything is run."""

from collections.abc import Iterable

from sottovoce.errors import RecipeError
from sottovoce.evaluate.names import named
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce import cost, leaks
from sottovoce.experiments.reproduce.figures import COUNTS, EXPOSURE, NODES, is_shift
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.metrics import NAMES
from sottovoce.registry import nearest

_DECISIVE = ("evaluate.", "arrivals.", "attack.")


def check(form: Reproduction, changes: Iterable[Iterable[str]]) -> None:
    """Refuse a metric that these runs cannot measure; `changes` are those of each run to the base recipe.

    Curves need the metric of the file in every run, rows and checks need theirs in at least one.
    """
    # Few runs differ in these sections, and reading a recipe takes time.
    decisive = {tuple(change for change in own if change.startswith(_DECISIVE)) for own in changes}
    measured = [possible(Recipe.read(form.recipe, own)) for own in decisive]
    if not measured:
        return
    _require(form, [form.metric], set.intersection(*map(set, measured)), ())
    reads = [*form.rows, *(check for claim in form.claims for check in claim.checks)]
    asked = [*(read.metric for read in reads if read.metric is not None), *form.people]
    asked = [metric.partition(": ")[0] if is_shift(metric) else metric for metric in asked]
    _require(form, asked, set().union(*measured), (*COUNTS, *NODES, *cost.NAMES, *leaks.NAMES))
    if form.across is not None:
        _require(form, [form.across], set.intersection(*map(set, measured)), (*COUNTS, *cost.NAMES))


def possible(recipe: Recipe) -> list[str]:
    """The metrics that a run of a recipe may have. Its split decides which, if the recipe names none."""
    shown = [] if recipe.attack.name == "none" else [f"{EXPOSURE}{k}" for k in recipe.evaluate.ks]
    return [*named(recipe.evaluate.metrics or NAMES, recipe.evaluate.ks), *shown]


def _require(form: Reproduction, metrics: Iterable[str], measured: set[str], more: Iterable[str]) -> None:
    known = [*sorted(measured), *more]
    for metric in metrics:
        if metric not in known:
            raise RecipeError(
                f"{form.where}: the metric {metric!r} is not measured by its runs.", nearest(metric, known)
            )
