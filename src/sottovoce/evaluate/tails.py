"""Figures for the people who are served worst, which a mean hides (Section 5.5.2, Belal et al. 2022).

Figures are named after the CDF: "cdf 0.1" is the smallest value x such that a tenth of the people have at
most x. (PEPPER's text calls it the 99th percentile.)
"""

import numpy as np
from numpy.typing import NDArray

from sottovoce.metrics import lower_is_better

ONE_IN = (10, 100, 1000)


def tails(values: NDArray[np.float64], metric: str) -> dict[str, float]:
    """CDF 0.1, 0.01 and 0.001 of `values` [people], and the mean of the worst tenth.

    People without held-out items (NaN) are left out. For metrics in which high values are bad, such as
    "rmse", the tail is counted from the top.

    >>> tails(np.linspace(0, 1, 11), "hr@20")
    {'cdf 0.1': 0.1, 'cdf 0.01': 0.0, 'cdf 0.001': 0.0, 'worst 10%': 0.05}
    """
    worst_first = np.sort(values[~np.isnan(values)])
    if lower_is_better(metric):
        worst_first = worst_first[::-1]
    count = len(worst_first)
    # Position ⌈count / m⌉ − 1, in whole numbers: 0.1 · 70 is more than 7 in floating point.
    figures = {f"cdf {1 / m:g}": float(worst_first[(count - 1) // m]) if count else np.nan for m in ONE_IN}
    figures["worst 10%"] = float(worst_first[: (count + 9) // 10].mean()) if count else np.nan
    return figures


def cdf(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The distribution over people: all different values x, and the share of people with at most x.

    >>> [column.tolist() for column in cdf(np.array([0.5, 0.0, 0.5, 1.0, np.nan]))]
    [[0.0, 0.5, 1.0], [0.25, 0.75, 1.0]]
    """
    x, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return x, np.cumsum(counts) / max(1, counts.sum())
