"""Clusters of people: keep only the most active cluster, or the least active one.

Belal et al. (2022, Section 5.5.3) made a dense and a sparse variant of MovieLens 100K by k-means, but do not
say on which features. Here people are clustered by the items they have (a 0/1 vector over the catalogue), or
by the logarithm of the number of their items. The dense variant of the paper has a sparsity of 0.64, which
MovieLens 100K can only reach if rare items are removed too.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.kernels.kmeans import kmeans

SEED = 1
"""Fixed, so that the data does not depend on the seed of a run."""


def cluster(
    data: Interactions, which: Literal["densest", "sparsest"], count: int, by: Literal["items", "number"]
) -> Interactions:
    """The interactions of one of `count` clusters: the one with most items per person, or fewest."""
    person = np.repeat(np.arange(data.people), np.diff(data.indptr))
    pairs = np.unique(person * data.items + data.item)
    had = np.bincount(pairs // data.items, minlength=data.people)
    if by == "items":
        points = np.zeros((data.people, data.items), np.float32)
        points[pairs // data.items, pairs % data.items] = 1
    else:
        points = np.log(np.maximum(had, 1))[:, None].astype(np.float32)
    label = kmeans(points, count, SEED).label
    means = {int(n): float(had[label == n].mean()) for n in np.unique(label)}
    chosen = (max if which == "densest" else min)(means, key=lambda n: means[n])
    return data.take((label == chosen)[person])
