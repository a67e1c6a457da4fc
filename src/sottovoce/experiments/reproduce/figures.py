"""Numbers of finished runs: which metric, read where on the curve, over which seeds.

Seeds are a sample: a mean x̄ over n of them, with standard deviation s, has the 95 % interval

    x̄ ± t s / √n,   t the critical value of Student's distribution with n − 1 degrees of freedom,

so more seeds make it narrower, and a single seed has none.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import RecipeError
from sottovoce.evaluate import student
from sottovoce.experiments.pages import words
from sottovoce.experiments.reproduce import cost, leaks
from sottovoce.experiments.reproduce.form import Labels, Reproduction
from sottovoce.experiments.reproduce.sections import TAILS, At, Hours, Reaches
from sottovoce.experiments.runs.machine import size
from sottovoce.experiments.runs.nodes import PREFIX
from sottovoce.experiments.runs.result import Result
from sottovoce.experiments.runs.run import Run
from sottovoce.metrics import lower_is_better
from sottovoce.registry import nearest

CONFIDENCE = 0.95
"""The level of intervals over seeds."""
_ROUNDING = 1e-6  # hours

Results = Mapping[Labels, Sequence[Run]]
"""The runs of each combination of labels, in the order of seeds."""

CHURN = {"share online": "online", "minutes per session": "session_minutes"}
OF_DATA = ("people", "items", "interactions")
SIZES = ("bytes", "bytes per person")
SHIFT = "bias-disparity@"
"""Begins the names of shifts: "bias-disparity@10: Food" is that of one category of items."""
EXPOSURE = "exposure@"
"""Begins the names of the share of honest people's lists that hold the item that attackers promote."""
COUNTS = (*OF_DATA, "nodes", "messages", *SIZES, "seconds", "Mbit per message", *CHURN)
"""What a row or a check can read besides metrics; the last two only under churn."""


NODES = {
    "rounds to converge": "converged",
    "seconds per node": "seconds",
    "models received": "received",
    "listeners": "listeners",
    "likeness with peers": "likeness",
    "likeness with anybody": "chance likeness",
}
"""Figures of nodes that a row or a check can read: their mean, or those of the highest nodes."""


class Figure(NamedTuple):
    """A number over seeds: the mean, and for several seeds its uncertainty."""

    mean: float
    std: float | None = None
    """The standard deviation of a sample."""
    error: float | None = None
    """The standard error of the mean."""
    freedom: float = 0.0
    """Degrees of freedom of that error."""

    @classmethod
    def of(cls, values: Sequence[float]) -> "Figure":
        """The figure of these values; infinite or unknown if one of them is."""
        if not all(map(math.isfinite, values)):
            return cls(math.inf if math.inf in values else math.nan, None)
        mean, n = statistics.fmean(values), len(values)
        if n < 2:
            return cls(mean)
        std = statistics.stdev(values)
        return cls(mean, std, std / math.sqrt(n), n - 1)

    def minus(self, other: "Figure") -> "Figure":
        """The difference of two figures that share no split; degrees of freedom by Welch (1947)."""
        mean = self.mean - other.mean
        if self.error is None or other.error is None:
            return Figure(mean)
        std, error = math.hypot(self.std or 0.0, other.std or 0.0), math.hypot(self.error, other.error)
        parts = self.error**4 / self.freedom + other.error**4 / other.freedom
        return Figure(mean, std, error, error**4 / parts if parts else self.freedom + other.freedom)

    def __neg__(self) -> "Figure":
        return self._replace(mean=-self.mean)

    def __abs__(self) -> "Figure":
        return self._replace(mean=abs(self.mean))

    @property
    def margin(self) -> float | None:
        """Half the width of the 95 % interval of the mean; None with a single seed."""
        return None if self.error is None else student.critical(self.freedom, 1 - CONFIDENCE) * self.error

    @property
    def clear(self) -> bool | None:
        """Whether its whole interval is above zero; None if it has no interval."""
        if not math.isfinite(self.mean):
            return False
        return None if self.margin is None else self.mean > self.margin

    def within(self, limit: float, around: float = 0.0) -> bool | None:
        """Whether its whole interval is within `limit` of a number; None if it has no interval."""
        if not math.isfinite(self.mean):
            return False
        return None if self.margin is None else abs(self.mean - around) + self.margin <= limit


