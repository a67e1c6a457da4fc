"""Bias disparity: do recommendations favour a category more than the data does? (Tsintzou et al. 2018.)

    PR(C) = share of the interactions that fall in category C       B(C) = PR(C) / P(C),  P(C) = |C| / |I|
    BD(C) = (B_recommended(C) − B_training(C)) / B_training(C)

It is computed over all people together, as in Section 4.4 of Anelli et al. 2020 (their B_T is
B_training). 0 means that recommendations are as biased as the training data; a positive value means a
stronger bias towards C. An item with several categories counts in each of them (Mansoury et al.,
RecSys 2019). P(C) cancels out in BD. The overall figure is the mean of |BD(C)| over all categories.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.kernels import helper


@helper
def disparity(recommended, training):
    """The relative change of the bias from training to recommendations; NaN if `training` is 0."""
    return (recommended - training) / training if training > 0 else math.nan


def bias(counts: ArrayLike, item: ArrayLike, category: ArrayLike, categories: int) -> NDArray[np.float64]:
    """B(C) of each category: [categories].

    `counts` [items] says how often each item was chosen. Item `item[n]` belongs to category
    `category[n]`; an item may occur several times.

    >>> bias([3, 1, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1], 2).tolist()
    [2.0, 0.0]
    """
    chosen, of = np.asarray(counts, np.float64), np.asarray(category)
    within = np.bincount(of, chosen[np.asarray(item)], categories)
    size, total = np.bincount(of, minlength=categories), chosen.sum()
    return np.where(size * total > 0, within * len(chosen) / np.maximum(size * total, 1), math.nan)


def bias_disparity(recommended: ArrayLike, training: ArrayLike) -> NDArray[np.float64]:
    """BD of each category: [categories]. Both arguments come from `bias` and have the same shape.

    >>> bias_disparity([1.5, 0.5, 1.0], [1.0, 1.0, 0.0]).tolist()
    [0.5, -0.5, nan]
    """
    pairs = zip(np.asarray(recommended, np.float64), np.asarray(training, np.float64), strict=True)
    return np.array([disparity(after, before) for after, before in pairs], np.float64)
