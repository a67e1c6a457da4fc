"""Does a person have an item? A score for every pair of a person and an item, and a threshold.

The observer has the scores of `changed_rows`, and needs no shadow models (Shokri et al. 2017 train such
models on data of their own to learn where the threshold is).

- `auc`: the chance that a random item of the person has a higher score than a random other item. Guessing
  gives 0.5.
- `recall at 1 % false alarms`: the share of all pairs that are found by the threshold at which one in a
  hundred of the other pairs is named by mistake (Carlini et al. 2022 recommend low rates of false alarms).
  Guessing gives 0.01.
- `precision` and `recall` of a threshold that is chosen without knowing anything: it divides each person's
  scores into two groups whose means differ most (Otsu 1979).
"""

from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.figures import Figure, over_people, taken_for_another
from sottovoce.state import Bools, Doubles, Longs

ALARMS = 0.01


class Membership(NamedTuple):
    """How well scores tell the items of people from others."""

    auc: Figure
    precision: Figure
    recall: Figure
    at_few_alarms: float
    """Recall over all pairs at one false alarm in a hundred others."""


def attack(scores: Doubles, own: Bools, person: Longs) -> Membership:
    """How well `scores` [P, items] tell the items `own` [P, items]; `person` [P] is who a target is."""
    items, held = own.shape[1], own.sum(axis=1)
    named = scores > threshold(scores)[:, None]
    right, total = (named & own).sum(axis=1), named.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = right / total, right / held
    other = taken_for_another(scores, person)
    there = ~np.isnan(other).any(axis=1)
    another = np.full(len(own), np.nan)
    another[there] = auc(other[there], own[there])
    return Membership(
        over_people(auc(scores, own), np.full(len(own), 0.5), person, another),
        over_people(precision, held / items, person),
        over_people(recall, total / items, person),
        recall_at(scores, own, ALARMS),
    )


def auc(scores: Doubles, own: Bools) -> Doubles:
    """[P]: the area under the ROC curve of each target; NaN for one who has no item or all of them.

    It is computed from the sum of the ranks of a person's items (Mann and Whitney 1947). Equal scores have
    their mean rank.
    """
    targets, items = scores.shape
    order = np.argsort(scores, axis=1, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=1)
    new = np.ones((targets, items), np.bool_)
    new[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    group = np.cumsum(new.ravel()) - 1
    rank = np.tile(np.arange(1.0, items + 1), targets)
    mean = (np.bincount(group, rank) / np.bincount(group))[group].reshape(targets, items)
    held = own.sum(axis=1)
    ranks = (mean * np.take_along_axis(own, order, axis=1)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((ranks - held * (held + 1) / 2) / (held * (items - held)))


def recall_at(scores: Doubles, own: Bools, alarms: float) -> float:
    """The share of all pairs in `own` whose score only a share `alarms` of the other pairs reaches."""
    mine, others = scores[own], scores[~own]
    if not len(mine) or not len(others):
        return float("nan")
    lowest = np.sort(others)[::-1][int(alarms * len(others))]
    return float((mine > lowest).mean())


def threshold(scores: Doubles) -> Doubles:
    """[P]: where each target's scores divide into two groups; scores above it are the upper group.

    Otsu's threshold maximises n₁ n₂ (m₁ − m₂)², with the sizes and means of both groups.
    """
    items = scores.shape[1]
    ascending = np.sort(scores, axis=1)
    below, lower = np.arange(1, items), np.cumsum(ascending, axis=1)[:, :-1]
    upper = ascending.sum(axis=1)[:, None] - lower
    spread = below * (items - below) * (lower / below - upper / (items - below)) ** 2
    spread[ascending[:, 1:] == ascending[:, :-1]] = 0  # equal scores are in one group
    return np.asarray(np.take_along_axis(ascending, spread.argmax(axis=1)[:, None], axis=1)[:, 0])