def places(form: Reproduction, run: Run) -> list[float]:
    """The x value of each evaluation: its round, its hour, messages per node or megabytes per person."""
    if form.x == "rounds":
        return [event["round"] for event in run.curve]
    if form.x == "messages":
        return [event["messages"] / run.figures.nodes for event in run.curve]
    if form.x == "megabytes":
        return [event["bytes"] / run.figures.data.people / 1e6 for event in run.curve]
    if form.hours is None and any("hours" not in event for event in run.curve):
        raise RecipeError(
            f"{form.name} draws curves over hours, but a run has no clock.",
            "Give the run [network] links, or set hours = … to the length of a round.",
        )
    return [event.get("hours", event["round"] * (form.hours or 0.0)) for event in run.curve]


def value(
    run: Run, metric: str, at: At, level: str | None = None, places: Sequence[float] | None = None
) -> float:
    """A number of a run, or of a baseline or reference: NaN if unknown, infinite if never reached.

    `level` is the name of a baseline or reference; `places` are the x values of the curve, by default rounds.
    """
    if metric in COUNTS:
        return _count(run.figures, metric)
    if metric.startswith(EXPOSURE):
        return _exposure(run.figures, metric.removeprefix(EXPOSURE))
    if metric in leaks.NAMES:
        return leaks.value(run, metric)
    if metric in cost.NAMES:
        return cost.value(run, metric)
    if is_shift(metric):
        return _shift(run.figures, metric, level)
    if metric in NODES:
        known = run.figures.by_node.get(NODES[metric], {})
        return _number(known.get("mean" if at == "final" else str(at)))
    beside = run.baselines | run.references
    if metric not in run.metrics:
        raise RecipeError(
            f"{metric!r} is not measured by these runs.", nearest(metric, [*run.metrics, *COUNTS, *NODES])
        )
    if level is not None:
        if level not in beside:
            raise RecipeError(f"{level!r} is not measured beside these runs.", nearest(level, list(beside)))
        if at in TAILS:
            return _number(run.figures.tails_beside.get(level, {}).get(metric, {}).get(str(at)))
        return _number(beside[level][metric])
    sign = 1 if lower_is_better(metric) else -1
    rounds: list[float] = [event["round"] for event in run.curve]
    points = [_number(event[metric]) for event in run.curve]
    where = list(zip(places or rounds, points, strict=True))
    match at:
        case "final":
            return _number(run.metrics[metric])
        case "best":
            return sign * min((sign * v for v in points if math.isfinite(v)), default=math.nan)
        case "mean":
            return statistics.fmean([v for place, v in where if place > 0])
        case int():
            return dict(zip(rounds, points, strict=True)).get(at, math.nan)
        case Hours():
            return next((v for hour, v in reversed(where) if hour <= at.hours + _ROUNDING), math.nan)
        case Reaches():
            wanted = at.reaches if isinstance(at.reaches, float) else value(run, metric, "final", at.reaches)
            return min((place for place, v in where if sign * v <= sign * wanted), default=math.inf)
    return _number(run.figures.tails[metric][at])


def values(form: Reproduction, runs: Sequence[Run], metric: str, at: At, level: str | None) -> list[float]:
    """The number of every seed; `level` is named as in the file."""
    if isinstance(at, Reaches) and isinstance(at.reaches, str):
        at = Reaches(reaches=form.levels.get(at.reaches, at.reaches))
    return [value(run, metric, at, level and form.levels[level], places(form, run)) for run in runs]


def measured(
    form: Reproduction, level: str | None, runs: Sequence[Labels], results: Results
) -> Sequence[Labels]:
    """The runs beside which a level was measured."""
    if level is None:
        return runs
    name = form.levels[level]
    return [run for run in runs if name in results[run][0].baselines | results[run][0].references]


def after(places: Sequence[float], x: str) -> float:
    """The x value that counts for a value never reached: one step after the last."""
    return places[-1] + (1 if x == "rounds" else places[-1] - places[-2])


def smaller_is_better(metric: str, at: At) -> bool:
    """Whether a small number is the good one."""
    counted = (*SIZES, "seconds", "messages", "rounds to converge", "seconds per node")
    few = metric in counted or metric.startswith(EXPOSURE)
    return isinstance(at, Reaches) or few or metric == cost.CCE or lower_is_better(metric)


