"""Chances of a number of hits, and the interval of Clopper and Pearson (Biometrika 26(4), 1934)."""

import math

import numpy as np

from sottovoce.evaluate.student import incomplete_beta
from sottovoce.state import Doubles


def at_least(hits: int, total: int, share: float) -> float:
    """P(X ≥ hits) if X of `total` independent attempts succeed, each with probability `share`."""
    if hits <= 0:
        return 1.0
    if hits > total or share <= 0:
        return 0.0
    return 1.0 if share >= 1 else incomplete_beta(hits, total - hits + 1, share, 1 - share)


def chances(total: int, share: float) -> Doubles:
    """[total + 1]: P(X = n)."""
    n = np.arange(total + 1)
    factorial = np.cumsum(np.log(np.maximum(n, 1)))
    ways = factorial[-1] - factorial - factorial[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        hits, misses = n * np.log(share), (total - n) * np.log1p(-share)
    return np.asarray(np.exp(ways + np.where(n == 0, 0, hits) + np.where(n == total, 0, misses)))


def lowest_share(hits: int, total: int, alpha: float) -> float:
    """The lower end of the one-sided interval of a share, with confidence 1 − `alpha`.

    >>> round(lowest_share(10, 10, 0.05), 3)
    0.741
    """
    if hits <= 0:
        return 0.0
    low, high = 0.0, hits / total
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if at_least(hits, total, middle) > alpha else (middle, high)
        if math.isclose(low, high, rel_tol=1e-12):
            break
    return low


def highest_share(hits: int, total: int, alpha: float) -> float:
    """The upper end of the one-sided interval of a share, with confidence 1 − `alpha`."""
    return 1.0 - lowest_share(total - hits, total, alpha)
