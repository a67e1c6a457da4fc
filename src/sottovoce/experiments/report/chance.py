"""What may be chance: intervals over people, and every other subject compared with the best method.

All subjects are measured on the same people, so differences are taken person by person
(`evaluate.significance`). P-values are corrected for the number of comparisons by Holm's step-down
procedure (Holm 1979): the smallest of m is multiplied by m, the next by m − 1, and so on, and none may fall
below the one before.

One rule decides everywhere whether a difference is called better or worse: `Difference.side`.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.evaluate.significance import bootstrap, compare
from sottovoce.experiments.report.methods import Method, Study, Subject
from sottovoce.metrics import lower_is_better

_MOST, _LEAST, _DRAWS = 10_000, 200, 100_000_000
_APART = 0.005  # how far the mean over people may be from the overall figure, relative to it
ALPHA = 0.05
"""A difference with a smaller p-value counts as more than chance."""
Side = Literal["better", "worse", "level", "untested"]


class Difference(NamedTuple):
    """How far a subject is from a rival, person by person."""

    subject: Subject
    difference: float
    low: float
    high: float
    t_test: float
    wilcoxon: float
    people: int

    def side(self, metric: str) -> Side:
        """Whether the subject is better or worse than its rival, level with it, or untested.

        It is better or worse if the 95 % interval excludes zero and the corrected t-test has p < 0.05. It is
        untested if fewer than two people have a finite figure in both.
        """
        if math.isnan(self.t_test):
            return "untested"
        if self.t_test >= ALPHA or self.low <= 0 <= self.high:
            return "level"
        return "better" if (self.difference < 0) == lower_is_better(metric) else "worse"


def best(study: Study) -> Subject | None:
    """The method with the best main metric; None if all diverged."""
    sign = 1 if lower_is_better(study.metric) else -1
    found = [(sign * mean, n) for n, m in enumerate(study.methods)
             if (mean := m.subject.mean(study.metric)) is not None and not lost(m)]  # fmt: skip
    return study.methods[min(found)[1]].subject if found else None


def lost(method: Method) -> bool:
    """Whether a method diverged under every seed."""
    return all(run.diverged is not None and run.diverged.most for run in method.runs)


def interval(subject: Subject, metric: str) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of an overall figure, if it is a mean over people.

    The overall RMSE is the root of the mean of people's squared RMSE only if all have equally many ratings.
    If the two differ, there is no interval, because it would be the interval of another figure.
    """
    figure, people = subject.mean(metric), subject.everybody(metric)
    known = people[~np.isnan(people)]
    if figure is None or len(known) < 2 or not np.isfinite(known).all():
        return None
    values = known**2 if metric == "rmse" else known
    root = math.sqrt if metric == "rmse" else float
    if abs(root(float(values.mean())) - figure) > _APART * abs(figure):
        return None
    low, high = bootstrap(values, samples=samples(values))
    return root(low), root(high)


def against(study: Study, rival: Subject) -> dict[str, Difference]:
    """Every other subject with figures of single people, compared with `rival`; p-values are corrected."""
    others = [subject for subject in study.subjects if subject.name != rival.name]
    found = [difference(subject, rival, study.metric) for subject in others]
    return {d.subject.name: d for d in corrected([d for d in found if d is not None])}


def difference(subject: Subject, rival: Subject, metric: str) -> Difference | None:
    """One subject compared with another under their common seeds; None without figures of single people."""
    seeds = [seed for seed in subject.people if seed in rival.people]
    ours, theirs = (s.everybody(metric, seeds) if seeds else np.empty(0) for s in (subject, rival))
    if not len(ours) or len(ours) != len(theirs):
        return None
    told = compare(ours, theirs, samples=samples(ours))
    return Difference(subject, told.difference, told.low, told.high, told.t_test, told.wilcoxon, told.people)


def corrected(family: Sequence[Difference]) -> list[Difference]:
    """The same differences, with p-values corrected for their number."""
    t_tests, wilcoxons = (holm([getattr(d, name) for d in family]) for name in ("t_test", "wilcoxon"))
    return [d._replace(t_test=t, wilcoxon=w) for d, t, w in zip(family, t_tests, wilcoxons, strict=True)]


def holm(values: Sequence[float]) -> list[float]:
    """P-values corrected for their number. NaN (nothing was tested) stays NaN and does not count.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted((p, n) for n, p in enumerate(values) if not math.isnan(p))
    corrected, highest = list(values), 0.0
    for rank, (p, n) in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p))
        corrected[n] = highest
    return corrected


def samples(people: NDArray[np.float64]) -> int:
    """How many bootstrap samples to draw: fewer if people are many, because the interval is narrow anyway."""
    return int(np.clip(_DRAWS // max(1, len(people)), _LEAST, _MOST))