def say(figure: float, metric: str, at: At = "final") -> str:
    """A number for people."""
    if isinstance(at, Reaches):
        return "never" if figure == math.inf else f"{figure:.3g}"
    if metric in leaks.NAMES and math.isfinite(figure):
        return f"{figure:.2f}" if metric == leaks.EPSILON else f"{100 * figure:.1f} %"
    if metric in cost.NAMES:
        return cost.say(figure, metric)
    if is_shift(metric) and math.isfinite(figure):
        return f"{figure:.4f}".replace("-", "−")
    if metric in NODES and math.isfinite(figure):
        return f"{figure:.3g}" if abs(figure) < 1000 else f"{figure:,.0f}"
    if metric not in COUNTS or not math.isfinite(figure):
        return words.figure(metric, figure, 2)
    if metric in SIZES:
        return size(figure)
    return f"{figure:.3g}" if figure % 1 else f"{figure:,.0f}"


def say_over(figure: Figure, metric: str, at: At = "final") -> str:
    """Mean ± standard deviation."""
    spread = f" ± {say(figure.std, metric, at)}" if figure.std else ""
    return say(figure.mean, metric, at) + spread


def say_at(at: At, x: str = "rounds") -> str:
    """Where it was read, in words."""
    match at:
        case "final":
            return "at the end"
        case "best":
            return "at its best"
        case "mean":
            return "mean over the curve"
        case int():
            return f"after round {at}" if at else "at the start"
        case Hours():
            return f"after {at.hours:g} hours"
        case Reaches():
            what = at.reaches if isinstance(at.reaches, str) else f"{at.reaches:g}"
            return f"first {x.removesuffix('s')} as good as {what}"
    return at.replace("cdf", "CDF")


def is_shift(metric: str) -> bool:
    """Whether it is the bias disparity of one category of items."""
    return metric.startswith(SHIFT) and ": " in metric


def say_read(metric: str, at: At, x: str = "rounds") -> str:
    """What was read, in words."""
    return metric if metric in COUNTS else f"{name(metric)}, {say_at(at, x)}"


def opposite(holds: bool | None) -> bool | None:
    """Whether something does not hold; None stays None (open)."""
    return None if holds is None else not holds


def every(holds: Iterable[bool | None]) -> bool | None:
    """Whether all hold; None (open) if one is open and none fails."""
    known = set(holds)
    return False if False in known else None if None in known else True


def name(metric: str) -> str:
    """What is measured, in words."""
    if metric in NODES or metric in leaks.NAMES or metric in cost.NAMES:
        return metric
    kind, between, category = metric.partition(": ")
    return words.name(kind) + between + category


def of_everybody(run: Run, metric: str) -> NDArray[np.float64]:
    """The figure of each person, or of each person's node; NaN for none."""
    frame, column = run.people(), f"{PREFIX}{NODES[metric]}" if metric in NODES else metric
    if column not in frame.columns:
        raise RecipeError(
            f"There are no figures of single people for {metric!r}.", nearest(metric, frame.columns)
        )
    return frame[column].fill_null(math.nan).to_numpy().astype(np.float64)


def _count(result: Result, metric: str) -> float:
    if metric == "Mbit per message":
        return 8e-6 * result.bytes / result.messages if result.messages else math.nan
    if metric == "bytes per person":
        return result.bytes / result.data.people
    if metric in CHURN:
        return _number(result.churn.get(CHURN[metric]))
    return float(getattr(result.data, metric) if metric in OF_DATA else getattr(result, metric))


def _exposure(result: Result, k: str) -> float:
    """NaN if nothing is promoted."""
    return _number(None if result.attack is None else result.attack.exposure.get(k))


def _shift(result: Result, metric: str, level: str | None) -> float:
    kind, _, category = metric.partition(": ")
    known = (result.categories if level is None else result.categories_beside.get(level, {})).get(kind, {})
    if category not in known:
        raise RecipeError(
            f"These runs have no {kind} of {category!r}.",
            nearest(category, list(known)) if known else f"Measure {kind!r} on data with categories.",
        )
    return _number(known[category])


def _number(value: float | None) -> float:
    return math.nan if value is None else value
