"""What may be chance: intervals over people, and every other subject against the best method.

All people are measured by all, so differences are taken person by person (`evaluate.significance`).
P-values are corrected for the number of comparisons by Holm's step-down procedure (Holm 1979): the
smallest of m is multiplied by m, the next by m − 1, and so on, and none may fall below the one before.

One rule decides which word a difference gets, everywhere: `Difference.side`.
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
_APART = 0.005  # how far, relatively, the mean over people may be from the figure it stands for
ALPHA = 0.05
"""A difference with a smaller p-value is more than chance."""
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
        """How the subject stands to its rival, or that the two cannot be told apart.

        It is better or worse where both the 95 % interval leaves out zero and the t-test, corrected, has
        p < 0.05. Nothing is tested where fewer than two people have a finite figure in both.
        """
        if math.isnan(self.t_test):
            return "untested"
        if self.t_test >= ALPHA or self.low <= 0 <= self.high:
            return "level"
        return "better" if (self.difference < 0) == lower_is_better(metric) else "worse"


def best(study: Study) -> Subject | None:
    """The method with the best main metric; none if all diverged."""
    sign = 1 if lower_is_better(study.metric) else -1
    found = [(sign * mean, n) for n, m in enumerate(study.methods)
             if (mean := m.subject.mean(study.metric)) is not None and not lost(m)]  # fmt: skip
    return study.methods[min(found)[1]].subject if found else None


def lost(method: Method) -> bool:
    """Whether it diverged, under every seed."""
    return all(run.diverged is not None and run.diverged.most for run in method.runs)


def interval(subject: Subject, metric: str) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of an overall figure, if it is a mean over people.

    An RMSE is the root of the mean of everybody's squares where all have equally many ratings.
    Where the two are apart, there is no interval, rather than one of something else.
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
    """Every other subject with a figure for each person, against `rival`, p-values corrected by Holm."""
    others = [subject for subject in study.subjects if subject.name != rival.name]
    found = [difference(subject, rival, study.metric) for subject in others]
    return {d.subject.name: d for d in corrected([d for d in found if d is not None])}


def difference(subject: Subject, rival: Subject, metric: str) -> Difference | None:
    """One against another under the seeds they share; none where not everybody's figures are known."""
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
    """P-values corrected for their number; NaN, where nothing was tested, stays and does not count.

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
    """How often to draw people anew: less often where they are many, and the interval narrow anyway."""
    return int(np.clip(_DRAWS // max(1, len(people)), _LEAST, _MOST))
