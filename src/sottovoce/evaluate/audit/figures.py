"""A figure of an attack: its mean over people, its 95 % interval, and what guessing gives.

The interval is a bootstrap over people (Efron 1979). If every value is 0 or 1, it is that of Wilson (JASA
22(158), 1927), because a bootstrap of equal values has no width.
"""

import math
from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.significance import bootstrap
from sottovoce.state import Doubles, Longs

SAMPLES = 2000
NORMAL = 1.959964  # the 97.5 % point of the normal distribution


class Figure(NamedTuple):
    """The mean over people."""

    value: float
    """NaN if nobody has a value."""
    low: float
    high: float
    guessing: float
    """The mean over the same people if the observer had guessed; NaN if guessing has no meaning."""
    people: int
    """How many people have a value."""
    another: float = math.nan
    """The mean if each person is taken for another one: what the attack knows of everybody, such as which
    items are popular. Only what is above it is about the person. NaN where that has no meaning."""


def over_people(values: Doubles, guessing: Doubles, person: Longs, another: Doubles | None = None) -> Figure:
    """The mean of `values` [P], beside `guessing` [P]; `person` [P] is the person of each target.

    A person who is a target several times counts once, with the mean. Targets whose value is NaN do not
    count.
    """
    known = ~np.isnan(values)
    if not known.any():
        return Figure(math.nan, math.nan, math.nan, math.nan, 0)
    _, place = np.unique(person[known], return_inverse=True)
    count = np.bincount(place)
    own, guessed = (np.bincount(place, array[known]) / count for array in (values, guessing))
    low, high = interval(own)
    taken = math.nan
    if another is not None and (there := ~np.isnan(another)).any():
        taken = float(another[there].mean())
    return Figure(float(own.mean()), low, high, float(guessed.mean()), len(own), taken)


def interval(values: Doubles) -> tuple[float, float]:
    """The 95 % interval of the mean of `values`."""
    values = values.round(12)  # a sum of shares may miss 1 by its last digit
    if ((values == 0) | (values == 1)).all():
        return wilson(int(values.sum()), len(values))
    return bootstrap(values, samples=SAMPLES)


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % score interval of a share."""
    share, z = hits / total, NORMAL**2 / total
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(share * (1 - share) * z + z * z / 4) / (1 + z)
    return max(0.0, middle - half), min(1.0, middle + half)


def strongest(scores: Doubles, count: Longs) -> Doubles:
    """[P, n]: 1 for the `count` [P] highest `scores` [P, n] of each target, and 0 for the others.

    Equal scores at the border share what is left, so that a sum over these weights is what drawing among
    them gives on average.
    """
    lowest = np.take_along_axis(-np.sort(-scores, axis=1), count[:, None] - 1, axis=1)
    above, equal = scores > lowest, scores == lowest
    share = (count - above.sum(axis=1)) / equal.sum(axis=1)
    return np.asarray(above + equal * share[:, None])


def taken_for_another(found: Doubles, person: Longs) -> Doubles:
    """[P, n]: what was found of another person in place of each target's; NaN if there is nobody else."""
    order = np.roll(np.arange(len(person)), len(person) // 2)
    same = (person[order] == person)[:, None]
    return np.where(same, np.nan, found[order])
