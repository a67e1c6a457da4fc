"""Root mean squared error of predicted ratings (Section 6.5, Hegedűs et al. 2019).

    RMSE = √(1/n Σ (predicted − actual)²)

The sum is over all n held-out ratings. A prediction that is not finite has an infinite error. A model
that diverged thus differs from a person without held-out ratings, whose RMSE is NaN.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper


@helper
def squared_error(predicted, actual):
    """(predicted − actual)² in double precision; infinite if the prediction is not a number."""
    error = np.float64(predicted) - np.float64(actual)
    return math.inf if np.isnan(error) else error * error


def rmse(predicted: ArrayLike, actual: ArrayLike) -> float:
    """The root mean squared error. Both arguments are [ratings]. NaN without ratings.

    >>> rmse([3.0, 5.0], [4.0, 4.0])
    1.0
    """
    errors = np.asarray(predicted, np.float64) - np.asarray(actual, np.float64)
    if errors.size == 0:
        return math.nan
    return math.sqrt(np.mean(np.where(np.isnan(errors), math.inf, errors * errors)))
