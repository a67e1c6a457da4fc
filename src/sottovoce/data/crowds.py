"""One kind of people: a cluster of those who had much, or little, in common catalogues.

Belal et al. (2022, Section 5.5.3) made a dense and a sparse variant of MovieLens 100K by k-means, and do not
say over what. Here people are clustered by what they had, a place for each item, or by how much they had, on
a scale of logarithms. Their dense one has a sparsity of 0.64, which MovieLens 100K cannot have unless items
that few people had are left out too.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.kernels.kmeans import kmeans

SEED = 1
"""Data are the same whatever the seed of a run is."""


def cluster(
    data: Interactions, which: Literal["densest", "sparsest"], count: int, by: Literal["items", "number"]
) -> Interactions:
    """The interactions of the people in one of `count` clusters: who had most items on average, or fewest."""
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
