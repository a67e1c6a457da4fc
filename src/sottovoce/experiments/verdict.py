"""Has the run learnt something personal? One sentence, decided by everybody's own figures.

A model that ends near popularity has learnt nothing personal. The difference to popularity is
taken per person, and counts when its mean is more than three standard errors from zero.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.experiments.outcome import lower_is_better

_ERRORS = 3.0


class Verdict(NamedTuple):
    """How a run did against popularity."""

    kind: Literal["good", "near", "bad"]
    headline: str
    sentence: str


def judge(result: dict[str, Any], ours: NDArray[np.float64], popular: NDArray[np.float64]) -> Verdict:
    """The verdict on a result; the arrays are the main metric of every person."""
    metric = result["metric"]
    final = result["final"][metric]
    if final is None or not len(ours):
        return Verdict(
            "bad", "The run diverged.", "Its last models predict nothing finite; try a smaller step."
        )
    gain = popular - ours if lower_is_better(metric) else ours - popular
    noise = _ERRORS * gain.std() / math.sqrt(len(gain))
    sentence = _compare(metric, result)
    better, worse = (gain > 0).mean(), (gain < 0).mean()
    whom = f" {100 * better:.0f} % of people are better off than with popularity, {100 * worse:.0f} % worse."
    if gain.mean() > noise:
        return Verdict("good", "It learnt what people like personally.", sentence + whom)
    if gain.mean() < -noise:
        return Verdict("bad", "It is worse than popularity.", sentence + whom)
    return Verdict("near", "It ends near popularity: nothing personal was learnt.", sentence + whom)


def _compare(metric: str, result: dict[str, Any]) -> str:
    final = result["final"][metric]
    popular, chance = (result["baselines"][name][metric] for name in ("popularity", "random"))
    rounds = f"After {result['rounds']:,} rounds,"
    kind, _, k = metric.partition("@")
    if metric in ("rmse", "mae"):
        return (
            f"{rounds} predicted ratings are off by {final:.3f} ({metric.upper()}), "
            f"against {popular:.3f} with every item's mean (popularity) and {chance:.3f} at random."
        )
    what = f"{100 * final:.1f} % of held-out items are among the first {k}" if kind == "hr" else ""
    return (
        f"{rounds} {what or f'{metric.upper()} is {100 * final:.1f} %'}, "
        f"against {100 * popular:.1f} % by popularity and {100 * chance:.1f} % at random."
    )
