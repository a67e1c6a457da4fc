"""Mean absolute error of predicted ratings (Herlocker et al., ACM TOIS 22(1), 2004).

    MAE = 1/n Σ |predicted − actual|

The sum is over all n held-out ratings. As in RMSE, a prediction that is not finite has an infinite error.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.kernels import helper


@helper
def absolute_error(predicted, actual):
    """|predicted − actual| in double precision; infinite if the prediction is not a number."""
    error = np.float64(predicted) - np.float64(actual)
    return math.inf if np.isnan(error) else abs(error)


def mae(predicted: ArrayLike, actual: ArrayLike) -> float:
    """The mean absolute error. Both arguments are [ratings]. NaN without ratings.

    >>> mae([3.0, 5.0], [4.0, 3.0])
    1.5
    """
    errors = np.abs(np.asarray(predicted, np.float64) - np.asarray(actual, np.float64))
    return float(np.mean(np.where(np.isnan(errors), math.inf, errors))) if errors.size else math.nan
