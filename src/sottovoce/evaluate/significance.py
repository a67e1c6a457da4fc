"""Is the difference between two runs significant? Paired tests over people.

- Student's paired t-test (Student 1908), two-sided: is the mean difference zero?
- Wilcoxon's signed-rank test (Wilcoxon 1945), two-sided: are the differences symmetric about zero? Equal
  pairs are left out. The distribution is exact for at most 50 pairs without ties; otherwise it is normal,
  with the variance corrected for ties.
- A bootstrap interval (Efron 1979): people are drawn with replacement, and the interval holds the central
  part of the mean differences. It assumes nothing about the distribution.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.errors import DataError
from sottovoce.evaluate.student import two_sided
from sottovoce.kernels import BOOTSTRAP, below, driver, prange, stream

_EXACT = 50


class Comparison(NamedTuple):
    """The difference of `a` and `b`, and whether it is significant."""

    difference: float
    """The mean of a − b."""
    t_test: float
    """The p-value of the paired t-test."""
    wilcoxon: float
    """The p-value of the signed-rank test."""
    low: float
    """The lower end of the bootstrap interval of the difference."""
    high: float
    """The upper end."""
    people: int
    """The number of people with a value in both."""


def compare(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, samples: int = 10_000, seed: int = 0
) -> Comparison:
    """Compare two arrays [people] of values of the same people. People with a NaN are left out.

    The p-values and the interval are NaN if fewer than two people remain, or if a value is infinite. If
    all values are equal, the p-values are 1.
    """
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise DataError(
            f"Arrays of the shapes {first.shape} and {second.shape} cannot be paired.",
            "Give two arrays with one value per person, in the same order.",
        )
    both = ~(np.isnan(first) | np.isnan(second))
    first, second = first[both], second[both]
    if len(first) < 2 or not np.isfinite(first).all() or not np.isfinite(second).all():
        mean = float(first.mean() - second.mean()) if len(first) else math.nan
        return Comparison(mean, math.nan, math.nan, math.nan, math.nan, len(first))
    differences = first - second
    low, high = bootstrap(differences, confidence, samples, seed)
    return Comparison(
        float(differences.mean()), t_test(differences), wilcoxon(differences), low, high, len(differences)
    )


def t_test(differences: NDArray[np.float64]) -> float:
    """The two-sided p-value of the paired t-test."""
    count, mean = len(differences), differences.mean()
    error = differences.std(ddof=1) / math.sqrt(count)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return two_sided(float(mean / error), count - 1)


def wilcoxon(differences: NDArray[np.float64]) -> float:
    """The two-sided p-value of the signed-rank test."""
    moved = differences[differences != 0]
    count = len(moved)
    if count == 0:
        return 1.0
    _, place, ties = np.unique(np.abs(moved), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]  # tied values get their mean rank
    plus = float(ranks[moved > 0].sum())
    if count <= _EXACT and len(moved) == len(differences) and ties.max() == 1:
        return _exact(count, min(plus, count * (count + 1) / 2 - plus))
    tied = float((ties.astype(np.float64) ** 3 - ties).sum())
    variance = count * (count + 1) * (2 * count + 1) / 24 - tied / 48
    z = (plus - count * (count + 1) / 4) / math.sqrt(variance)
    return math.erfc(abs(z) / math.sqrt(2))


def _exact(count: int, smaller: float) -> float:
    """Twice the probability that a sum of ranks is at most `smaller`, if each sign is a fair coin."""
    chances = np.ones(1)
    for rank in range(1, count + 1):
        more = np.zeros(rank * (rank + 1) // 2 + 1)
        more[: len(chances)] += chances / 2
        more[rank:] += chances / 2
        chances = more
    return float(min(1.0, 2 * chances[: int(smaller) + 1].sum()))


def bootstrap(
    values: NDArray[np.float64], confidence: float = 0.95, samples: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """The confidence interval of the mean (percentiles of resampled means)."""
    means = np.empty(samples)
    resample(seed, values, means, batch=samples)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


@driver
def resample(run, values, means):
    """Write means of `values`, each over as many values drawn with replacement, to `means` [samples]."""
    for sample in prange(len(means)):
        key = stream(run, BOOTSTRAP, sample, 0)
        total = 0.0
        for n in range(len(values)):
            total += values[below(key, n, len(values))]
        means[sample] = total / len(values)
