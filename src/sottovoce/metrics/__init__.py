"""Pure functions of scores and held-out items, one file each: a scalar kernel and a wrapper for arrays.

Their names in a recipe are listed here; at a length K of the list they are called "hr@10".
"""

RANKED = ("hr", "ndcg", "mrr")
"""Every held-out item is ranked on its own among its rivals."""
LISTED = (
    "precision",
    "recall",
    "f1",
    "f1-list",
    "item-coverage",
    "user-coverage",
    "gini",
    "evenness",
    "popularity-bias",
    "bias-disparity",
)
"""Every person gets one list."""
RATED = ("rmse", "mae")
"""Ratings are predicted."""
NAMES = RANKED + LISTED + RATED

_LOWER = frozenset({"rmse", "mae", "gini", "popularity-bias", "bias-disparity"})


def lower_is_better(metric: str) -> bool:
    """Whether a low value of a metric, such as "rmse" or "gini@10", is the good one."""
    return metric.partition("@")[0] in _LOWER
